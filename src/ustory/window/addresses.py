"""Lets compiled loops read many small arrays where they lie, without joining them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
# mypy: disable-error-code="attr-defined, call-arg"
# ruff: noqa: ANN001, ANN201, ANN202


INT, FLOAT = np.dtype(np.int32), np.dtype(np.float32)


def address_of(array: NDArray[Any], dtype: np.dtype[Any] = INT) -> int:
    """Return where the numbers of an array lie, once it is as compiled loops need it.

    Whoever uses the address must hold the array.
    """
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise TypeError(
            f"compiled loops read contiguous {dtype} arrays, got "
            f"{array.dtype} with strides {array.strides}"
        )
    found: int = array.__array_interface__["data"][0]
    return found


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
