"""Evidence by names and numbers: what carries over from one language to another."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Vector
from ustory.core.article import PreparedArticle
from ustory.core.evidence import Pairs, Reason, plain_reason
from ustory.core.extras import import_extra
from ustory.core.unicode import normalized
from ustory.links.evidence.names_scan import shared_weights

NAMES, NAMES_EVEN = 6.0, 0.04
"""Log-odds per unit of the root of the likeness of two sets of names, and the likeness
at which it is neutral."""

FEW = 3
"""Names that both articles must have: what has none in its script cannot be missed."""

MOST_NAMES = 256
"""Of one article that are kept, those that come first."""

MOST_CHARACTERS = 20_000
"""Of one article that are read for names."""

LETTERS = 5
"""Consonants of a name that are compared: endings differ from case to case."""

LONGEST = 40
"""Letters of a word that are read: what is longer is no name."""

_WORD = re.compile(
    r"[^\W\d_]+(?:['’-][^\W\d_]+)*"
    r"|\d{1,3}(?:[.,\u00a0\u202f' ]\d{3})+(?!\d)"  # 1,200, and 2024 300 is two
    r"|\d+"
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3400-\u9fff\uf900-\ufaff\u3040-\u309f]")
"""Scripts in which no letter says where a name is: nothing is taken from them."""

_SAME = str.maketrans(
    {"c": "k", "q": "k", "x": "k", "z": "s", "w": "v", "f": "v", "l": "r"}
    | {"j": "g", "b": "p", "d": "t"}
)
_TWO = (
    ("tsch", "k"),
    ("dzh", "g"),
    ("np", "mp"),
    ("sch", "s"),
    ("sh", "s"),
    ("ch", "k"),
    ("ph", "v"),
    ("th", "t"),
    ("kh", "k"),
)
_ARABIC = re.compile("[\u0600-\u06ff]")
_SPOKEN = re.compile("[^bcdfgjklmnpqrstvwxz]")
_AGAIN = re.compile(r"(.)\1+")
_VOWELS = "aeiouy"


class NameEvidence:
    """Names and numbers of two articles in two languages, across scripts.

    In one language they are words, and have been counted.
    """

    name = "carried_names"
    most = NAMES * (1 - NAMES_EVEN**0.5)

    def column(self, prepared: PreparedArticle) -> NDArray[Any] | None:
        """Return the keys of names and numbers, ascending."""
        if prepared.gist is None:
            return None
        keys = {_number(key) for key in keys_of(prepared.sentences)}
        return np.array(sorted(keys), dtype=np.int64)

    def candidates(self, columns: Sequence[NDArray[Any]], new: int) -> None:
        """Return None: a name alone links no articles."""
        del columns, new

    def log_odds(self, pairs: Pairs) -> Vector:
        """Return the log-odds by names, of pairs in two languages."""
        odds = np.zeros(len(pairs))
        columns = pairs.columns.get(self.name, ())
        across = np.flatnonzero(pairs.across)
        if not len(across) or not len(columns):
            return odds
        newer, older = pairs.newer[across], pairs.older[across]
        near, fewest = likeness(columns, newer, older)
        said = NAMES * (np.sqrt(near) - NAMES_EVEN**0.5)
        odds[across] = np.where(fewest >= FEW, said, np.maximum(said, 0.0))
        return odds

    def reason(self, odds: float) -> Reason:
        """Return what the names say."""
        return plain_reason("names", odds)


def likeness(
    columns: Sequence[NDArray[Any]], first: Indices, second: Indices
) -> tuple[Vector, Indices]:
    """Return the cosine of the names of pairs of rows, rare ones counting more.

    Beside it stands how many names the article has that has fewer.
    """
    size = np.array([len(column) for column in columns], dtype=np.int64)
    start = np.append(0, np.cumsum(size))
    keys = np.concatenate([np.zeros(0, dtype=np.int64), *columns])
    _, term, count = np.unique(keys, return_inverse=True, return_counts=True)
    weight = np.log1p(len(columns) / count)[term]
    squares = np.append(0.0, np.cumsum(weight * weight))
    length = np.sqrt(squares[start[1:]] - squares[start[:-1]])
    shared = np.empty(len(first))
    shared_weights(keys, start, weight * weight, first, second, shared)
    lengths = length[first] * length[second]
    near = np.where(lengths > 0, shared / np.maximum(lengths, 1e-12), 0.0)
    return np.minimum(near, 1.0), np.minimum(size[first], size[second])


def keys_of(sentences: Iterable[str]) -> list[str]:
    """Return what names and numbers of a text are known by, the first ones.

    A name is a word with a capital that does not begin a sentence, or any word of a
    script without capitals; a number has two digits at least.

    >>> keys_of(["Zelensky in Kyiv", "There 1,200 saw him."])
    ['srnsk', 'kv', '1200']
    >>> keys_of(["Зеленский был в Киеве"])
    ['srnsk', 'kv']
    """
    found = dict.fromkeys(_keys(sentences))  # the first to come stay
    return list(found)[:MOST_NAMES]


def _keys(sentences: Iterable[str]) -> Iterator[str]:
    left = MOST_CHARACTERS
    for number, sentence in enumerate(sentences):
        text = normalized("NFKC", sentence[:left])
        left -= len(sentence)
        for place, found in enumerate(_WORD.finditer(text)):
            word = found[0]
            if word[0].isdigit():
                digits = "".join(str(int(each)) for each in word if each.isdecimal())
                if len(digits) > 1:
                    yield digits
            # a title may begin with the name that it is about
            elif _may_be_name(word, first=place == 0 and number > 0):
                key = sounds(word[:LONGEST])
                if len(key) > 1:
                    yield key
        if left <= 0:
            return


def _may_be_name(word: str, *, first: bool) -> bool:
    if _UNSPACED.search(word):
        return False
    if word[0].isupper():
        return not first
    return not word[0].islower() and len(word) > 2  # a script without capitals


@lru_cache(maxsize=1 << 16)
def sounds(word: str) -> str:
    """Return the consonants of a name as they are about heard, in Latin letters.

    Vowels, doubled letters, endings, and letters that languages write for one another
    are left out or made one.

    >>> [sounds(each) for each in ("Zelensky", "Зеленского", "زيلينسكي")]
    ['srnsk', 'srnsk', 'srnsk']
    """
    romanised = import_extra("anyascii", "anyascii", "multilingual").anyascii(word)
    letters = romanised.casefold().replace("'", "").removesuffix("s")
    for two, one in _TWO:
        letters = letters.replace(two, one)
    if _ARABIC.search(word):  # there w and y are mostly long vowels
        letters = letters[:1] + letters[1:].replace("w", "")
    begins = "a" if letters[:1] in _VOWELS else ""
    spoken = _SPOKEN.sub("", letters).translate(_SAME)
    return begins + _AGAIN.sub(r"\1", spoken)[:LETTERS]


def _number(key: str) -> int:
    return zlib.crc32(key.encode())
