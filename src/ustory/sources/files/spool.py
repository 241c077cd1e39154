"""Puts what is too much for memory in order: an index here, the rest in a file."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from types import TracebackType

_IN_MEMORY = 32 * 1024 * 1024


class Spool:
    """Lines with a key each, to be read back by key. Mutable.

    Lines go to a temporary file when they are many; of each only sixteen bytes stay
    in memory.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed on exit
        self._keys = array("q")
        self._starts = array("q")
        self._size = 0

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, key: int, line: bytes) -> None:
        """Keep a line, which may hold no line break."""
        self._keys.append(key)
        self._starts.append(self._size)
        self._size += self._file.write(line + b"\n")

    def in_order(self) -> Iterator[tuple[int, bytes]]:
        """Yield keys and lines by key; those with one key in the order they came."""
        for number in sorted(range(len(self._keys)), key=self._keys.__getitem__):
            self._file.seek(self._starts[number])
            yield self._keys[number], self._file.readline()
