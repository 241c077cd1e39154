"""The languages of stories in the archive, and which of them a reader sees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ustory.core.story import StoryLanguage
from ustory.store.tables import StoryRow
from ustory.stories.story_languages import (
    by_count,
    counted,
    language_in,
    part_for_reader,
)


def with_languages(
    row: StoryRow, counts: Mapping[str | None, int], known: Sequence[StoryLanguage] = ()
) -> StoryRow:
    """Return a story's row with its languages, and what it is called in each.

    `counts` are of all its articles, and `known` is what is known now. A language of
    which no article is in the window is shown as before.
    """
    tags = by_count(counts)
    own = [tag for tag in tags if language_in(tag) == language_in(row.lang)]
    row = replace(row, lang=own[0]) if own else row
    if len(counts) <= 1 and tags == [row.lang]:
        return replace(row, languages=None)
    main = StoryLanguage(
        lang=row.lang or "", articles=0, headline=row.headline, keywords=row.keywords
    )
    in_languages = counted(counts, [*known, *row.in_languages], main)
    return replace(row, languages=tuple(map(asdict, in_languages)))


def language_for_reader(row: StoryRow, reader: Iterable[str] = ()) -> StoryLanguage:
    """Return which of them a reader sees: in a language of theirs, if it has one.

    Else in the language in which most outlets write; `lang` is empty where nobody
    knows which that is.
    """
    found = part_for_reader(row.in_languages, reader)
    if found is not None:
        return found
    return StoryLanguage(
        lang=row.lang or "",
        articles=row.articles,
        headline=row.headline,
        keywords=row.keywords,
    )


def languages_before(row: StoryRow) -> tuple[Mapping[str, Any], ...] | None:
    """Return the languages that a story had, also where it had one alone."""
    if row.languages is not None or row.lang is None:
        return row.languages
    known = StoryLanguage(
        lang=row.lang,
        articles=row.articles,
        headline=row.headline,
        keywords=row.keywords,
    )
    return (asdict(known),)
