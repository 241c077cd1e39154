"""Normal forms: those of the library, in linear time."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.growth import check_growth

from ustory.core.unicode import _PIECE, MAX_MARKS, normalized

_SWAPPED = "\u0301\u0323"
"""Two marks that a normal form puts into the other order."""


@given(st.text(max_size=60), st.sampled_from(["NFC", "NFKC", "NFKD"]))
def test_text_without_long_runs_of_marks_has_the_normal_form_of_the_library(
    text: str, form: Literal["NFC", "NFKC", "NFKD"]
) -> None:
    assert normalized(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", ["NFC", "NFKC", "NFKD"])
def test_a_run_of_marks_takes_linear_time(
    form: Literal["NFC", "NFKC", "NFKD"],
) -> None:
    check_growth(
        lambda text: normalized(form, text), lambda n: "a" + _SWAPPED * (n // 2)
    )


def test_of_a_long_run_of_marks_the_first_stay() -> None:
    text = normalized("NFKD", "a" + _SWAPPED * 500 + "b")
    assert text[0] == "a"
    assert text[-1] == "b"
    assert len(text) == MAX_MARKS + 2


def test_signs_that_become_marks_when_taken_apart_take_linear_time() -> None:
    check_growth(
        lambda text: normalized("NFC", text), lambda n: "a" + "\u0f73" * (n // 3)
    )


@given(st.integers(0, 2 * MAX_MARKS), st.integers(-2 * MAX_MARKS, 2))
def test_a_run_that_goes_on_in_the_next_piece_is_cut_as_elsewhere(
    run: int, place: int
) -> None:
    before = "\u4e2d" * (_PIECE + place)
    text = before + "\u0327" * run + "b" + "\u0301" * (MAX_MARKS + 1)
    kept = "\u0327" * min(run, MAX_MARKS) + "b" + "\u0301" * MAX_MARKS
    assert normalized("NFC", text) == unicodedata.normalize("NFC", before + kept)
