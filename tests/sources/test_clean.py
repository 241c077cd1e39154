"""Strings are cleaned of what no reader should meet."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.sources.records.clean import clean, one_line

any_text = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("a\x00b\x1b\x7f\x9fc", "abc"),
        ("a\ud800b\udfff", "ab"),
        ("a\r\nb\rc\x85d\u2028e", "a\nb\nc\nd\ne"),
        ("tab\tstays", "tab\tstays"),
        ("\ufeff\u200b text \u3000\n", "text"),
        ("e\u0301", "\u00e9"),
        ("😀 你好", "😀 你好"),
    ],
)
def test_a_text_keeps_what_can_be_read(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(any_text)
def test_a_clean_text_is_normal_printable_and_stays_as_it_is(raw: str) -> None:
    cleaned = clean(raw)

    assert unicodedata.is_normalized("NFC", cleaned)
    assert not {unicodedata.category(char) for char in cleaned} & {"Cs"}
    assert not [
        c for c in cleaned if unicodedata.category(c) == "Cc" and c not in "\n\t"
    ]
    assert clean(cleaned) == cleaned


@given(any_text)
def test_a_line_has_no_line_break_and_no_double_space(raw: str) -> None:
    line = one_line(raw)

    assert len(line.splitlines()) <= 1
    assert "  " not in line


def test_a_tower_of_accents_takes_no_time_and_leaves_other_text_alone() -> None:
    tower = "a" + "\u0301" * 100_000 + "\u0316" * 100_000
    start = time.perf_counter()

    cleaned = clean(f"{tower} and {'文' * 400}が")

    assert time.perf_counter() - start < 5  # unguarded: over a minute
    assert len(cleaned) < 500
    assert cleaned.endswith("文" * 400 + "が")
