"""Messages over a pipe: the length, then so many bytes."""

from __future__ import annotations

import sys
from contextlib import suppress
from io import BufferedReader
from struct import Struct
from typing import IO

if sys.platform == "linux":
    from fcntl import F_SETPIPE_SZ, fcntl

_LENGTH = Struct("<Q")
_ROOM = 1 << 20
"""Bytes that a pipe may hold: the most that Linux gives to anyone."""


def widen(pipe: IO[bytes]) -> None:
    """Have a pipe hold more, where that can be had, so that the sides wait less."""
    if sys.platform == "linux":
        with suppress(PermissionError):  # others hold too much already
            fcntl(pipe.fileno(), F_SETPIPE_SZ, _ROOM)


def write_frame(pipe: IO[bytes], *content: bytes | memoryview) -> None:
    """Send a message, which may be in pieces."""
    pipe.write(_LENGTH.pack(sum(map(len, content))))
    for piece in content:
        pipe.write(piece)
    pipe.flush()


def read_frame(pipe: BufferedReader) -> memoryview | None:
    """Return the next message; None if the other side is gone, even in its middle."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = bytearray(length)
    return memoryview(content) if pipe.readinto(content) == length else None
