"""Memory that compiled loops read and write in place."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
from numba.extending import intrinsic
from numpy.typing import NDArray

from ustory.core.arrays import Counts, Indices, Matrix, Vector
from ustory.core.kernels import carray, njit, types

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
# mypy: disable-error-code="attr-defined, call-arg"
# ruff: noqa: ANN001, ANN201, ANN202


_INT, _FLOAT = np.dtype(np.int32), np.dtype(np.float32)

ENTRIES, TERMS, TF, CELLS, SENTENCE, COUNT, SENTENCES, VECTORS = range(8)
"""What each column of a row of buffers is: a number of things or an address."""


def row_of(terms: Indices, tf: Counts) -> tuple[int, int, int]:
    """Return the number of terms, and the addresses of the terms and their tf.

    The caller must keep the arrays alive while it uses the addresses. Loops read as
    many tf as there are terms, so arrays of unequal length are refused.
    """
    _refuse_other(_INT, terms, tf)
    if len(terms) != len(tf):
        raise ValueError(f"{len(terms)} terms cannot have {len(tf)} frequencies")
    return (len(terms), *_two(terms, tf))


def article_row_of(columns: Sequence[Indices], vectors: Matrix) -> tuple[int, ...]:
    """Return the row of buffers of an article; `ENTRIES` to `VECTORS` are its columns.

    Arrays whose lengths do not agree are refused, because loops do not check them.
    """
    try:
        row: tuple[int, ...] = _compiled_row()(*columns, vectors)
    except TypeError:
        _refuse_other(_INT, *columns)
        _refuse_other(_FLOAT, vectors)
        raise
    return row


def reduce_by_init(one: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any dataclass
    """Return how pickle rebuilds a dataclass: through `__init__`, with new addresses.

    `__setstate__` does not work: Python before 3.11.4 replaces it in dataclasses
    with slots.
    """
    given = {each.name: getattr(one, each.name) for each in fields(one) if each.init}
    return _made, (type(one), given)


def _made(kind: type[Any], given: dict[str, Any]) -> Any:  # noqa: ANN401
    return kind(**given)


def _refuse_other(dtype: np.dtype[Any], *arrays: NDArray[Any]) -> None:
    for array in arrays:
        if array.dtype != dtype or not array.flags.c_contiguous:
            raise TypeError(
                f"compiled loops read contiguous {dtype} arrays, got {array.dtype} "
                f"with strides {array.strides}"
            )


@njit(cache=True)
def _two(a, b):
    return (a.ctypes.data, b.ctypes.data)


_INTS, _FLOATS = types.int32[::1], types.float32[:, ::1]


@cache
def _compiled_row() -> Any:  # noqa: ANN401 - numba names no types
    """Return `_article_row`, compiled at the first call: importing must not wait.

    The types are explicit: other arrays are refused instead of compiled for.
    """
    types_of = types.UniTuple(types.int64, 8)(*[_INTS] * 5, _FLOATS)
    return njit(types_of, cache=True)(_article_row)


def _article_row(terms, tf, cells, sentence, count, vectors):
    if not len(terms) == len(tf) == len(cells):
        raise ValueError("terms, tf and cells of an article must be equally long")
    held = 0
    for number in cells:
        if number < 0:
            raise ValueError("cells of an article must not be below 0")
        held += number
    if not held == len(sentence) == len(count):
        raise ValueError("cells of an article must add up to its sentences and counts")
    for number in sentence:
        if number < 0 or number >= len(vectors):
            raise ValueError("a sentence of an article must have a vector")
    return (
        len(terms),
        terms.ctypes.data,
        tf.ctypes.data,
        cells.ctypes.data,
        sentence.ctypes.data,
        count.ctypes.data,
        len(vectors),
        vectors.ctypes.data,
    )


@njit(cache=True, nogil=True)
def ints(address, count):
    """Return a view of the `count` int32 numbers at `address`."""
    return carray(_int_pointer(address), (count,))


@njit(cache=True, nogil=True)
def floats(address, rows, columns):
    """Return a view of the float32 table at `address`."""
    return carray(_float_pointer(address), (rows, columns))


@intrinsic
def _int_pointer(typingctx, address):
    del typingctx, address
    return types.CPointer(types.int32)(types.int64), _as_pointer


@intrinsic
def _float_pointer(typingctx, address):
    del typingctx, address
    return types.CPointer(types.float32)(types.int64), _as_pointer


def _as_pointer(context, builder, signature, args):
    return builder.inttoptr(args[0], context.get_value_type(signature.return_type))


_SPARE = 1.25
"""Room to grow, so that a growing vocabulary does not mean new memory every time."""


MAX_KEPT_NUMBERS = 1 << 22
"""Larger arrays are not kept: most of a slide has no use for that memory, and work on
so many numbers takes longer than allocating them."""


class Scratch(threading.local):
    """Reused arrays by name, separate for each thread, with undefined content.

    An array is valid until the same thread requests its name again.
    """

    def __init__(self) -> None:
        self._ints: dict[str, Counts] = {}
        self._floats: dict[str, Vector] = {}

    def ints(self, name: str, size: int) -> Counts:
        """Return an int32 array of this size, with undefined content."""
        if size > MAX_KEPT_NUMBERS:
            return np.empty(size, dtype=np.int32)
        held = self._ints.get(name)
        if held is None or len(held) < size:
            held = np.empty(int(size * _SPARE), dtype=np.int32)
            self._ints[name] = held
        return held[:size]

    def zeros(self, name: str, size: int) -> Counts:
        """Return an int32 array of zeros."""
        if size > MAX_KEPT_NUMBERS:
            return np.zeros(size, dtype=np.int32)
        found = self.ints(name, size)
        found.fill(0)
        return found

    def floats(self, name: str, size: int) -> Vector:
        """Return a float64 array of this size, with undefined content."""
        if size > MAX_KEPT_NUMBERS:
            return np.empty(size)
        held = self._floats.get(name)
        if held is None or len(held) < size:
            held = np.empty(int(size * _SPARE))
            self._floats[name] = held
        return held[:size]


SCRATCH = Scratch()
