"""Getting an address from the web: guarded, bounded, and under our own name."""

from __future__ import annotations

import re
import ssl
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import monotonic

import httpx

from ustory.core.errors import ConfigError
from ustory.sources.http.errors import FetchError
from ustory.sources.http.guard import Guard, Names, Network, Resolver, resolve
from ustory.sources.http.transport import DEADLINE, GuardedTransport

ENCODINGS = "gzip, deflate"
"""What we ask for: only what can be unpacked up to a limit."""

_GZIP = zlib.MAX_WBITS | 16
# What is called deflate comes with its header, and from some servers without.
_WINDOWS = {
    "gzip": (_GZIP,),
    "x-gzip": (_GZIP,),
    "deflate": (zlib.MAX_WBITS, -zlib.MAX_WBITS),
}
_MAX_MEMBERS = 100


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
            self._over = self._windows[0] != _GZIP or self._members >= _MAX_MEMBERS
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


PRODUCT = "ustory"
"""The name that robots.txt files know us by."""

_REDIRECTS = (301, 302, 303, 307, 308)
_LENGTH = re.compile(r"[0-9]{1,18}")
_LONG_ADDRESS = 10_000
_CONTACT = re.compile(r"[!-~][ -~]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebLimits:
    """How long an answer may take, in seconds, and how large it may be."""

    connect: float = 10.0
    read: float = 15.0
    """Between two pieces of the answer."""
    total: float = 60.0
    """For everything together, redirects and body included."""
    size: int = 10_000_000
    """Bytes of a body, packed and unpacked."""
    redirects: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back from an address."""

    url: str
    """The address at the end of the redirects."""
    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    body: bytes
    """Empty unless the status is 200."""


def user_agent(contact: str = "") -> str:
    """Return the name we go by: the program, its version and who runs it.

    >>> user_agent("https://news.example/bot").endswith(" (+https://news.example/bot)")
    True
    """
    name = f"{PRODUCT}/{version('ustory')}"
    if not contact:
        return name
    if not _CONTACT.fullmatch(contact) or set("()") & set(contact):
        raise ConfigError(
            "a contact is an address where those we read from can reach you, in plain "
            f"characters and without brackets; got {contact[:60]!r}"
        )
    return f"{name} (+{contact})"


class Web:
    """The way out to the web; safe to use from several threads.

    `allow` names networks that may be reached although they are not public. `tls` and
    `resolver` are for those who have certificates or name servers of their own.
    """

    def __init__(
        self,
        *,
        allow: Sequence[Network] = (),
        contact: str = "",
        limits: WebLimits | None = None,
        tls: ssl.SSLContext | None = None,
        resolver: Resolver = resolve,
    ) -> None:
        self.limits = limits or WebLimits()
        self.user_agent = user_agent(contact)
        self._guard = Guard(allow=tuple(allow), resolver=resolver)
        self._names = Names(resolver)
        self._tls = tls or httpx.create_ssl_context()

    def client(self) -> httpx.Client:
        """Return a new client that is guarded in the same way, to be closed after use.

        It follows no redirects and keeps to the limits of time. It reads bodies whole,
        whatever their size: stream them, or use `get`.
        """
        limits = self.limits
        return httpx.Client(
            transport=GuardedTransport(
                self._guard, self._names, tls=self._tls, total=limits.total
            ),
            headers={"user-agent": self.user_agent, "accept-encoding": ENCODINGS},
            timeout=httpx.Timeout(limits.read, connect=limits.connect),
            trust_env=False,
            follow_redirects=False,
        )

    def get(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        size: int | None = None,
        seconds: float | None = None,
    ) -> Answer:
        """Return the answer of an address, or raise the FetchError that says why not.

        Redirects are followed, and each is checked like the first address. `size`
        and `seconds` make the limits of bytes and of time smaller.
        """
        size = self.limits.size if size is None else min(size, self.limits.size)
        total = self.limits.total
        deadline = monotonic() + (total if seconds is None else min(seconds, total))
        # A client of its own keeps cookies from one site out of the next request.
        with self.client() as client:
            for _ in range(self.limits.redirects + 1):
                request = _request(client, url, headers or {}, deadline)
                answer = _send(client, request, size)
                target = answer.headers.get("location")
                if answer.status not in _REDIRECTS or not target:
                    return answer
                url = _join(answer.url, target[:_LONG_ADDRESS])
                self._guard.check_url(url)
        raise FetchError(
            "redirects",
            f"an address may send us on {self.limits.redirects} times; this one sent "
            f"us further, at last to {url[:200]!r}",
        )


def _request(
    client: httpx.Client, url: str, headers: Mapping[str, str], deadline: float
) -> httpx.Request:
    try:
        return client.build_request(
            "GET", url, headers=dict(headers), extensions={DEADLINE: deadline}
        )
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError("address", f"{url[:200]!r} is no address: {error}") from None


def _send(client: httpx.Client, request: httpx.Request, size: int) -> Answer:
    try:
        response = client.send(request, stream=True)
        try:
            return _read(response, str(request.url), size)
        finally:
            response.close()
    except httpx.ConnectTimeout:
        why = "no connection in time"
        raise FetchError("connect", f"{request.url.host}: {why}") from None
    except httpx.TimeoutException as error:
        why = str(error) or "nothing came in time"
        raise FetchError("timeout", f"{request.url.host}: {why}") from None
    except httpx.ConnectError as error:
        raise FetchError("connect", f"{request.url.host}: {error}") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        # httpx reads where a redirect leads even if it is not to follow it.
        raise FetchError("broken", f"{request.url.host}: {error}") from None


def _read(response: httpx.Response, url: str, size: int) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    body = b""
    if response.status_code == httpx.codes.OK:
        declared = headers.get("content-length", "")
        check_size(int(declared) if _LENGTH.fullmatch(declared) else 0, size)
        encoding = headers.get("content-encoding", "")
        body = read_body(response.iter_raw(), encoding, size)
    return Answer(url=url, status=response.status_code, headers=headers, body=body)


def _join(base: str, target: str) -> str:
    try:
        return str(httpx.URL(base).join(target))
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(
            "redirects", f"{base[:200]} sends us to {target[:200]!r}: {error}"
        ) from None
