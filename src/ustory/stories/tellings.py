"""Stories of several languages: which there are, and how a story is told in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from ustory.core.story import Story, Telling
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


def telling_of(tellings: Sequence[Telling], language: str) -> Telling | None:
    """Return the first telling in a language that has a headline."""
    for each in tellings:
        if each.headline and language_in(each.lang) == language:
            return each
    return None


def telling_for(tellings: Sequence[Telling], reader: Iterable[str]) -> Telling | None:
    """Return the telling in the first of a reader's languages that there is.

    None means that the story is told as in its most common language.

    >>> told = [Telling(lang=lang, articles=1, headline=lang) for lang in ("en", "de")]
    >>> telling_for(told, ["fr", "de-CH", "en"]).headline
    'de'
    """
    for wanted in reader:
        found = telling_of(tellings, language_in(wanted))
        if found is not None:
            return found
    return None


def told_to(story: Story, reader: Sequence[str]) -> Story:
    """Return a story as it is told in a reader's language, if it is."""
    told = telling_for(story.languages, reader)
    if told is None:
        return story
    lang = language_in(told.lang)
    return replace(story, headline=told.headline, keywords=told.keywords, lang=lang)


def are_many(tags: Iterable[str]) -> bool:
    """Return whether tags are of more than one language.

    >>> are_many(["en", "en-GB"]), are_many(["en", "de"])
    (False, True)
    """
    return len({language_in(tag) for tag in tags} - {UNKNOWN}) > 1


def counted(
    counts: Mapping[str | None, int],
    known: Sequence[Telling],
    main: Telling,
) -> tuple[Telling, ...]:
    """Return the languages of a story with their counts and how it is told in each.

    `known` has headlines by language, the newest first; `main` is how it is told to
    everybody else. Of the tags of one language the most common has the headline.
    """
    tags = by_count(counts)
    if not are_many(tags):
        return tuple(Telling(lang=tag, articles=counts[tag]) for tag in tags)
    found: list[Telling] = []
    told: set[str] = set()
    for tag in tags:
        language = language_in(tag)
        text = None if language in told else telling_of((main, *known), language)
        told.add(language)
        found.append(
            Telling(
                lang=tag,
                articles=counts[tag],
                headline="" if text is None else text.headline,
                keywords=() if text is None else text.keywords,
            )
        )
    return tuple(found)
