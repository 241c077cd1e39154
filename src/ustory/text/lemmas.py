"""Words of a sentence, lower-cased, lemmatised, without the empty ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import chain
from typing import TypeVar
from weakref import WeakMethod, finalize

from simplemma.strategies import DefaultStrategy
from simplemma.strategies.dictionaries import (
    DefaultDictionaryFactory,
    DictionaryFactory,
    StreamDictionaryFactory,
)
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from ustory.core.compiled import guarded
from ustory.text.languages import DEFAULT_LANGUAGE
from ustory.text.stopwords import has_stopwords, stopwords
from ustory.text.tokenize import (
    EDGES,
    has_initials,
    has_unspaced,
    words,
)
from ustory.text.unspaced import unspaced_words

_Given = TypeVar("_Given")
_Found = TypeVar("_Found")

_CLITICS = {
    # "don't" is all clitic: "do" is a stop word, and "not" too
    "en": r"(?:^.*n't|(?:'(?:s|d|m|ll|re|ve))+)$",
    "fr": r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'"
    r"|-(?:t-)?(?:ils?|elles?|on|je|ce|ci|là)$|'s$",
    "it": r"^(?:[cdlmstv]|un|gl|(?:d|[dn]e|a|da|su|co|que)ll|quest|anch|com|dov)'|'s$",
    "ca": r"^[dlmnst]'|'s$",
}
_AFFIXES = {
    # "and", "so", and "the" with what comes before it, stuck on a word
    "ar": r"^(?:[وف]?(?:بال|كال|لل|ال)|[وف](?=\w{4}))(?=\w{2})",
    # particles: topic, subject, object, place, "of", "with", "from", "to" …
    "ko": r"(?<=[가-힣]{2})(?:에서는|으로부터|에게서|까지|부터|에서|에게|으로|이라고"
    r"|라고|이나|이며|은|는|이|가|을|를|의|에|로|와|과|도|만)$",
}
_POSSESSIVE = r"'s$"
_DICTIONARIES = {"no": "nb", "bs": "hbs", "hr": "hbs", "sr": "hbs", "fil": "tl"}
_DOTTED = ("tr", "az")
_ACRONYM = range(2, 6)
_MAX_WORD = 40
_HOPELESS = 100
"""Characters of a word that is none, whatever is taken off it."""
_MAX_WORDS = 4
_MAX_MEMO = 100_000


class Lemmatiser:
    """Maps a sentence to its lemmas in one language.

    The memo only saves time: what is dropped from it is read again.
    """

    def __init__(self, lang: str) -> None:
        self._lang = _DICTIONARIES.get(lang, lang)
        self._stop = stopwords(lang)
        self._clitic = re.compile(_CLITICS.get(lang, _POSSESSIVE), re.IGNORECASE)
        self._affix = re.compile(_AFFIXES.get(lang, "(?!)"))
        self._strategy = None
        if self._lang in SUPPORTED_LANGUAGES:
            words = _Dictionary(self._lang)
            self._strategy = DefaultStrategy(dictionary_factory=words)
            # a strategy is a circle: it would keep megabytes until it is looked for
            finalize(self, words.forget)
        self._memo = _Memo(weakly(self._read), lang)

    def of(self, sentence: str) -> list[str]:
        """Return the lemmas of `sentence`, in order, stop words left out.

        >>> Lemmatiser("en").of("The U.S. didn't sell 80,000 farmers' tools to us.")
        ['us', 'sell', '80,000', 'farmer', 'tool']
        """
        chunks = sentence.split()
        shouted = any(map(self.is_loud, chunks)) and _is_shouted(sentence, chunks)
        read = self.quiet_lemmas if shouted else self.lemmas
        return list(chain.from_iterable(map(read, chunks)))

    def lemmas(self, chunk: str) -> tuple[str, ...]:
        """Return the lemmas of a run of text without spaces."""
        if len(self._memo) > _MAX_MEMO:
            older = dict(self._memo)
            self._memo = _Memo(weakly(self._read), self._lang, older)
        return self._memo[chunk]

    def quiet_lemmas(self, chunk: str) -> tuple[str, ...]:
        """Return its lemmas in a sentence that is all in capitals."""
        return self.lemmas(chunk if has_initials(chunk) else self._lower(chunk))

    def is_loud(self, chunk: str) -> bool:
        """Say whether a run is in capitals: an acronym, or the sentence is shouted."""
        if not 1 < len(chunk) <= _MAX_WORD or not chunk.isupper():
            return False
        return chunk == chunk.strip(EDGES) and len(self.lemmas(chunk)) <= _MAX_WORDS

    def _read(self, word: str) -> tuple[str, ...]:
        """Return the lemma of a word as printed; a stop word has none."""
        if len(word) > _HOPELESS:
            return ()
        if not word.isalpha():
            word = self._clitic.sub("", word)
        name = word.removesuffix("s")
        if _is_acronym(name):
            return (name.lower(),)  # "US" is not "us", "MPs" are many an "MP"
        plain = self._lower(word)
        if plain != word:
            return self._memo[plain]
        if not 1 < len(plain) <= _MAX_WORD or plain in self._stop:
            return ()
        lemma = self._look_up(plain)
        if lemma == plain:  # it is in no dictionary
            lemma = self._affix.sub("", plain)
        return () if lemma in self._stop else (lemma,)

    def _lower(self, word: str) -> str:
        """Return a word in small letters; where the i has a dot, I has none."""
        if self._lang in _DOTTED:
            word = word.replace("İ", "i").replace("I", "ı")
        return word.lower()

    def _look_up(self, word: str) -> str:
        if self._strategy is None or (word[0].isdigit() and "-" not in word):
            return word  # a number, or 1990s; but 12-year-olds are read
        with guarded("simplemma"):
            found = self._strategy.get_lemma(word, self._lang)
        return found.lower() if found and len(found) > 1 else word


class _Memo(dict[str, tuple[str, ...]]):
    """Lemmas by run of text, so that a word is looked up in a dictionary once.

    What comes back goes over into the next memo, where this one is `older`.
    """

    def __init__(
        self,
        read: Callable[[str], tuple[str, ...]],
        lang: str,
        older: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        super().__init__()
        self._read = read
        self._lang = lang
        self._older = older or {}

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        bare = chunk.strip(EDGES)
        if bare != chunk:
            return self[bare]
        lemmas = self._older.get(chunk)
        if lemmas is None:
            lemmas = self._derive(chunk)
        # a clause without spaces will not come back: it would only fill the memory
        if len(chunk) <= _MAX_WORD and len(lemmas) <= _MAX_WORDS:
            self[chunk] = lemmas
        return lemmas

    def _derive(self, chunk: str) -> tuple[str, ...]:
        if chunk.isascii() and chunk.isalpha():
            return self._read(chunk)
        found = words(chunk)
        if found != [chunk]:
            return tuple(chain.from_iterable(map(self.__getitem__, found)))
        if has_unspaced(chunk):
            return tuple(unspaced_words(chunk, self._lang))
        return self._read(chunk)


def _is_shouted(sentence: str, chunks: list[str]) -> bool:
    """Say whether most of a sentence is in capitals, as some headlines are."""
    return 2 * sum(map(len, filter(str.isupper, chunks))) > len(sentence)


def _is_acronym(word: str) -> bool:
    return len(word) in _ACRONYM and word.isupper() and word.isalpha()


def is_read(lang: str) -> bool:
    """Say whether anything is known of a language: its words, or how it is written."""
    known = _DICTIONARIES.get(lang, lang) in SUPPORTED_LANGUAGES
    return known or lang in _CLITICS or has_stopwords(lang)


class _Dictionary(DictionaryFactory):
    """The dictionary of one language, for a strategy of its own. Mutable: it forgets.

    A shared one drops dictionaries beyond the eighth, and takes seconds to load
    one again: a stream in ten languages would stand still. Only English is unpacked;
    another language would take up to 370 MB, and takes 50 MB as it is.
    """

    __slots__ = ("_words",)

    def __init__(self, lang: str) -> None:
        plain = lang == DEFAULT_LANGUAGE
        factory = DefaultDictionaryFactory if plain else StreamDictionaryFactory
        with guarded("simplemma"):
            self._words = factory(cache_max_size=0).get_dictionary(lang)

    def get_dictionary(self, lang: str) -> Mapping[str, str]:
        """Return the dictionary; nobody asks for another language."""
        del lang
        return self._words

    def forget(self) -> None:
        """Let go of the words, for nobody will ask any more."""
        self._words = {}


def weakly(read: Callable[[_Given], _Found]) -> Callable[[_Given], _Found]:
    """Return a method that does not keep its object in memory.

    What holds a method of its own is a circle: where a language is dropped, megabytes
    would stay until somebody looks for circles.
    """
    method = WeakMethod(read)

    def call(given: _Given) -> _Found:
        alive = method()
        assert alive is not None, "whoever calls holds the object"
        return alive(given)

    return call
