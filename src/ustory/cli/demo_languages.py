"""What `ustory demo --languages` adds: the languages of each story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from textwrap import shorten

from rich.table import Table

from ustory.cli.console import results
from ustory.core.errors import MissingExtraError
from ustory.core.extras import MODULES, check_extra
from ustory.core.story import Story
from ustory.core.wording import many
from ustory.stories.discovery import Discovery

_HEADLINE = 80  # characters of it in the table
_UNKNOWN = "?"  # for articles whose language nobody knows


def print_languages(discovery: Discovery) -> None:
    """Print how many articles of each language are in each story, and in none.

    Languages are those that articles are in, whatever their outlets say.
    """
    languages = {
        record.id: record.lang or _UNKNOWN
        for record in discovery.state.records.values()
    }
    stories = discovery.stories()
    console = results()
    console.print(_table(stories, languages))
    alone = languages.keys() - {article for s in stories for article in s.articles}
    several = sum(len(_counted(s.articles, languages)) > 1 for s in stories)
    console.print(
        f"\n{many(several, 'story', 'stories')} in more than one language; "
        f"in no story: {_in_words(alone, languages)}"
    )


def say_if_missing() -> None:
    """Print which command installs what stories across languages need, if it is not."""
    try:
        for module in MODULES["multilingual"]:
            check_extra(module, "What links articles across languages", "multilingual")
    except MissingExtraError as error:
        results().print(str(error), soft_wrap=True)


def _table(stories: Iterable[Story], languages: Mapping[str, str]) -> Table:
    # headlines are last: one from right to left moves nothing behind it
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("story", "languages", "headline"):
        table.add_column(title, no_wrap=title == "story")
    for story in stories:
        table.add_row(
            story.id,
            _in_words(story.articles, languages),
            shorten(story.headline, _HEADLINE, placeholder="…"),
        )
    return table


def _counted(articles: Iterable[str], languages: Mapping[str, str]) -> Counter[str]:
    """Return how many articles each language has; unknown ones are of none."""
    found = Counter(languages[article] for article in articles)
    del found[_UNKNOWN]
    return found


def _in_words(articles: Iterable[str], languages: Mapping[str, str]) -> str:
    """Return the languages of articles, the most frequent first: `en 3, ru 2, ? 1`."""
    found = Counter(languages[article] for article in articles)
    ordered = sorted(found, key=lambda lang: (lang == _UNKNOWN, -found[lang], lang))
    return ", ".join(f"{lang} {found[lang]}" for lang in ordered) or "nothing"
