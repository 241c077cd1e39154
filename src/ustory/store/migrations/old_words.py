"""The words of texts as releases before schema 0016 searched them; never changed."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache

from ustory.core.unicode import normalized

_MOST_WORDS, _MOST_TITLE_WORDS, _LONGEST_WORD, _GAP = 16_000, 500, 64, 2
_MOST_CHARACTERS = 300_000
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def old_words(text: str) -> list[str]:
    """Return the words of a text: without any mark, those that are vowels included."""
    text = text[:_MOST_CHARACTERS]
    if not text.isascii():
        bare = normalized("NFKD", text)[:_MOST_CHARACTERS].translate(_marks())
        text = normalized("NFC", bare)
    found = _WORD.findall(text.casefold())[:_MOST_WORDS]
    return [word[:_LONGEST_WORD] for word in found]


def old_document(title: str, text: str) -> tuple[list[str], list[str]]:
    """Return the words of title and text that the search of schema 0011 held."""
    words = old_words(text)[: _MOST_WORDS - _MOST_TITLE_WORDS - _GAP]
    return old_words(title)[:_MOST_TITLE_WORDS], words


def old_vectors(title: list[str], words: list[str]) -> tuple[str, str]:
    """Return the words of the title, and all, as PostgreSQL writes a tsvector."""
    placed = list(enumerate(title, start=1))
    behind = len(title) + _GAP
    return _vector(placed), _vector([*placed, *enumerate(words, start=behind)])


def _vector(placed: list[tuple[int, str]]) -> str:
    places: dict[str, list[int]] = {}
    for place, word in placed:
        places.setdefault(word, []).append(place)
    return " ".join(f"'{w}':{','.join(map(str, at[:255]))}" for w, at in places.items())


@cache
def _marks() -> dict[int, None]:
    every = range(sys.maxunicode + 1)
    return {n: None for n in every if unicodedata.category(chr(n)).startswith("M")}
