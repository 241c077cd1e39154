"""Messages over a pipe: the length, then so many bytes."""

from __future__ import annotations

from struct import Struct
from typing import IO

_LENGTH = Struct("<Q")


def write_frame(pipe: IO[bytes], content: bytes) -> None:
    """Send a message."""
    pipe.write(_LENGTH.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> bytes | None:
    """Return the next message; None if the other side is gone, even in its middle."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = pipe.read(length)
    return content if len(content) == length else None
