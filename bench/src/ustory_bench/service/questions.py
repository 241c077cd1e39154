"""What people ask of an archive, alike whatever its size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from ustory.core.spans import EPOCH
from ustory.store.articles import articles_by_id, articles_of_story
from ustory.store.listing import (
    StoryQuery,
    changes,
    days_of_story,
    list_stories,
    related,
    search_articles,
    sources_of_story,
    story,
)
from ustory.store.results import events_of_story
from ustory_bench.service.rows import story_id
from ustory_bench.service.synthetic import Synthetic
from ustory_bench.service.vocabulary import outlet, word

Ask = Callable[[Connection, Synthetic, int], object]
"""Ask a question of an archive; the number tells variants of it apart."""
VARIANTS = 5
_PAGE = 50


@dataclass(frozen=True)
class Question:
    """Something that is asked, and how much dearer it may be in a large archive."""

    name: str
    group: str
    ask: Ask

    @property
    def most(self) -> float:
        """The ratio that is still good."""
        return 3.0 if self.group == "search" else 1.5


def questions() -> Iterator[Question]:
    """Yield all that is measured."""
    for name, given in _lists():
        yield Question(name, "listing", _listed(given))
    yield Question("the second page", "listing", _second)
    yield Question("changes", "listing", _changes)
    yield Question("a live story", "story", _page_of(_live))
    yield Question("a story that is over", "story", _page_of(_over))
    yield Question("a large story", "story", _page_of(_large))
    for name, text in _SEARCHES.items():
        yield Question(f"articles: {name}", "search", _searched(text))
        yield Question(f"stories: {name}", "search", _listed(_text(text)))


Given = Callable[[Synthetic, int], dict[str, Any]]
Text = Callable[[Synthetic, int], str]


def _listed(given: Given) -> Ask:
    def ask(connection: Connection, made: Synthetic, n: int) -> object:
        return list_stories(connection, StoryQuery(limit=_PAGE, **given(made, n)))

    return ask


def _now(made: Synthetic) -> datetime:
    return EPOCH + timedelta(microseconds=int(made.published[-1]))


def _ago(made: Synthetic, share: float) -> datetime:
    whole = int(made.published[-1] - made.published[0])
    return _now(made) - timedelta(microseconds=int(whole * share))


def _tagged(name: str, value: Text, sort: str) -> Given:
    return lambda made, n: {name: value(made, n), "sort": sort}


def _rare(made: Synthetic, n: int) -> str:
    """Return a keyword that about sixty stories have, however many there are."""
    return word(made.stories // 50 + n)


def _tags() -> Iterator[tuple[str, Given]]:
    for sort in ("heat", "size", "recent"):
        yield (
            f"a common keyword by {sort}",
            _tagged("keyword", lambda m, n: word(20 + n), sort),
        )
        yield f"a rare keyword by {sort}", _tagged("keyword", _rare, sort)
        for share, rank in (("common", 1), ("usual", 20)):
            value: Text = lambda m, n, r=rank: outlet(r + n)  # type: ignore[misc] # noqa: E731
            yield f"a {share} source by {sort}", _tagged("source", value, sort)
        for share, tongue in (("common", "de"), ("rare", "fr")):
            value = lambda m, n, t=tongue: t  # type: ignore[misc] # noqa: E731
            yield f"a {share} language by {sort}", _tagged("lang", value, sort)


def _lists() -> Iterator[tuple[str, Given]]:
    for sort in ("heat", "size", "recent", "new"):
        yield f"by {sort}", lambda m, n, s=sort: {"sort": s}  # type: ignore[misc]
    for status in ("live", "expired"):
        yield (
            f"{status} by size",
            lambda m, n, s=status: {"status": s, "sort": "size"},  # type: ignore[misc]
        )
    for sort in ("heat", "size"):
        yield (
            f"of the last day by {sort}",
            lambda m, n, s=sort: {"since": _now(m) - timedelta(days=1), "sort": s},  # type: ignore[misc]
        )
    yield "until the middle", lambda m, n: {"until": _ago(m, 0.5), "sort": "new"}
    yield from _tags()
    yield (
        "a keyword and a source",
        lambda m, n: {"keyword": word(20 + n), "source": outlet(1)},
    )


def _second(connection: Connection, made: Synthetic, n: int) -> object:
    del made, n
    first = list_stories(connection, StoryQuery(limit=_PAGE))
    return list_stories(connection, StoryQuery(limit=_PAGE, cursor=first.cursor))


def _changes(connection: Connection, made: Synthetic, n: int) -> object:
    return changes(connection, _now(made) - timedelta(hours=3 + n))


def _live(made: Synthetic, n: int) -> int:
    # young enough that all that will ever come has had the same time to come
    return made.stories - made.live // 2 - 7 * n - 1


def _over(made: Synthetic, n: int) -> int:
    return made.stories // 4 + 7 * n + 1


def _large(made: Synthetic, n: int) -> int:
    return made.stories // 4 // 50 * 50 + 50 * n


def _page_of(choose: Callable[[Synthetic, int], int]) -> Ask:
    """Ask for everything that the page of a story shows."""

    def ask(connection: Connection, made: Synthetic, n: int) -> object:
        name = story_id(choose(made, n))
        days = days_of_story(connection, name)
        return (
            story(connection, name),
            articles_of_story(connection, name, _PAGE),
            articles_by_id(connection, [day.central for day in days if day.central]),
            sources_of_story(connection, name),
            events_of_story(connection, name),
            related(connection, name),
        )

    return ask


def _searched(text: Text) -> Ask:
    def ask(connection: Connection, made: Synthetic, n: int) -> object:
        return search_articles(connection, text(made, n))

    return ask


def _text(text: Text) -> Given:
    return lambda made, n: {"text": text(made, n)}


_SEARCHES: dict[str, Text] = {
    "a word in 1 of 150": lambda m, n: word(330 + n),
    "a word in 1 of 1,000": lambda m, n: word(2200 + 9 * n),
    "a word in 1 of 10,000": lambda m, n: word(22000 + 99 * n),
    "two words": lambda m, n: f"{word(25 + n)} {word(40 + n)}",
    "two words side by side": lambda m, n: f'"{word(5)} {word(10 + n)}"',
    "the beginning of a word": lambda m, n: f"{word(3141 + 9 * n)}*",
    "one without another": lambda m, n: f"{word(330 + n)} -{word(2 + n)}",
    "a word of long ago": lambda m, n: m.era(m.articles // 3 + n * m.articles // 90),
    "a word of no article": lambda m, n: f"nowhere{n}",
}
