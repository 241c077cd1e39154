"""Lets compiled loops read many small arrays where they lie, without joining them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import carray, njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ustory.core.arrays import Counts, Indices, Matrix

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
# mypy: disable-error-code="attr-defined, call-arg"
# ruff: noqa: ANN001, ANN201, ANN202


_INT, _FLOAT = np.dtype(np.int32), np.dtype(np.float32)


def row_of(terms: Indices, tf: Counts) -> tuple[int, int, int]:
    """Return how many terms there are, and where they and their tf lie.

    Whoever uses the addresses must hold the arrays.
    """
    _refuse_other(_INT, terms, tf)
    return (len(terms), *_two(terms, tf))


def article_row_of(columns: Sequence[Indices], vectors: Matrix) -> tuple[int, ...]:
    """Return a row of terms and tf, the addresses of cells, sentence and count.

    After them the number of sentences and the address of their vectors.
    """
    _refuse_other(_INT, *columns)
    _refuse_other(_FLOAT, vectors)
    *places, last = _six(*columns, vectors)
    return (len(columns[0]), *places, len(vectors), last)


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


@njit(cache=True)
def _six(a, b, c, d, e, f):
    return (
        a.ctypes.data,
        b.ctypes.data,
        c.ctypes.data,
        d.ctypes.data,
        e.ctypes.data,
        f.ctypes.data,
    )


@njit(cache=True, nogil=True)
def ints(address, count):
    """Return the `count` int32 numbers at `address`, as they lie there."""
    return carray(_int_pointer(address), (count,))


@njit(cache=True, nogil=True)
def floats(address, rows, columns):
    """Return the float32 table at `address`, as it lies there."""
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
