"""Evidence by names and numbers: what carries over from one language to another."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Indices, Vector
from ustory.core.article import PreparedArticle
from ustory.core.evidence import KeyCounts, Pairs, Reason, plain_reason
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
    r"|\d{1,3}(?:[.,\u00a0\u202f' ]\d{3}){1,4}(?!\d)"  # 1,200, and 2024 300 is two
    r"|\d+"
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u3400-\u9fff\uf900-\ufaff\u3040-\u309f]")
"""Scripts in which no letter says where a name is: nothing is taken from them."""

_SAME = str.maketrans(
    {"c": "k", "q": "k", "x": "k", "z": "s", "w": "v", "f": "v"} | {"j": "g"}
)
_TOGETHER = (
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
_ONE_FOR_TWO = (
    (_ARABIC, "b", "p"),
    (re.compile("[\u30a0-\u30ff\uac00-\ud7af]"), "r", "l"),
)
"""Scripts in which one letter stands for two: the one that is read, and the other."""
_ALIKE = str.maketrans({"l": "r", "b": "p", "d": "t"})
_FEW_LETTERS = 3
"""Consonants of a name up to which it is short."""
_SHORT = 6
"""Letters of a name up to which its last s is part of it, as in Paris."""
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
        if not len(across) or not len(columns) or pairs.names is None:
            return odds
        newer, older = pairs.newer[across], pairs.older[across]
        near, fewest = likeness(columns, newer, older, pairs.names)
        said = NAMES * (np.sqrt(near) - NAMES_EVEN**0.5)
        odds[across] = np.where(fewest >= FEW, said, np.maximum(said, 0.0))
        return odds

    def reason(self, odds: float) -> Reason:
        """Return what the names say."""
        return plain_reason("names", odds)


def name_counts(articles: Sequence[Mapping[str, NDArray[Any]]]) -> KeyCounts:
    """Return how common names are in a window, by the columns of its articles."""
    none = np.zeros(0, dtype=np.int64)
    return KeyCounts.of([each.get(NameEvidence.name, none) for each in articles])


def likeness(
    columns: Sequence[NDArray[Any]], first: Indices, second: Indices, known: KeyCounts
) -> tuple[Vector, Indices]:
    """Return the cosine of the names of pairs of rows, rare ones counting more.

    Beside it stands how many names the article has that has fewer.
    """
    rows, place = np.unique(np.append(first, second), return_inverse=True)
    one, other = place[: len(first)], place[len(first) :]
    kept = [columns[row] for row in rows.tolist()]
    size = np.array([len(column) for column in kept], dtype=np.int64)
    start = np.append(0, np.cumsum(size))
    keys = np.concatenate([np.zeros(0, dtype=np.int64), *kept])
    weight = known.weight(keys)
    squares = np.append(0.0, np.cumsum(weight * weight))
    length = np.sqrt(squares[start[1:]] - squares[start[:-1]])
    shared = np.empty(len(first))
    shared_weights(keys, start, weight * weight, one, other, shared)
    lengths = length[one] * length[other]
    near = np.where(lengths > 0, shared / np.maximum(lengths, 1e-12), 0.0)
    return np.minimum(near, 1.0), np.minimum(size[one], size[other])


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
                yield from (key for key in sounds(word[:LONGEST]) if len(key) > 1)
        if left <= 0:
            return


def _may_be_name(word: str, *, first: bool) -> bool:
    if _UNSPACED.search(word):
        return False
    if word[0].isupper():
        return not first
    return not word[0].islower() and len(word) > 2  # a script without capitals


@lru_cache(maxsize=1 << 16)
def sounds(word: str) -> tuple[str, ...]:
    """Return the consonants of a name as they are about heard, in Latin letters.

    Vowels, doubled letters, endings, and letters that languages write for one another
    are left out or made one: b and p, d and t, l and r in long names alone, for of
    short ones little is left. There a script that has one letter for two gives two
    keys.

    >>> [sounds(each) for each in ("Zelensky", "Зеленского", "زيلينسكي")]
    [('srnsk',), ('srnsk',), ('srnsk',)]
    >>> sounds("Biden"), sounds("Putin"), sounds("بوتين")
    (('bdn',), ('ptn',), ('btn', 'ptn'))
    """
    romanised = import_extra("anyascii", "anyascii", "multilingual").anyascii(word)
    letters = romanised.casefold().replace("'", "")
    if len(letters) > _SHORT:
        letters = letters.removesuffix("s")
    for some, one in _TOGETHER:
        letters = letters.replace(some, one)
    if _ARABIC.search(word):  # there w and y are mostly long vowels
        letters = letters[:1] + letters[1:].replace("w", "")
    begins = "a" if letters[:1] in _VOWELS else ""
    spoken = _SPOKEN.sub("", letters).translate(_SAME)
    heard = _AGAIN.sub(r"\1", spoken)
    if len(heard) > _FEW_LETTERS:
        return (begins + _AGAIN.sub(r"\1", heard.translate(_ALIKE))[:LETTERS],)
    key = begins + heard
    for script, written, meant in _ONE_FOR_TWO:
        if script.search(word) and written in key:
            return key, key.replace(written, meant)
    return (key,)


def _number(key: str) -> int:
    return zlib.crc32(key.encode())
