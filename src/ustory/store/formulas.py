"""Cells of CSV files that no spreadsheet runs."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a formula begins with for some spreadsheet, full width forms included."""


def defused(text: str) -> str:
    """Return text for a cell; one that would be a formula gets an apostrophe.

    >>> defused("=HYPERLINK(1)"), defused("plain")
    ("'=HYPERLINK(1)", 'plain')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text
