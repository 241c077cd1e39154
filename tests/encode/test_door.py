from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from ustory.core.errors import ConfigError
from ustory.encode.door import MAX_CHARACTERS, to_plain_text, to_unit_rows

tables = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.floats(allow_nan=False, allow_infinity=False),
)


@given(tables)
def test_every_row_leaves_at_length_one_in_float16(rows: NDArray[np.float64]) -> None:
    unit = to_unit_rows(rows)

    assert unit.dtype == np.float16
    assert unit.shape == rows.shape
    lengths = np.linalg.norm(unit.astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-3)


@given(tables)
def test_a_row_does_not_depend_on_the_rows_around_it(rows: NDArray[np.float64]) -> None:
    together = to_unit_rows(rows)
    alone = np.concatenate([to_unit_rows(row[None]) for row in rows])

    np.testing.assert_array_equal(together, alone)


def test_the_memory_layout_of_the_rows_does_not_matter() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 64)).astype(np.float32)

    np.testing.assert_array_equal(
        to_unit_rows(np.asfortranarray(rows)), to_unit_rows(rows)
    )


def test_a_row_of_zeros_becomes_the_first_axis() -> None:
    assert to_unit_rows(np.zeros((2, 3))).tolist() == [[1.0, 0.0, 0.0]] * 2


def test_no_rows_leave_as_no_rows() -> None:
    assert to_unit_rows(np.zeros((0, 7), dtype=np.float32)).shape == (0, 7)


def test_the_given_rows_are_left_as_they_were() -> None:
    rows = np.array([[0.0, 0.0], [3.0, 4.0]])

    to_unit_rows(rows)

    assert rows.tolist() == [[0.0, 0.0], [3.0, 4.0]]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_not_finite_is_refused_by_its_place(value: float) -> None:
    with pytest.raises(ConfigError, match=r"sentence 1 of 2"):
        to_unit_rows(np.array([[1.0, 0.0], [value, 0.0]]))


@pytest.mark.parametrize("shape", [(3,), (2, 0), (1, 2, 3)])
def test_what_is_not_a_table_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match="one row per sentence"):
        to_unit_rows(np.ones(shape))


@given(st.lists(st.text(st.characters())))
def test_plain_text_is_always_utf8(sentences: list[str]) -> None:
    plain = to_plain_text(sentences)

    assert [text.encode("utf-8").decode("utf-8") for text in plain] == plain


def test_sound_text_is_left_alone_and_a_runaway_sentence_is_cut() -> None:
    assert to_plain_text(["Zürich 🙂", "x" * (MAX_CHARACTERS + 5)]) == [
        "Zürich 🙂",
        "x" * MAX_CHARACTERS,
    ]
