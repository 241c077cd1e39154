"""Names that are safe: as text, as a file's name, as an anchor of a page."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_OTHER = re.compile(r"[^A-Za-z0-9]+")
_LENGTH = 60
_NONE = {"Cc", "Cs"}
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Return the text on one line, without what no page or file can hold."""
    return clean(" ".join(text.split()))


def clean(text: str) -> str:
    """Return the text with signs instead of what no page or file can hold.

    Control characters and halves of surrogate pairs can come with any name that
    was read from a file; neither HTML, LaTeX nor UTF-8 has a place for them.
    """
    return "".join(
        _REPLACEMENT if c not in "\n\t" and unicodedata.category(c) in _NONE else c
        for c in text
    )


def safe_name(name: str) -> str:
    """Return what stands for an id in file names and anchors; mostly the id itself.

    An id with other characters than letters, digits, dots and dashes is reduced to
    these, with a digest that keeps it apart from others that look the same.

    >>> safe_name("table2-windowed")
    'table2-windowed'
    >>> safe_name("../a b")
    'a-b-2c2c791a'
    """
    if _SAFE.fullmatch(name) and not name.endswith("."):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    readable = _OTHER.sub("-", name).strip("-")[:_LENGTH].strip("-")
    return f"{readable}-{digest}" if readable else f"x-{digest}"
