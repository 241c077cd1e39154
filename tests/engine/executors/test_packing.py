"""Whatever is shared arrives as it was, and its arrays lie in the block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ustory.engine.executors.packing import pack, unpack

DTYPES = ("u1", "i4", "i8", "f2", "f4", "f8")


def block_of(value: object) -> memoryview:
    return np.frombuffer(b"".join(pack(value)), dtype=np.uint8).copy().data


@st.composite
def arrays(draw: st.DrawFn) -> NDArray[Any]:
    shape = draw(st.lists(st.integers(0, 7), min_size=1, max_size=3))
    found = np.arange(np.prod(shape), dtype=draw(st.sampled_from(DTYPES)))
    found = found.reshape(shape)
    return found[:, ::2] if draw(st.booleans()) and len(shape) > 1 else found


@given(st.dictionaries(st.text(max_size=3), arrays(), max_size=6))
def test_a_value_arrives_as_it_was(value: dict[str, NDArray[Any]]) -> None:
    found = unpack(block_of(value))

    assert list(found) == list(value)
    for name, array in value.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_arrays_are_views_of_the_block_and_can_be_written_to() -> None:
    block = block_of([np.zeros(3), np.arange(5, dtype=np.int32)])

    first, second = unpack(block)
    block[:] = bytes(len(block))

    assert first.flags.writeable
    assert second.tolist() == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("value", [None, "words", {}, (1, [2.0, {"three"}])])
def test_values_without_arrays_travel_as_well(value: object) -> None:
    block = block_of(value)

    assert unpack(block) == value
