"""How what somebody types may go on."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, and_, func, select

from ustory.store.search_words import words_of
from ustory.store.tables import story_keywords
from ustory.store.vocabulary import SOURCE, all_names, begin_with

_LEAST = 2
"""Letters from which on something is suggested."""
_NAME = "source:"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text to search for; `kind` is `word`, `keyword` or `source`."""

    text: str
    kind: str


def suggest(connection: Connection, typed: str, limit: int = 8) -> list[Suggestion]:
    """Return the most common ways in which a text that is typed may go on.

    Outlets go on behind `source:`, else the last word of what was typed, or all of
    it as a keyword of several words.
    """
    before, _, last = typed.rpartition(" ")
    before = f"{before} " if before else ""
    if last.lower().startswith(_NAME):
        return _outlets(connection, before, last[len(_NAME) :].strip('"'), limit)
    words = words_of(last.lstrip('-"'))
    if len(words) != 1 or len(words[0]) < _LEAST:
        return []
    sign = last[: len(last) - len(last.lstrip('-"'))]
    whole = " ".join(words_of(typed))
    found = [Suggestion(text, "keyword") for text in _keywords(connection, whole, 3)]
    found += [
        Suggestion(f"{before}{sign}{word}", "word")
        for word in begin_with(connection, words[0], limit)
    ]
    return list({each.text: each for each in reversed(found)}.values())[::-1][:limit]


def _keywords(connection: Connection, prefix: str, limit: int) -> list[str]:
    """Return the keywords of several words that begin so, the most common first."""
    keyword = story_keywords.c.keyword
    here = and_(keyword >= prefix, keyword <= f"{prefix}\U0010ffff")
    query = select(keyword).where(here, keyword.contains(" ")).group_by(keyword)
    ranked = query.order_by(func.count().desc(), keyword).limit(limit)
    return list(connection.execute(ranked).scalars())


def _outlets(
    connection: Connection, before: str, typed: str, limit: int
) -> list[Suggestion]:
    wanted = " ".join(words_of(typed))
    names = sorted(all_names(connection, SOURCE).values())
    fitting = [n for n in names if f" {wanted}" in f" {' '.join(words_of(n))}"]
    return [
        Suggestion(f'{before}{_NAME}"{name}"', "source") for name in fitting[:limit]
    ]
