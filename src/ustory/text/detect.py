"""Which language a text is in: what its script says for sure, and a classifier."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from threading import Lock
from unicodedata import normalize

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory.text import detect_scan as scan
from ustory.text.languages import DEFAULT_LANGUAGE
from ustory.text.scripts import (
    HAN,
    KANA,
    LANGUAGES,
    LATIN,
    in_script,
    letters_by_script,
)
from ustory.text.stopwords import stopwords

READ = 400
"""Characters of an article that are read, the title first: later ones say no more."""

_LATIN = """
    af az bs ca cs cy da de en es et eu fi fr ga gl ha hr hu id ig is it lt lv ms nl no
    pl pt ro sk sl so sq sv sw tl tr uz vi xh yo zu
"""
LATIN_LANGUAGES = tuple(_LATIN.split())
"""Languages in the Latin script that news is found in. The classifier knows more, and
takes English headlines for Pidgin, Bikol and Latin."""

_KANA_SHARE = 0.08
"""Least share of kana of a Japanese text: a Chinese one may have one sign."""
_LONG_WITHOUT_KANA = 30
"""Letters from which a text without kana is hardly Japanese (ten signs)."""
_DOUBTFUL, _SURE = 0.4, 1.0
_LEAST_WORDS, _FUNCTION_SHARE = 8, 0.25
"""Words that say that a text is English, and the share that is in its stop list: of
other languages it is a tenth at most."""
_WORD = re.compile(r"[^\W\d_]+")
_NOISE = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+|[#@]\w+|\d+")
"""Addresses, names of accounts and numbers are in no language."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The language that a text seems to be in."""

    lang: str | None
    """None where it has no letters, or is in a script that is not known."""
    probability: float
    letters: int
    """Letters in its script; one that says more counts as several."""
    script: str


NOTHING = Guess(None, 0.0, 0, "")


def detect(text: str) -> Guess:
    """Return the likeliest language of a text, of which the beginning is read.

    >>> detect("Der Bürgermeister sprach nach dem Sturm mit den Menschen").lang
    'de'
    >>> detect("Мэр Киева призвал жителей остаться дома").lang
    'ru'
    >>> detect("🎉🎉🎉").lang is None
    True
    """
    read = _NOISE.sub(" ", text[:READ])
    letters = letters_by_script(read)
    if not letters:
        return NOTHING
    asian = letters.get(HAN, 0) + letters.get(KANA, 0)
    script = max(letters, key=lambda name: (letters[name], name))
    if asian >= letters[script]:
        return _chinese_or_japanese(letters.get(HAN, 0), letters.get(KANA, 0))
    among = LATIN_LANGUAGES if script == LATIN else LANGUAGES[script]
    if len(among) == 1:
        return Guess(among[0], _SURE, letters[script], script)
    if len(letters) > 1:
        read = in_script(read, script)  # a name says nothing of what is around it
    lang, probability = _classifier().likeliest(read, among)
    return Guess(lang, probability, letters[script], script)


def reads_as_default(text: str) -> bool:
    """Say whether a text is surely English: then nothing else has to be asked.

    >>> reads_as_default("The mayor has said that it will be open for all of us")
    True
    >>> reads_as_default("Der Bürgermeister sagte, dass es für uns alle offen ist")
    False
    """
    words = _WORD.findall(text[:READ].lower())
    known = sum(map(stopwords(DEFAULT_LANGUAGE).__contains__, words))
    return len(words) >= _LEAST_WORDS and known >= _FUNCTION_SHARE * len(words)


def _chinese_or_japanese(han: int, kana: int) -> Guess:
    if kana:
        probability = _SURE if kana >= _KANA_SHARE * (han + kana) else _DOUBTFUL
        return Guess("ja", probability, han + kana, KANA)
    probability = _SURE if han >= _LONG_WITHOUT_KANA else _DOUBTFUL
    return Guess("zh", probability, han, HAN)


class _Classifier:
    """py3langid's model, asked among some languages. Safe among threads.

    Sums are made one by one, in the order of the text, so that they do not depend
    on the number of threads.
    """

    def __init__(self) -> None:
        # its model is unpacked when a text first needs it: 0.5 s and 60 MB
        from py3langid.langid import LanguageIdentifier  # noqa: PLC0415

        model = LanguageIdentifier.from_model_file("data/model.npz.xz")
        names: list[str] = model.nb_classes
        every = {*LATIN_LANGUAGES, *(n for some in LANGUAGES.values() for n in some)}
        kept = [place for place, name in enumerate(names) if name in every]
        self._names = [names[place] for place in kept]
        self._weights = np.ascontiguousarray(model.nb_ptc[:, kept])
        self._prior = np.asarray(model.nb_pc[kept], np.float64)
        self._rows = np.frombuffer(model.tk_nextmove, np.uint32)
        self._row_of = np.array(model.tk_row, np.uint32)
        self._feature_of = np.array(model.tk_output, np.int32)
        self._seen = np.zeros(len(self._weights), np.int32)
        self._lock = Lock()

    def likeliest(self, text: str, among: tuple[str, ...]) -> tuple[str | None, float]:
        """Return the likeliest of some languages, and how likely it is of them."""
        columns = self._columns(among)
        if not len(columns):
            return among[0], _DOUBTFUL
        plain = normalize("NFC", text.lower() if text.isupper() else text)
        read = np.frombuffer(plain.encode("utf-8", "replace"), np.uint8)
        with self._lock:
            found, times = scan.features(
                read, self._rows, self._row_of, self._feature_of, self._seen
            )
        if not len(found):
            return None, 0.0
        scores = self._scores(found, times, columns)
        # scores grow with the text, and so does what is repeated in it
        odds = np.exp((scores - scores.max()) / np.sqrt(len(read)))
        best = int(odds.argmax())
        return self._names[columns[best]], float(odds[best] / odds.sum())

    def _columns(self, among: tuple[str, ...]) -> Indices:
        places = [i for i, name in enumerate(self._names) if name in among]
        return np.array(places, dtype=np.int64)

    def _scores(self, found: Indices, times: Vector, columns: Indices) -> Vector:
        weights = self._weights[found][:, columns].astype(np.float64)
        sums: Vector = (np.log1p(times)[:, None] * weights).sum(axis=0)
        return sums + self._prior[columns]


@cache
def _classifier() -> _Classifier:
    return _Classifier()
