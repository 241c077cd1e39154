"""Answers that have not changed are not sent again: ETag and If-None-Match."""

from __future__ import annotations

from hashlib import blake2b

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ustory.web.compression import is_text, vary_by_encoding

_DROPPED = ("content-length", "content-type", "content-disposition")
"""Headers about a body: an answer without one does not have them."""


class EntityTags:
    """Tags every answer that is sent whole; answers 304 to a caller who has it.

    The tag is a digest of the body before it is compressed, so it is a weak one.
    Files and event streams, which are sent in pieces, have none.
    """

    def __init__(self, app: ASGIApp, private: bool) -> None:
        self.app = app
        self._caching = "private, no-cache" if private else "no-cache"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and tag its answer."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        known = Headers(scope=scope).get("if-none-match")
        answer = TaggedAnswer(send, known, self._caching)
        await self.app(scope, receive, answer.send)


class TaggedAnswer:
    """One answer on its way out. Mutable: it holds the head until the body begins."""

    def __init__(self, send: Send, known: str | None, caching: str) -> None:
        self._send = send
        self._known = known
        self._caching = caching
        self._head: Message | None = None

    async def send(self, message: Message) -> None:
        """Take a message of the app, and send what becomes of it."""
        if message["type"] == "http.response.start" and _is_tagged(message):
            self._head = message
            return
        if self._head is not None:
            head, self._head = self._head, None
            if not message.get("more_body", False):
                head, message = self._tagged(head, message)
            await self._send(head)
        await self._send(message)

    def _tagged(self, head: Message, body: Message) -> tuple[Message, Message]:
        """Return the head with its tag, and the body if the caller lacks it."""
        headers = MutableHeaders(scope=head)
        tag = f'W/"{blake2b(body.get("body", b""), digest_size=12).hexdigest()}"'
        headers["ETag"] = tag
        headers.setdefault("Cache-Control", self._caching)
        vary_by_encoding(headers)
        if not is_known(tag, self._known):
            return head, body
        for name in _DROPPED:
            del headers[name]
        return {**head, "status": 304}, {**body, "body": b""}


def _is_tagged(head: Message) -> bool:
    headers = Headers(raw=head["headers"])
    if head["status"] != 200 or "etag" in headers:
        return False
    kept = "no-store" not in headers.get("cache-control", "")
    return kept and is_text(headers.get("content-type", ""))


def is_known(tag: str, header: str | None) -> bool:
    """Return whether an If-None-Match header names a tag, weak or strong.

    >>> is_known('W/"a"', '"b", "a"'), is_known('"a"', "*"), is_known('"a"', '"ab"')
    (True, True, False)
    """
    given = [each.strip().removeprefix("W/") for each in (header or "").split(",")]
    return "*" in given or tag.removeprefix("W/") in given
