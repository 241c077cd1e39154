"""Answers in gzip for clients that accept it."""

from __future__ import annotations

import zlib

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MIN_BYTES = 500
"""Smaller bodies are sent as they are: they fit into one packet anyway."""
_BYTES_IN_LOOP = 64 * 1024
"""Larger bodies are compressed in another thread; the event loop goes on."""
_LEVEL = 6
_GZIP = 16 + zlib.MAX_WBITS
_TYPES = frozenset({"application/javascript", "application/json", "application/xml"})
_SUFFIXES = ("+json", "+xml", "-ndjson")
_STREAMED = "text/event-stream"
_FOREIGN = ("cross-site", "same-site")
"""`Sec-Fetch-Site` of requests that a page of another site made."""


class Compression:
    """Compresses text on its way out, whole or in pieces; never event streams.

    A page of another site gets nothing compressed: by the length of many answers it
    could find out what stands beside its own words in them (BREACH). A reader who
    follows a link from there does.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and compress its answer if that is wanted."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = CompressedAnswer(send, wanted=_is_wanted(scope))
        await self.app(scope, receive, answer.send)


class CompressedAnswer:
    """One answer on its way out. Mutable: it holds the head until the body begins."""

    def __init__(self, send: Send, *, wanted: bool) -> None:
        self._send = send
        self._wanted = wanted
        self._head: Message | None = None
        self._stream: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        """Take a message of the app, and send what becomes of it."""
        if message["type"] == "http.response.start" and _is_packable(message):
            vary_by_encoding(MutableHeaders(scope=message))
            if self._wanted:
                self._head = message
                return
        elif self._head is not None:
            head, self._head = self._head, None
            message = await self._begin(head, message)
        elif self._stream is not None:
            message = {**message, "body": await self._packed(message)}
        await self._send(message)

    async def _begin(self, head: Message, first: Message) -> Message:
        """Send the head; return the first piece of the body."""
        whole = not first.get("more_body", False)
        if whole and len(first.get("body", b"")) < MIN_BYTES:
            await self._send(head)
            return first
        self._stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        body = await self._packed(first)
        headers = MutableHeaders(scope=head)
        headers["Content-Encoding"] = "gzip"
        tag = headers.get("etag", "W/")
        if not tag.startswith("W/"):
            headers["ETag"] = f"W/{tag}"  # these are other bytes
        del headers["Content-Length"]
        if whole:
            headers["Content-Length"] = str(len(body))
        await self._send(head)
        return {**first, "body": body}

    async def _packed(self, message: Message) -> bytes:
        body = message.get("body", b"")
        last = not message.get("more_body", False)
        if len(body) > _BYTES_IN_LOOP:
            return await run_in_threadpool(self._compress, body, last=last)
        return self._compress(body, last=last)

    def _compress(self, body: bytes, *, last: bool) -> bytes:
        assert self._stream is not None
        packed = self._stream.compress(body)
        return packed + self._stream.flush() if last else packed


def _is_wanted(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    foreign = headers.get("sec-fetch-site") in _FOREIGN
    if foreign and headers.get("sec-fetch-user") != "?1":
        return False
    return scope["method"] != "HEAD" and accepts_gzip(headers.get("accept-encoding"))


def accepts_gzip(header: str | None) -> bool:
    """Return whether an Accept-Encoding header allows gzip.

    >>> accepts_gzip("br, gzip;q=0.5"), accepts_gzip("gzip;q=0, *"), accepts_gzip("*")
    (True, False, True)
    """
    allowed: dict[str, bool] = {}
    for each in (header or "").lower().split(","):
        name, _, rest = each.partition(";")
        weight = rest.replace(" ", "").removeprefix("q=")
        allowed[name.strip()] = not weight or weight.strip("0.") != ""
    return allowed.get("gzip", allowed.get("*", False))


def vary_by_encoding(headers: MutableHeaders) -> None:
    """Tell caches that an answer depends on what the client accepts."""
    if "accept-encoding" not in headers.get("vary", "").lower():
        headers.add_vary_header("Accept-Encoding")


def _is_packable(head: Message) -> bool:
    """Return whether an answer is text that is not compressed yet."""
    headers = Headers(raw=head["headers"])
    if head["status"] in (204, 206, 304) or "content-encoding" in headers:
        return False
    return is_text(headers.get("content-type", ""))


def is_text(content_type: str) -> bool:
    """Return whether a media type is text that can be compressed.

    >>> is_text("text/html; charset=utf-8"), is_text("image/svg+xml")
    (True, True)
    >>> is_text("text/event-stream"), is_text("application/vnd.apache.parquet")
    (False, False)
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind == _STREAMED:
        return False
    return kind.startswith("text/") or kind in _TYPES or kind.endswith(_SUFFIXES)
