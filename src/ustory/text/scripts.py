"""Scripts: how many letters of a text are in each, and who writes with it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from ustory.core.arrays import Indices

LATIN, KANA, HAN = "Latin", "Kana", "Han"

# the first letter of each range, in order; "" is what is no letter or in no list
_RANGES = (
    (0x00, ""), (0x41, LATIN), (0x5B, ""), (0x61, LATIN), (0x7B, ""), (0xAA, LATIN),
    (0xAB, ""), (0xBA, LATIN), (0xBB, ""), (0xC0, LATIN), (0xD7, ""), (0xD8, LATIN),
    (0xF7, ""), (0xF8, LATIN), (0x2B0, ""), (0x370, "Greek"), (0x400, "Cyrillic"),
    (0x531, "Armenian"), (0x590, "Hebrew"), (0x600, "Arabic"), (0x700, ""),
    (0x750, "Arabic"), (0x780, ""), (0x8A0, "Arabic"), (0x900, "Devanagari"),
    (0x980, "Bengali"), (0xA00, "Gurmukhi"), (0xA80, "Gujarati"), (0xB00, "Odia"),
    (0xB80, "Tamil"), (0xC00, "Telugu"), (0xC80, "Kannada"), (0xD00, "Malayalam"),
    (0xD80, "Sinhala"), (0xE00, "Thai"), (0xE80, "Lao"), (0xF00, "Tibetan"),
    (0x1000, "Myanmar"), (0x10A0, "Georgian"), (0x1100, "Hangul"),
    (0x1200, "Ethiopic"), (0x13A0, ""), (0x1780, "Khmer"), (0x1800, ""),
    (0x1C90, "Georgian"), (0x1CC0, ""), (0x1E00, LATIN), (0x1F00, "Greek"),
    (0x2000, ""), (0x3005, HAN), (0x3006, ""), (0x3041, KANA), (0x3097, ""),
    (0x30A1, KANA), (0x30FB, ""), (0x30FC, KANA), (0x3100, ""), (0x3131, "Hangul"),
    (0x3190, ""), (0x31F0, KANA), (0x3200, ""), (0x3400, HAN), (0x4DC0, ""),
    (0x4E00, HAN), (0xA000, ""), (0xAC00, "Hangul"), (0xD7B0, ""), (0xF900, HAN),
    (0xFB00, LATIN), (0xFB07, ""), (0xFB1D, "Hebrew"), (0xFB50, "Arabic"),
    (0xFE00, ""), (0xFE70, "Arabic"), (0xFEFF, ""), (0xFF21, LATIN), (0xFF3B, ""),
    (0xFF41, LATIN), (0xFF5B, ""), (0xFF66, KANA), (0xFFA0, ""), (0x20000, HAN),
    (0x40000, ""),
)  # fmt: skip
_FIRST = np.array([first for first, _ in _RANGES], np.uint32)
_NAMES = sorted({name for _, name in _RANGES})
_NUMBER = np.array([_NAMES.index(name) for _, name in _RANGES])

_WEIGHTS = {HAN: 3, KANA: 2, "Hangul": 2}
"""Letters of an alphabet that a letter counts as: one of these says more."""

_LANGUAGES = {
    "Arabic": "ar fa ur ps ug sd ckb ku",
    "Armenian": "hy",
    "Bengali": "bn as",
    "Cyrillic": "ru uk be bg mk sr kk ky mn tg tt ba az uz",
    "Devanagari": "hi mr ne",
    "Ethiopic": "am ti",
    "Georgian": "ka",
    "Greek": "el",
    "Gujarati": "gu",
    "Gurmukhi": "pa",
    HAN: "zh ja ko yue",
    "Hangul": "ko",
    "Hebrew": "he yi",
    KANA: "ja",
    "Kannada": "kn",
    "Khmer": "km",
    "Lao": "lo",
    "Malayalam": "ml",
    "Myanmar": "my",
    "Odia": "or",
    "Sinhala": "si",
    "Tamil": "ta",
    "Telugu": "te",
    "Thai": "th",
    "Tibetan": "bo dz",
}
_ALSO_LATIN = frozenset(["az", "ku", "sr", "tg", "tt", "ug", "uz"])
LANGUAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {script: tuple(names.split()) for script, names in _LANGUAGES.items()}
)
"""Languages that are written in each script but the Latin one, the commonest first."""
_ELSEWHERE = frozenset(n for names in LANGUAGES.values() for n in names) - _ALSO_LATIN


def in_script(text: str, script: str) -> str:
    """Return a text with a space for each letter of another script.

    >>> in_script("Кличко spoke in Kyiv", "Latin")
    '       spoke in Kyiv'
    """
    kept = (_NAMES.index(""), _NAMES.index(script))
    return "".join(
        sign if number in kept else " "
        for sign, number in zip(text, _numbers(text).tolist(), strict=True)
    )


def letters_by_script(text: str) -> dict[str, int]:
    """Return how many letters of a text are in each script.

    Each counts as the letters of an alphabet that say as much.

    >>> letters_by_script("Kyiv: Київ, 東京 2024")
    {'Cyrillic': 4, 'Han': 6, 'Latin': 4}
    """
    counts = np.bincount(_numbers(text), minlength=len(_NAMES)).tolist()
    found = zip(_NAMES, counts, strict=True)
    return {name: n * _WEIGHTS.get(name, 1) for name, n in found if name and n}


def _numbers(text: str) -> Indices:
    """Return the number of the script of each character."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    found: Indices = _NUMBER[np.searchsorted(_FIRST, codes, side="right") - 1]
    return found


def is_written_in(lang: str, script: str) -> bool:
    """Say whether a language may be written in a script; others use the Latin one.

    >>> is_written_in("ru", "Cyrillic"), is_written_in("en", "Cyrillic")
    (True, False)
    >>> is_written_in("xx", "Thai"), is_written_in("zh", "Latin")
    (False, False)
    """
    if script == LATIN:
        return lang not in _ELSEWHERE
    if script in (HAN, KANA) and lang == "ja":
        return True
    return lang in LANGUAGES.get(script, ())
