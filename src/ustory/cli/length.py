"""About how long the inputs are, for a progress bar that knows the time left."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from ustory.sources.open import kind_of

_BY_LINES = ("jsonl", "csv", "tsv")
_SAMPLES = 16
_SAMPLE = 1 << 16
_GZIP = b"\x1f\x8b"


def estimated_lines(paths: Iterable[str]) -> int | None:
    """Return about how many lines the files have, None if one does not say.

    Cursors count lines, so lines are the measure. A few samples of each file are
    read, never all of it; standard input and pipes have no length, and the lines of
    data sets and web archives say nothing.
    """
    total = 0
    for path in paths:
        lines = _lines_of(Path(path))
        if lines is None:
            return None
        total += lines
    return total


def _lines_of(path: Path) -> int | None:
    try:
        if not path.is_file():
            return None
        kind = kind_of(str(path))
        if kind == "parquet":
            return _parquet_rows(path)
        if kind not in _BY_LINES:
            return None
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
            size = file.seek(0, 2)
            return _packed_lines(file, size) if packed else _plain_lines(file, size)
    except (OSError, zlib.error):
        return None


def _plain_lines(file: BinaryIO, size: int) -> int:
    step = max(_SAMPLE, -(-size // _SAMPLES))
    found = seen = 0
    for start in range(0, size, step):
        file.seek(start)
        sample = file.read(_SAMPLE)
        found += sample.count(b"\n")
        seen += len(sample)
    return round(found * size / seen) if seen else 0


def _packed_lines(file: BinaryIO, size: int) -> int:
    file.seek(0)
    packed = file.read(4 * _SAMPLE)
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    plain = unpacker.decompress(packed, 64 * _SAMPLE)
    seen = len(packed) - len(unpacker.unconsumed_tail)
    return round(plain.count(b"\n") * size / seen)


def _parquet_rows(path: Path) -> int | None:
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 - heavy, optional
    except ImportError:
        return None
    try:
        return int(parquet.read_metadata(path).num_rows)
    except ArrowException:
        return None
