"""Cells read as papers write them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.report import samples

from ustory_bench.report.blocks import Value
from ustory_bench.report.names import printable, safe_name
from ustory_bench.report.values import heading_of, interval_of, is_text_column, text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (0.91758, "0.918"),
        (-0.5, "−0.500"),
        (-0.0001, "0.000"),
        (2018, "2018"),
        (16136, "16,136"),
        (12345.678, "12,345.678"),
        (True, "yes"),
        ("a\nb", "a b"),
    ],
)
def test_a_value_reads_as_in_a_paper(value: float | str | None, text: str) -> None:
    assert text_of(Value(value=value)) == text


def test_digits_are_those_asked_for_and_intervals_have_the_same() -> None:
    cell = Value(value=1.25, digits=1, interval=(-0.25, 3.0))
    assert text_of(cell) == "1.2"
    assert interval_of(cell) == "[−0.2, 3.0]"


def test_words_among_numbers_do_not_make_a_column_of_words() -> None:
    table = samples.table()
    assert not any(is_text_column(table, i) for i in range(4))
    sentences = samples.sections()[1].blocks[0]
    assert [is_text_column(sentences, i) for i in (0, 1)] == [False, True]  # type: ignore[arg-type]


def test_headings_have_their_group() -> None:
    table = samples.table()
    assert [heading_of(table, i) for i in range(4)] == [
        "one B³-F1",
        "one AMI",
        "two B³-F1",
        "two AMI",
    ]


@given(st.text(), st.text())
def test_safe_names_are_safe_and_stay_apart(one: str, other: str) -> None:
    name = safe_name(one)
    assert name.isascii()
    assert name[0].isalnum()
    assert not set(name) & set('/\\:*?"<>| \0')
    assert one == other or name != safe_name(other)


@given(st.text(alphabet=st.characters()))
def test_printable_text_is_one_line_that_can_be_written(text: str) -> None:
    line = printable(text + "\ud800\x00")
    assert line.encode()
    assert len((line + "x").splitlines()) == 1
