"""Processes that read documents of strangers: feeds, pages and lists of feeds.

No package promises that it reads any document in time that grows with its length, and
one that does not holds up all threads. So documents are read elsewhere: a process that
takes too long over one, or too much memory, is ended, and another takes its place.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from select import POLLIN, POLLOUT, poll
from threading import Condition
from typing import Any

from ustory.core.errors import ConfigError
from ustory.sources.feeds.entry import Feed, FeedEntry, collect
from ustory.sources.feeds.feed_list import Subscription
from ustory.sources.feeds.reader_process import LENGTH
from ustory.sources.http.errors import FetchError

_MEGA = 1_000_000
_CHUNK = 1 << 20
_START = 20.0
"""Seconds by the clock that a process may take to start."""
_LONGEST_PIECE = 1 << 26
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "HOME", "LD_LIBRARY_PATH", "TZ")
"""Of the environment: a reader needs none of the secrets in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """How many processes read, and what a document may cost."""

    processes: int = 2
    """The last that is free is kept for documents that are not suspect."""
    seconds: float = 4.0
    """Of computing, for any document."""
    per_megabyte: float = 3.0
    """Seconds more for each megabyte of it."""
    wait: float = 60.0
    """Seconds that a document waits for a process, where all are busy."""
    patience: float = 5.0
    """How many times as long it may take by the clock, on a busy machine."""
    memory: int = 512 << 20
    """Bytes that a process may have."""
    answer: int = 32 << 20
    """Bytes of all that is found in a document."""
    documents: int = 1_000
    """After so many a process is replaced, whatever packages have left in it."""

    def allowed(self, size: int) -> float:
        """Return the seconds of computing that a document of this size may take."""
        return self.seconds + self.per_megabyte * size / _MEGA


class Readers:
    """A few processes that read documents, for any number of threads. Mutable.

    They are started when they are needed, and again when one was ended.
    """

    def __init__(self, limits: ReaderLimits | None = None) -> None:
        self.limits = limits or ReaderLimits()
        self._idle: list[_ReaderProcess] = []
        self._busy = 0
        self._free = Condition()

    def feed(
        self,
        body: bytes,
        *,
        url: str,
        fetched_at: datetime,
        content_type: str = "",
        suspect: bool = False,
    ) -> Feed:
        """Return what the document of a feed holds, as `feed.read_feed` does.

        A feed that is `suspect`, because it is new or has failed, waits for others
        like it, and keeps none waiting that is not.
        """
        request = {"task": "feed", "url": url, "content_type": content_type}
        (title, *found), cost = self._ask(request, body, "this feed", suspect=suspect)
        entries = [_entry(each) for each in found]
        return replace(collect(str(title), entries, url, fetched_at), cost=cost)

    def text(
        self,
        body: bytes,
        content_type: str = "",
        *,
        suspect: bool = False,
        seconds: float = inf,
    ) -> str:
        """Return the text of the article in a page, as `page.extract` does.

        It may take `seconds` by the clock, waiting included, and the time that a
        process needs to start.
        """
        request = {"task": "text", "content_type": content_type}
        end = time.monotonic() + seconds
        [text], _ = self._ask(request, body, "this page", suspect=suspect, end=end)
        return str(text)

    def page(
        self, body: bytes, *, url: str, fetched_at: datetime, content_type: str = ""
    ) -> dict[str, object] | None:
        """Return the record of a page, None where it holds no article."""
        moment = fetched_at.isoformat()
        request = {"task": "page", "url": url, "fetched_at": moment}
        [found], _ = self._ask(
            {**request, "content_type": content_type}, body, "this page"
        )
        return None if found is None else {**found, "fetched_at": fetched_at}

    def opml(self, data: bytes, name: str = "this file") -> list[Subscription]:
        """Return the feeds of an OPML document, as `opml.read_opml` does."""
        try:
            found, _ = self._ask({"task": "opml", "name": name}, data, name)
        except FetchError as error:
            raise ConfigError(str(error)) from None
        return [Subscription(url, title) for url, title in found]

    def close(self) -> None:
        """End the processes that are idle; the next document starts one again."""
        with self._free:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.close()

    def _ask(
        self,
        request: Mapping[str, Any],
        body: bytes,
        what: str,
        *,
        suspect: bool = False,
        end: float = inf,
    ) -> tuple[list[Any], float]:
        """Return what a reader found, and the seconds of computing that it took.

        `what` is what messages call the document; `end` is when it is given up.
        """
        seconds = self.limits.allowed(len(body))
        request = {**request, "seconds": seconds, "memory": self.limits.memory}
        wait = min(self.limits.wait, max(end - time.monotonic(), 0.0))
        reader = self._taken(what, wait, suspect=suspect)
        whole = False
        try:
            found = reader.ask(request, body, self.limits, end)
            whole = True
        except _EndedError as error:
            raise FetchError("costly", _words(error, what, seconds)) from None
        finally:
            self._give_back(reader, whole=whole)
        *items, last = found
        _check(last, what)
        return [each["item"] for each in items], float(last.get("cost", 0.0))

    def _taken(self, what: str, wait: float, *, suspect: bool) -> _ReaderProcess:
        """Return a process nobody uses, after `wait` seconds at most."""
        most = max(self.limits.processes - suspect, 1)
        with self._free:
            if not self._free.wait_for(lambda: self._busy < most, wait):
                raise FetchError(
                    "busy",
                    f"{what} was not read: other documents took all the time; it is "
                    "read when there is more",
                )
            self._busy += 1
            if self._idle:
                return self._idle.pop()
        try:
            return _ReaderProcess()
        except BaseException:
            with self._free:
                self._busy -= 1
                self._free.notify_all()
            raise

    def _give_back(self, reader: _ReaderProcess, *, whole: bool) -> None:
        keep = whole and reader.documents < self.limits.documents
        if not keep:
            reader.close()
        with self._free:
            self._busy -= 1
            if keep:
                self._idle.append(reader)
            self._free.notify_all()


