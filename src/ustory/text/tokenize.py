"""Words in a run of text without spaces, whatever the script."""

from __future__ import annotations

import re

from ustory.core.unicode import normalized

EDGES = ".,;:!?…\"“”„«»'‘’()[]{}<>-–—*#@$€£%/|_"
"""Signs that are no part of a word they begin or end."""

# Thai, Lao, Burmese, Khmer, kana and Han: written without spaces between words
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3\u3005\u3007\u3040-\u30fa\u30fc-\u312f"
    "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# accents and the vowel signs of Indic scripts, which \w leaves out
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670"
_MARKS += "\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"[^\W_{_UNSPACED}]"
_PART = rf"{_LETTER}(?:{_LETTER}|[{_MARKS}])*"
# a dot also holds together a name like example.com, but not two sentences.Like these
_JOINT = r"(?:['-]|(?<=\d)[.,](?=\d)|\.(?=[a-z]))"
_WORD = re.compile(rf"[{_UNSPACED}]+|{_PART}(?:{_JOINT}{_PART})*")
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
# the last dot goes too, unless a new sentence follows it without a space
_INITIALS = re.compile(r"(?<!\w)[^\W\d_](?:\.[^\W\d_](?!\w))+(?:\.(?!\w))?")
_ADDRESS = re.compile(r"(?:https?://|www\.)[!-~]+")


def _printed_differently() -> dict[int, str | None]:
    """Map what is written in several ways to one: quotes, hyphens, vowel points."""
    table: dict[int, str | None] = {
        **dict.fromkeys(map(ord, "’‘ʼ＇"), "'"),
        **dict.fromkeys(map(ord, "‐‑"), "-"),
        # "3½" is not 31/2, and a zero-width space is still a space
        **dict.fromkeys(map(ord, "¼½¾⅓⅔⅛⅜⅝⅞\u200b"), " "),
    }
    invisible = (
        (0xAD, 0xAD), (0x200C, 0x200F), (0x202A, 0x202E), (0x2060, 0x2069),
        (0xFEFF, 0xFEFF), (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2),
        (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670),
    )  # fmt: skip
    for first, last in invisible:
        table.update(dict.fromkeys(range(first, last + 1)))
    return table


_ONE_WAY = _printed_differently()


def words(chunk: str) -> list[str]:
    """Return the words of `chunk` as printed, in order, without punctuation.

    Numbers, hyphenated words and web names stay whole; initials lose their
    dots, so that U.S. and US are one word; web addresses are left out.

    >>> words("(U.S.-backed,")
    ['US-backed']
    >>> words("80,000–90,000")
    ['80,000', '90,000']
    """
    if not chunk.isascii():
        chunk = normalized("NFKC", chunk.translate(_ONE_WAY))
    if "." in chunk:
        chunk = _INITIALS.sub(_without_dots, _ADDRESS.sub(" ", chunk))
    return _WORD.findall(chunk)


def has_initials(chunk: str) -> bool:
    """Say whether `chunk` has initials written with dots, like U.S. or J.F.K."""
    return _INITIALS.search(chunk) is not None


def has_unspaced(text: str) -> bool:
    """Say whether any of `text` is in a script without spaces between words."""
    return _HAS_UNSPACED.search(text) is not None


def character_pairs(word: str) -> list[str]:
    """Return overlapping pairs of characters: words, nearly, where none are marked.

    >>> character_pairs("北京大学")
    ['北京', '京大', '大学']
    """
    return [word[at : at + 2] for at in range(len(word) - 1)] or [word]


def _without_dots(found: re.Match[str]) -> str:
    return found[0].replace(".", "")
