"""The languages of stories in the archive, and how a story is told to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ustory.core.story import Telling
from ustory.store.tables import StoryRow
from ustory.stories.tellings import by_count, counted, language_in, telling_for


def with_languages(
    row: StoryRow, counts: Mapping[str | None, int], told: Sequence[Telling] = ()
) -> StoryRow:
    """Return a story's row with its languages, and how it is told in each.

    `counts` are of all its articles, and `told` is what is known now. A language of
    which no article is in the window is told as before.
    """
    tags = by_count(counts)
    own = [tag for tag in tags if language_in(tag) == language_in(row.lang)]
    row = replace(row, lang=own[0]) if own else row
    if len(counts) <= 1 and tags == [row.lang]:
        return replace(row, languages=None)
    main = Telling(
        lang=row.lang or "", articles=0, headline=row.headline, keywords=row.keywords
    )
    tellings = counted(counts, [*told, *row.tellings], main)
    return replace(row, languages=tuple(map(asdict, tellings)))


def told_to_reader(row: StoryRow, reader: Iterable[str] = ()) -> Telling:
    """Return how a story is told to a reader: in a language of theirs, if it has one.

    Else in the language in which most outlets write; `lang` is empty where nobody
    knows which that is.
    """
    found = telling_for(row.tellings, reader)
    if found is not None:
        return found
    return Telling(
        lang=row.lang or "",
        articles=row.articles,
        headline=row.headline,
        keywords=row.keywords,
    )


def told_before(row: StoryRow) -> tuple[Mapping[str, Any], ...] | None:
    """Return how a story was told, also where it had one language alone."""
    if row.languages is not None or row.lang is None:
        return row.languages
    told = Telling(
        lang=row.lang,
        articles=row.articles,
        headline=row.headline,
        keywords=row.keywords,
    )
    return (asdict(told),)