class _EndedError(Exception):
    """The process has ended, or was ended, before it had answered."""

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.late = status in (None, -signal.SIGXCPU)
        """Whether it took too long."""
        self.status = status


class _ReaderProcess:
    """One process, and the pipes to it. Mutable, for one thread at a time."""

    def __init__(self) -> None:
        paths = [path or os.curdir for path in sys.path]
        env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ustory.sources.feeds.reader_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # ending the service by keyboard is our affair
            env={**env, "PYTHONPATH": os.pathsep.join(paths)},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        os.set_blocking(self._in.fileno(), False)
        os.set_blocking(self._out.fileno(), False)
        self.documents = 0

    def ask(
        self,
        request: Mapping[str, Any],
        body: bytes,
        limits: ReaderLimits,
        end: float = inf,
    ) -> list[dict[str, Any]]:
        """Return the answers to a request; raise _EndedError where none come."""
        deadline = time.monotonic() + limits.patience * request["seconds"]
        deadline = min(deadline, end)
        deadline += 0.0 if self.documents else _START
        self.documents += 1
        head = json.dumps(request).encode()
        self._write(LENGTH.pack(len(head)) + head, deadline)
        self._write(LENGTH.pack(len(body)), deadline)
        self._write(body, deadline)
        return list(self._answers(limits.answer, deadline))

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._in.close()
        self._out.close()

    def _answers(self, room: int, deadline: float) -> Iterator[dict[str, Any]]:
        while True:
            [length] = LENGTH.unpack(self._read(LENGTH.size, deadline))
            room -= length
            if length > _LONGEST_PIECE or room < 0:
                raise FetchError(
                    "too-large", "what was found in the document is larger than it may"
                )
            found: dict[str, Any] = json.loads(self._read(length, deadline))
            yield found
            if "item" not in found:
                return

    def _read(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._wait(self._out.fileno(), POLLIN, deadline)
            part = os.read(self._out.fileno(), min(size - len(data), _CHUNK))
            if not part:
                raise _EndedError(self._process.wait())
            data += part
        return bytes(data)

    def _write(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            self._wait(self._in.fileno(), POLLOUT, deadline)
            try:
                view = view[os.write(self._in.fileno(), view[:_CHUNK]) :]
            except BrokenPipeError:
                raise _EndedError(self._process.wait()) from None

    def _wait(self, pipe: int, event: int, deadline: float) -> None:
        ready = poll()
        ready.register(pipe, event)
        left = deadline - time.monotonic()
        if left <= 0 or not ready.poll(1_000 * left):
            raise _EndedError(None)


def _words(error: _EndedError, what: str, seconds: float) -> str:
    if error.late:
        return (
            f"{what} took too long to read: it was given up after {seconds:.0f} "
            "seconds of computing"
        )
    return f"{what} ended the process that read it (status {error.status})"


def _check(last: Mapping[str, Any], what: str) -> None:
    """Raise the error that a reader told of, if it did."""
    match last.get("error"):
        case "fetch":
            raise FetchError(last["kind"], last["reason"])
        case "config":
            raise ConfigError(last["reason"])
        case "memory":
            raise FetchError("costly", f"{what} takes too much memory to read")


def _entry(found: Mapping[str, Any]) -> FeedEntry:
    claimed = found["claimed_at"]
    entry = FeedEntry(
        **{**found, "authors": tuple(found["authors"]), "claimed_at": None}
    )
    if claimed is None:
        return entry
    return replace(entry, claimed_at=datetime.fromisoformat(claimed))


READERS = Readers()
"""Those of this process."""

atexit.register(READERS.close)
