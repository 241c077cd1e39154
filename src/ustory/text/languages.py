"""Language tags as they are sent, and the few languages that are held in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

DEFAULT_LANGUAGE = "en"
"""Of an article that does not say which it is in."""
UNKNOWN = "und"
"""What a tag stands for that names no language; the tag is that of BCP 47."""
MAX_LOADED = 6
"""Languages whose dictionaries are in memory; the one used longest ago goes first."""
_LONGEST = 8
_NUMBERED = 3
"""Letters of the longest tag that has a number of its own: each fits into 15 bits."""

_Held = TypeVar("_Held")


def language_of(tag: str | None) -> str:
    """Return the language of a tag, without its country or script.

    >>> language_of("de-CH"), language_of("PT_br"), language_of(None)
    ('de', 'pt', 'en')
    >>> language_of("no language at all")
    'und'
    """
    if not tag:
        return DEFAULT_LANGUAGE
    name = tag.strip().replace("_", "-").partition("-")[0].lower()
    fits = 1 < len(name) <= _LONGEST and name.isascii() and name.isalpha()
    return name if fits else UNKNOWN


def language_number(tag: str | None) -> int:
    """Return a number for the language of a tag, 0 for one of unusual length.

    >>> language_number("en"), language_number("en-GB"), language_number("xxxx")
    (149, 149, 0)
    """
    name = language_of(tag)
    if len(name) > _NUMBERED:
        return 0
    number = 0
    for letter in name:
        number = number * 27 + ord(letter) - ord("a") + 1
    return number


class LoadedLanguages(Generic[_Held]):
    """What was made for the languages used last. Mutable, for any thread.

    What is dropped is made again when it is needed: it may cost time, and must never
    change a result. One is made at a time, and those that are held can be used
    meanwhile. The default language is dropped for no other.
    """

    def __init__(self, make: Callable[[str], _Held], most: int = MAX_LOADED) -> None:
        self._make = make
        self._most = most
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._lock = Lock()
        self._making = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, language: str) -> _Held:
        """Return what belongs to a language, made now where it is not held."""
        found = self._found(language)
        if found:
            return found[0]
        with self._making:
            found = self._found(language)  # another thread may have made it
            if found:
                return found[0]
            with self._lock:
                while len(self._held) >= self._most:  # first, or both are in memory
                    others = (each for each in self._held if each != DEFAULT_LANGUAGE)
                    del self._held[next(others, DEFAULT_LANGUAGE)]
            made = self._make(language)
            with self._lock:
                self._held[language] = made
            return made

    def _found(self, language: str) -> tuple[_Held] | None:
        """Return what is held for a language, which was used last from now on."""
        with self._lock:
            if language not in self._held:
                return None
            self._held.move_to_end(language)
            return (self._held[language],)
