"""Stories of several languages: which there are, and what a story is called in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from ustory.core.story import Story, StoryLanguage
from ustory.engine.state import Record
from ustory.links.outlets import outlet_name
from ustory.links.state import LinkState
from ustory.text.languages import UNKNOWN, language_of


def language_in(tag: str | None) -> str:
    """Return the language of a tag; one that is not given is not known.

    >>> language_in("en-GB"), language_in(""), language_in(None)
    ('en', 'und', 'und')
    """
    return language_of(tag) if tag else UNKNOWN


def by_language(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Return the articles of each language, in the given order; unknown ones in none.

    Tags of one language, such as `en` and `en-GB`, are one language.
    """
    found: dict[str, list[Record]] = {}
    for record in records:
        language = language_in(record.lang)
        if language != UNKNOWN:
            found.setdefault(language, []).append(record)
    return found


def common_language(articles: Iterable[tuple[str | None, Hashable]]) -> str | None:
    """Return the language in which most outlets write; None if no language is known.

    `articles` are pairs of a tag and an outlet: an outlet counts once in a language,
    however many articles it has. Ties go to most articles, then by name.

    >>> common_language([("en", "Vox"), ("es", "A"), ("en", "Vox"), ("es-MX", "B")])
    'es'
    """
    counts: Counter[str] = Counter()
    outlets: dict[str, set[Hashable]] = {}
    for tag, outlet in articles:
        language = language_in(tag)
        if language != UNKNOWN:
            counts[language] += 1
            outlets.setdefault(language, set()).add(outlet)
    return min(
        counts,
        key=lambda name: (-len(outlets[name]), -counts[name], name),
        default=None,
    )


def language_of_records(records: Iterable[Record], link: LinkState) -> str | None:
    """Return the language in which most outlets of a story write."""
    return common_language((record.lang, _outlet(record, link)) for record in records)


def _outlet(record: Record, link: LinkState) -> Hashable:
    """Return the outlet of an article; one without a name is its own."""
    article = link.articles.get(record.id)
    name = "" if article is None else outlet_name(article.source)
    return name or (record.id,)


def by_count(counts: Mapping[str | None, int]) -> list[str]:
    """Return languages by how many articles they have, the most common first."""
    known = (name for name in counts if name and language_in(name) != UNKNOWN)
    return sorted(known, key=lambda name: (-counts[name], name))


def part_in(
    in_languages: Sequence[StoryLanguage], language: str
) -> StoryLanguage | None:
    """Return the first of them that is in a language and has a headline."""
    for each in in_languages:
        if each.headline and language_in(each.lang) == language:
            return each
    return None


def part_for_reader(
    in_languages: Sequence[StoryLanguage], reader: Iterable[str]
) -> StoryLanguage | None:
    """Return what a story is in the first of a reader's languages that it has.

    None means that it is shown in its most common language.

    >>> german = StoryLanguage(lang="de", articles=1, headline="Erdbeben")
    >>> part_for_reader([german], ["fr", "de-CH", "en"]).headline
    'Erdbeben'
    """
    for wanted in reader:
        found = part_in(in_languages, language_in(wanted))
        if found is not None:
            return found
    return None


def for_reader(story: Story, reader: Sequence[str]) -> Story:
    """Return a story as it is in a reader's language, if it is."""
    known = part_for_reader(story.languages, reader)
    if known is None:
        return story
    lang = language_in(known.lang)
    return replace(story, headline=known.headline, keywords=known.keywords, lang=lang)


def are_many(tags: Iterable[str]) -> bool:
    """Return whether tags are of more than one language.

    >>> are_many(["en", "en-GB"]), are_many(["en", "de"])
    (False, True)
    """
    return len({language_in(tag) for tag in tags} - {UNKNOWN}) > 1


def counted(
    counts: Mapping[str | None, int],
    known: Sequence[StoryLanguage],
    main: StoryLanguage,
) -> tuple[StoryLanguage, ...]:
    """Return the languages of a story with their counts and what it is called in each.

    `known` has headlines by language, the newest first; `main` is what it is called for
    everybody else. Of the tags of one language the most common has the headline.
    """
    tags = by_count(counts)
    if not are_many(tags):
        return tuple(StoryLanguage(lang=tag, articles=counts[tag]) for tag in tags)
    found: list[StoryLanguage] = []
    done: set[str] = set()
    for tag in tags:
        language = language_in(tag)
        text = None if language in done else part_in((main, *known), language)
        done.add(language)
        found.append(
            StoryLanguage(
                lang=tag,
                articles=counts[tag],
                headline="" if text is None else text.headline,
                keywords=() if text is None else text.keywords,
            )
        )
    return tuple(found)
