"""The words, names and outlets of a made-up archive, by their rank."""

from __future__ import annotations

from functools import cache

WORDS = 120_000
"""Different words that texts are written in."""
OUTLETS = 200
_ONSETS = (
    *("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w"),
    *("br", "st", "tr", "ch", "j"),
)
_VOWELS = ("a", "e", "i", "o", "u")
_CODAS = ("", "n", "r", "s", "l", "t", "m", "nd", "rk", "st")
_SYLLABLES = tuple(onset + vowel for onset in _ONSETS for vowel in _VOWELS)
_SHORT = len(_SYLLABLES) * len(_CODAS)
_SPREAD = 7_919
"""A prime: neighbours in rank are no neighbours in spelling."""
_KINDS = ("Post", "Times", "Herald", "News", "Courier", "Online", "Radio", "Star")


def word(rank: int) -> str:
    """Return a word by its rank: the lower, the more frequent, and the shorter.

    Every rank has a word of its own.

    >>> word(1), word(1_000), word(100_000)
    ('chest', 'baba', 'baste')
    """
    place, length, count = rank, 1, _SHORT
    while place >= count:
        place -= count
        length += 1
        count *= len(_SYLLABLES)
    place = place * _SPREAD % count
    place, coda = divmod(place, len(_CODAS))
    parts = []
    for _ in range(length):
        place, syllable = divmod(place, len(_SYLLABLES))
        parts.append(_SYLLABLES[syllable])
    return "".join(parts) + _CODAS[coda]


def is_name(rank: int) -> bool:
    """Return whether a word is a name: it is written with a capital.

    >>> is_name(3), is_name(1_003)
    (False, True)
    """
    return rank > 200 and rank % 7 == 2


@cache
def spellings() -> tuple[str, ...]:
    """Return how each word is written in a text, by rank; 0 is none."""
    words = [word(rank) for rank in range(WORDS + 1)]
    return tuple(w.capitalize() if is_name(rank) else w for rank, w in enumerate(words))


def outlet(number: int) -> str:
    """Return the name of an outlet.

    >>> outlet(1)
    'Popast Times'
    """
    return f"{word(_SHORT + 31 * number).capitalize()} {_KINDS[number % len(_KINDS)]}"


def host(number: int) -> str:
    """Return the host name of an outlet.

    >>> host(1)
    'popast-times.example'
    """
    return f"{outlet(number).lower().replace(' ', '-')}.example"
