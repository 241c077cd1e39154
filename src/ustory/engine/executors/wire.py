"""Values between processes: one block of bytes whose arrays are read where they lie."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from struct import Struct
from typing import Any

_ALIGNED = 64
"""Arrays begin at multiples of it, from the start of the block on: compiled loops
and vector units want that."""
_HEAD = Struct("<QQ")
_SIZE = Struct("<Q")


@dataclass(frozen=True, slots=True)
class Packed:
    """A value taken apart: its pickle, and its arrays, which are not copied."""

    pickled: bytes
    arrays: Sequence[memoryview]

    @classmethod
    def of(cls, value: object) -> Packed:
        """Take a value apart."""
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        return cls(pickled, [buffer.raw() for buffer in buffers])

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return self._places()[-1]

    def pieces(self) -> Iterator[bytes | memoryview]:
        """Yield the bytes, piece by piece; no array is copied."""
        *places, _ = self._places()
        sizes = [array.nbytes for array in self.arrays]
        yield (head := _HEAD.pack(len(self.pickled), len(sizes)))
        yield (table := b"".join(map(_SIZE.pack, sizes)))
        yield self.pickled
        end = len(head) + len(table) + len(self.pickled)
        for place, array in zip(places, self.arrays, strict=True):
            yield bytes(place - end)
            yield array
            end = place + array.nbytes
        yield bytes(self.size - end)

    def _places(self) -> list[int]:
        head = _HEAD.size + _SIZE.size * len(self.arrays) + len(self.pickled)
        sizes = [_aligned(array.nbytes) for array in self.arrays]
        return list(accumulate(sizes, initial=_aligned(head)))


def unpack(block: memoryview) -> Any:  # noqa: ANN401 - whatever was packed
    """Put together the pieces of `Packed`; its arrays are views of the block."""
    length, arrays = _HEAD.unpack_from(block)
    start = _HEAD.size + _SIZE.size * arrays
    sizes = [size for (size,) in _SIZE.iter_unpack(block[_HEAD.size : start])]
    places = accumulate(map(_aligned, sizes), initial=_aligned(start + length))
    buffers = [
        block[place : place + size] for place, size in zip(places, sizes, strict=False)
    ]
    return pickle.loads(block[start : start + length], buffers=buffers)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
