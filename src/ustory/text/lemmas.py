"""Words of a sentence, lower-cased, lemmatised, without the empty ones."""

from __future__ import annotations

import re

import simplemma
from simplemma.strategies import DefaultStrategy

from ustory.text.stopwords import stopwords

_WORD = re.compile(r"[^\W_]+(?:[.'’‑-][^\W_]+)*")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
_POSSESSIVE = re.compile(r"['’]s?$")
_MAX_WORD = 40
_MAX_MEMO = 200_000
_ACRONYM = range(2, 6)


class Lemmatiser:
    """Maps a sentence to its lemmas in one language.

    The memo only saves time: a full one is dropped, and nothing changes.
    """

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._stop = stopwords(lang)
        self._strategy = DefaultStrategy() if _is_supported(lang) else None
        self._memo: dict[str, tuple[str, ...]] = {}

    def of(self, sentence: str) -> list[str]:
        """Return the lemmas of `sentence`, in order, stop words left out."""
        words = _WORD.findall(sentence)
        memo = self._memo
        if len(memo) > _MAX_MEMO:
            memo.clear()
        lemmas: list[str] = []
        for word in words:
            found = memo.get(word)
            if found is None:
                found = memo[word] = tuple(self._lemmas(word))
            lemmas += found
        return lemmas

    def _lemmas(self, word: str) -> list[str]:
        if _UNSPACED.search(word):
            return _character_pairs(word.lower())
        if word.isupper() and len(word) in _ACRONYM and word.isalpha():
            return [word.lower()]  # "US" is not "us", "WHO" is not "who"
        plain = _POSSESSIVE.sub("", word.lower().replace("’", "'"))
        if not 1 < len(plain) <= _MAX_WORD or plain in self._stop:
            return []
        lemma = self._lemma(plain)
        return [] if lemma in self._stop else [lemma]

    def _lemma(self, word: str) -> str:
        if self._strategy is None or not word.isalpha():
            return word
        found = self._strategy.get_lemma(word, self._lang)
        return found.lower() if found else word


def _character_pairs(word: str) -> list[str]:
    """Return overlapping pairs of characters, for scripts without spaces."""
    pairs = [word[i : i + 2] for i in range(min(len(word), 1000) - 1)]
    return pairs or [word]


def _is_supported(lang: str) -> bool:
    try:
        simplemma.lemmatize("a", lang=lang)
    except ValueError:
        return False
    return True
