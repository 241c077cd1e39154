"""Text as words that are searched for: the same words whatever the database."""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache

from ustory.core.unicode import normalized

MOST_WORDS = 16_000
"""Words of one text that are searched: PostgreSQL counts positions to 16,383."""
_MOST_CHARACTERS = 300_000
_LONGEST_WORD = 64
_MOST_PHRASES = 12
_LONGEST_PHRASE = 24
_LONGEST_QUERY = 10_000

# scripts that put no space between words are searched character by character
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_PART = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand side by side; the last may be the beginning of a word."""

    words: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: every phrase of `wanted`, none of `unwanted`."""

    wanted: tuple[Phrase, ...]
    unwanted: tuple[Phrase, ...] = ()


def words_of(text: str) -> list[str]:
    """Return the words of a text without case and accents, in their order.

    >>> words_of("Él: 3.5 Bäume")
    ['el', '3', '5', 'baume']
    """
    text = text[:_MOST_CHARACTERS]
    if not text.isascii():
        # half letters first, so that the marks on them can be dropped
        # one sign can stand for eighteen letters: what they become is cut again
        bare = normalized("NFKD", text)[:_MOST_CHARACTERS].translate(_marks())
        text = normalized("NFC", bare)
    found = _WORD.findall(text.casefold())[:MOST_WORDS]
    return [word[:_LONGEST_WORD] for word in found]


def parse_query(text: str) -> Query:
    """Return what a person looks for.

    Words must all be there, `"words in quotes"` side by side, `word*` begins a word,
    and `-word` must not be there.

    >>> parse_query('storm -"old bridge" har*').unwanted
    (Phrase(words=('old', 'bridge'), prefix=False),)
    """
    wanted: list[Phrase] = []
    unwanted: list[Phrase] = []
    for minus, quoted, plain in _PART.findall(text[:_LONGEST_QUERY]):
        words = tuple(words_of(quoted or plain))[:_LONGEST_PHRASE]
        if words:
            phrase = Phrase(words, prefix=plain.endswith("*"))
            (unwanted if minus else wanted).append(phrase)
    return Query(tuple(wanted[:_MOST_PHRASES]), tuple(unwanted[:_MOST_PHRASES]))


@cache
def _marks() -> dict[int, None]:
    every = range(sys.maxunicode + 1)
    return {n: None for n in every if unicodedata.category(chr(n)).startswith("M")}
