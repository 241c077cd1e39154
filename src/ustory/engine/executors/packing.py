"""A shared value as one block of bytes, whose arrays are read in place."""

from __future__ import annotations

import pickle
from struct import Struct
from typing import Any

_ALIGNMENT = 64
"""Arrays begin at multiples of it, as compiled loops and vector units prefer."""
_LENGTH = Struct("<Q")


def pack(value: object) -> list[bytes | memoryview]:
    """Return the pieces of the block, in order; no array is copied.

    The block holds the length of the header, the header (the pickle and the sizes of
    the arrays), then the arrays. Every array starts at a multiple of `_ALIGNMENT`.
    """
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    arrays = [buffer.raw() for buffer in buffers]
    header = pickle.dumps((pickled, [array.nbytes for array in arrays]))
    start = _LENGTH.pack(len(header)) + header
    pieces: list[bytes | memoryview] = [start, _padding(len(start))]
    for array in arrays:
        pieces += [array, _padding(array.nbytes)]
    return pieces


def unpack(block: memoryview) -> Any:  # noqa: ANN401 - whatever was packed
    """Return the value in a block; its arrays are views of the block."""
    (length,) = _LENGTH.unpack_from(block)
    place = _LENGTH.size + length
    pickled, sizes = pickle.loads(block[_LENGTH.size : place])
    buffers = []
    for size in sizes:
        place += len(_padding(place))
        buffers.append(block[place : place + size])
        place += size
    return pickle.loads(pickled, buffers=buffers)


def _padding(size: int) -> bytes:
    return bytes(-size % _ALIGNMENT)
