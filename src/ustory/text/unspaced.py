"""Words, nearly, of runs of text in scripts that have no spaces between words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, pairwise
from unicodedata import normalize

from ustory.text.stopwords import stopwords
from ustory.text.tokenize import character_pairs

_HAN = "\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA_RUNS = re.compile(f"[\u30a1-\u30fa\u30fc]+|[{_HAN}]+")
"""Runs of katakana, and of Han; between them, in hiragana, is mostly grammar."""
_KANA = re.compile("[\u3041-\u30fa]")
_HAN_RUN = re.compile(f"[{_HAN}]+")
_LEADING = "\u0e40-\u0e44\u0ec0-\u0ec4"
_DEPENDENT = (
    "\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3"
)
_CLUSTER = re.compile(f"[{_LEADING}]?.(?:[{_DEPENDENT}]|\u17d2.)*")
"""A letter with the vowels and tones that are written around it."""


def unspaced_words(run: str, lang: str) -> list[str]:
    r"""Return what stands for the words of a run of letters without spaces.

    Han characters are read in pairs, in Chinese between function words; katakana runs
    are words, and hiragana is left out; of Thai and its like, pairs of letters with
    their vowels are read.

    >>> unspaced_words("中国的经济", "zh"), unspaced_words("首都キーウに攻撃", "ja")
    (['中国', '经济'], ['首都', 'キーウ', '攻撃'])
    """
    if _KANA.search(run):
        found = _KANA_RUNS.findall(run)
        words = list(chain.from_iterable(map(_japanese, found)))
        # a word that is written in hiragana alone: it may be a name
        return _without_stops(words, lang) if found else [run]
    if lang == "zh":
        parts = (part for part in _breaks(lang).split(run) if len(part) > 1)
        return _without_stops(chain.from_iterable(map(character_pairs, parts)), lang)
    if _HAN_RUN.fullmatch(run):
        return _without_stops(character_pairs(run), lang)
    pieces = _breaks(lang).split(run) if stopwords(lang) else [run]
    return list(chain.from_iterable(map(_cluster_pairs, pieces)))


def _japanese(run: str) -> list[str]:
    """Return a run of katakana whole, and of Han in pairs; single signs say little."""
    if _KANA.search(run):
        return [run] if len(run) > 1 else []
    return character_pairs(run) if len(run) > 1 else []


def _cluster_pairs(run: str) -> Iterator[str]:
    clusters = _CLUSTER.findall(run)
    if len(clusters) == 1 and len(run) > 1:
        yield run
    for first, second in pairwise(clusters):
        yield first + second


def _without_stops(words: Iterable[str], lang: str) -> list[str]:
    stop = stopwords(lang)
    return [word for word in words if word not in stop]


@cache
def _breaks(lang: str) -> re.Pattern[str]:
    """Return what parts words: function words, the longest first."""
    words = sorted(stopwords(lang), key=lambda word: (-len(word), word))
    return re.compile("|".join(re.escape(normalize("NFKC", word)) for word in words))
