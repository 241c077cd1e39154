"""The body of an answer, unpacked, and never more of it than the limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

from ustory.sources.http.errors import FetchError

ENCODINGS = "gzip, deflate"
"""What we ask for: only what can be unpacked up to a limit."""

_GZIP = zlib.MAX_WBITS | 16
# What is called deflate comes with its header, and from some servers without.
_WINDOWS = {
    "gzip": (_GZIP,),
    "x-gzip": (_GZIP,),
    "deflate": (zlib.MAX_WBITS, -zlib.MAX_WBITS),
}
_MOST_MEMBERS = 100


def read_body(chunks: Iterable[bytes], encoding: str, limit: int) -> bytes:
    """Return the body in `chunks`, unpacked; raise FetchError beyond `limit` bytes.

    The limit holds for the bytes that come in and for those that come out. A body
    that is not packed although it says so is taken as it is, and one that breaks off
    as far as it goes.
    """
    encoding = encoding.strip().lower()
    if encoding not in ("", "identity", *_WINDOWS):
        raise FetchError(
            "broken", f"the answer is packed as {encoding[:40]!r}, not as {ENCODINGS}"
        )
    unpack = _Unpacker(_WINDOWS[encoding]) if encoding in _WINDOWS else None
    taken, body = 0, bytearray()
    for chunk in chunks:
        taken += len(chunk)
        if taken <= limit:
            room = limit + 1 - len(body)
            body += unpack.feed(chunk, room) if unpack else chunk
        check_size(max(taken, len(body)), limit)
    return bytes(body)


def check_size(size: int, limit: int) -> None:
    """Raise FetchError if `size` bytes are more than `limit`."""
    if size > limit:
        raise FetchError(
            "too-large", f"an answer may have {limit:,} bytes; this one has more"
        )


class _Unpacker:
    """Unpacks gzip and deflate bit by bit. Mutable."""

    def __init__(self, windows: Sequence[int]) -> None:
        self._windows = list(windows)
        self._stream = zlib.decompressobj(windows[0])
        self._held = bytearray()
        """All that came in, until something has come out."""
        self._begun = False
        self._over = False
        self._members = 0

    def feed(self, data: bytes, room: int) -> bytes:
        """Return what `data` unpacks to, at most `room` bytes of it."""
        if not self._begun:
            self._held += data
        unpacked = b""
        while data and len(unpacked) < room and self._windows and not self._over:
            try:
                unpacked += self._stream.decompress(data, room - len(unpacked))
            except zlib.error:
                if self._begun:
                    self._over = True
                    return unpacked
                return self._otherwise(room)
            data = self._stream.unused_data
            self._begin(bool(unpacked) or self._stream.eof)
        return unpacked if self._windows else data

    def _begin(self, begun: bool) -> None:
        if begun and not self._begun:
            self._begun = True
            self._held.clear()
        # Files of gzip may follow each other; a bomb can hold very many empty ones.
        if self._stream.eof:
            self._members += 1
            self._over = self._windows[0] != _GZIP or self._members >= _MOST_MEMBERS
            self._stream = zlib.decompressobj(self._windows[0])

    def _otherwise(self, room: int) -> bytes:
        """Take what came in for the next thing it may be, at last for not packed."""
        self._windows.pop(0)
        held = bytes(self._held)
        if self._windows:
            self._stream = zlib.decompressobj(self._windows[0])
            self._held.clear()
            return self.feed(held, room)
        self._begun = True
        return held
