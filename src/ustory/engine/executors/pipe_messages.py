"""Messages over a pipe: the length, then so many bytes, each signed with a key.

Messages are unpickled, which runs whatever they say. So a message counts only with a
tag that none but the two sides of the pipe can make: the key is drawn for each worker,
and reaches it by another pipe. The tag covers the direction and the number of the
message, too, so that none can be repeated or sent back.
"""

from __future__ import annotations

import hmac
import sys
from contextlib import suppress
from io import BufferedReader
from struct import Struct
from typing import IO

from ustory.core.errors import WorkerError

if sys.platform == "linux":
    from fcntl import F_SETPIPE_SZ, fcntl

KEY = 32
"""Bytes of a key."""
TO_WORKER, TO_DRIVER = b"to the worker", b"to the driver"

_LENGTH = Struct("<Q")
_TAG = 32
_ROOM = 1 << 20
"""Bytes that a pipe may hold: the most that Linux gives to anyone."""


class Signer:
    """Makes the tags of the messages of one direction. Mutable: it counts them."""

    def __init__(self, key: bytes, direction: bytes) -> None:
        self._key = key
        self._direction = direction
        self._number = 0

    def length_tag(self, length: bytes) -> bytes:
        """Return the tag of the length of the next message."""
        return self._begun(b"length", length).digest()

    def begin(self) -> hmac.HMAC:
        """Return what the next message is fed to, to have its tag."""
        begun = self._begun(b"content")
        self._number += 1
        return begun

    def _begun(self, *parts: bytes) -> hmac.HMAC:
        made = hmac.new(self._key, self._direction, "sha256")
        made.update(_LENGTH.pack(self._number))
        for part in parts:
            made.update(part)
        return made


def widen(pipe: IO[bytes]) -> None:
    """Have a pipe hold more, where that can be had, so that the sides wait less."""
    if sys.platform == "linux":
        with suppress(PermissionError):  # others hold too much already
            fcntl(pipe.fileno(), F_SETPIPE_SZ, _ROOM)


def write_frame(pipe: IO[bytes], signer: Signer, *content: bytes | memoryview) -> None:
    """Send a message, which may be in pieces."""
    length = _LENGTH.pack(sum(map(len, content)))
    pipe.write(length + signer.length_tag(length))
    tag = signer.begin()
    for piece in content:
        tag.update(piece)
        pipe.write(piece)
    pipe.write(tag.digest())
    pipe.flush()


def read_frame(pipe: BufferedReader, signer: Signer) -> memoryview | None:
    """Return the next message; None if the other side is gone, even in its middle.

    One that the other side did not send is refused, before memory is taken for it.
    """
    head = pipe.read(_LENGTH.size + _TAG)
    if len(head) < _LENGTH.size + _TAG:
        return None
    size, tag = head[: _LENGTH.size], head[_LENGTH.size :]
    _refuse_other(tag, signer.length_tag(size))
    content = bytearray(_LENGTH.unpack(size)[0])
    if pipe.readinto(content) != len(content):
        return None
    tag = pipe.read(_TAG)
    if len(tag) < _TAG:
        return None
    made = signer.begin()
    made.update(content)
    _refuse_other(tag, made.digest())
    return memoryview(content)


def _refuse_other(tag: bytes, expected: bytes) -> None:
    if not hmac.compare_digest(tag, expected):
        raise WorkerError(
            "a message between the run and its worker was not sent by either of them; "
            "see which other programs of this user run, or try --executor inline"
        )
