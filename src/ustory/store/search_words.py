"""The words of texts and of queries, as the search knows them, in any script.

Scripts that put no space between words are cut into characters, each with the marks on
it: what stands side by side is found as a phrase, wherever a longer run of characters
has it. docs/reference/search.md explains it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import chain

from ustory.core.unicode import normalized

MOST_WORDS = 16_000
"""Words of one text that are searched: PostgreSQL counts positions to 16,383."""
_MOST_CHARACTERS = 300_000
_LONGEST_WORD = 64

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # 々 and its like
    (0x3040, 0x30FF),  # kana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0x20000, 0x3FFFF),
)
"""Scripts that put no space between words."""
_ACCENTS = (
    (0x0300, 0x0489),  # of Latin, Greek and Cyrillic
    (0x0591, 0x05C7),  # points of Hebrew are seldom written
    (0x0610, 0x06ED),  # so are vowels of Arabic, and a hamza is often left out
    (0x0711, 0x074A),
    (0x08CA, 0x08FF),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF),
    (0xFE00, 0xFE2F),
    (0xE0100, 0xE01EF),
)
"""Marks without which a word is the same word. Those of other scripts are vowels, or
make another letter of one: ビ is not ヒ."""
_NUKTA = 7
"""The class of the dot below letters of India, which is often left out."""
_LAST = 0x20000
"""Behind it there are no marks but selectors, and no digits."""
_UNWRITTEN = "\u00ad\u0640\u200d"
"""A hyphen that is not seen, what fills lines of Arabic, and a joiner of letters."""
_STROKES = {"ı": "i", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ø": "o", "Ø": "o"}
"""Letters with what people take for an accent, and Unicode does not."""


def words_of(text: str) -> list[str]:
    """Return the words of a text without case and accents, in their order.

    >>> words_of("Él: 3.5 Bäume"), words_of("हिन्दी ビル")
    (['el', '3', '5', 'baume'], ['हिन्दी', 'ビ', 'ル'])
    """
    text = text[:_MOST_CHARACTERS]
    if not text.isascii():
        # half letters first, so that the marks on them can be dropped
        # one sign can stand for eighteen letters: what they become is cut again
        bare = normalized("NFKD", text)[:_MOST_CHARACTERS].translate(_plain())
        text = normalized("NFC", bare)
    found = word_pattern().findall(text.casefold())[:MOST_WORDS]
    return [word[:_LONGEST_WORD] for word in found]


def is_unspaced(word: str) -> bool:
    """Return whether a word is a character of a script without spaces.

    >>> is_unspaced("東"), is_unspaced("tokyo")
    (True, False)
    """
    return any(low <= ord(word[:1] or " ") <= high for low, high in _UNSPACED)


@cache
def word_pattern() -> re.Pattern[str]:
    """Return what finds the words of a text, as it was written or as it is searched."""
    marks, unspaced = _class(_marks()), _class(_letters(_UNSPACED))
    every = _class(_numbers(_UNSPACED))
    spaced = rf"[^\W_{every}]"
    return re.compile(
        rf"[{unspaced}][{marks}]*|{spaced}+(?:[{marks}]+{spaced}*)*",
    )


@cache
def _plain() -> dict[int, str | None]:
    """Return what becomes of characters that are not what they are searched by."""
    accents = set(_numbers(_ACCENTS))
    table: dict[int, str | None] = {ord(one): None for one in _UNWRITTEN}
    table |= {ord(one): plain for one, plain in _STROKES.items()}
    for number in _marks():
        if number in accents or unicodedata.combining(chr(number)) == _NUKTA:
            table[number] = None
    for number in range(0x80, _LAST):
        digit = unicodedata.decimal(chr(number), None)
        if digit is not None:
            table[number] = str(digit)
    return table


@cache
def _marks() -> tuple[int, ...]:
    every = chain(range(0x300, _LAST), range(0xE0100, 0xE01F0))
    return tuple(n for n in every if unicodedata.category(chr(n)).startswith("M"))


def _numbers(ranges: Iterable[tuple[int, int]]) -> list[int]:
    return list(chain.from_iterable(range(low, high + 1) for low, high in ranges))


def _letters(ranges: Iterable[tuple[int, int]]) -> list[int]:
    return [number for number in _numbers(ranges) if chr(number).isalnum()]


def _class(numbers: Iterable[int]) -> str:
    """Return characters as ranges for a pattern."""
    known = sorted(numbers)
    there = set(known)
    starts = [n for n in known if n - 1 not in there]
    ends = [n for n in known if n + 1 not in there]
    pairs = zip(starts, ends, strict=True)
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in pairs)
