"""Names of hosts looked up within a deadline, however long the system takes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as LateError
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
from threading import Condition, Thread
from time import monotonic
from typing import TypeAlias

Lookup: TypeAlias = Callable[[str, int], Sequence[str]]

MOST = 1_024
"""Lookups that may be under way; the system gives up a dead name after half a minute.

Each takes a descriptor, so there are fewer where the process may open few files.
"""

LONGEST = 5.0
"""Seconds that we wait for a name."""

_MOST_KNOWN = 10_000


class BusyError(OSError):
    """So many names are being looked up that this one was not."""


class Names:
    """Looks names up, each in a thread of its own. Mutable, for any thread.

    `getaddrinfo` cannot be given a deadline or ended. So whoever waits for it goes
    away when the time is over, and a name that is still being looked up is not asked
    for a second time.
    """

    def __init__(
        self, lookup: Lookup, *, most: int | None = None, reserved: int | None = None
    ) -> None:
        self._lookup = lookup
        self._most = most_lookups() if most is None else most
        self._reserved = self._most // 8 if reserved is None else reserved
        """Lookups more, for names that were found before: dead ones take none."""
        self._lock = Condition()
        self._under_way: dict[tuple[str, int], Future[list[str]]] = {}
        self._found: OrderedDict[str, None] = OrderedDict()

    def find(self, host: str, port: int, seconds: float = LONGEST) -> list[str]:
        """Return the addresses of a host; OSError where they do not come in time."""
        patience = min(seconds, LONGEST)
        end = monotonic() + patience
        try:
            running = self._started(host, port, patience)
            return running.result(max(end - monotonic(), 0.0))
        except LateError:
            raise OSError(f"the name took more than {patience:.0f} seconds") from None

    def _started(self, host: str, port: int, patience: float) -> Future[list[str]]:
        key, under_way = (host, port), self._under_way
        with self._lock:
            room = self._most + (self._reserved if host in self._found else 0)
            if not self._lock.wait_for(
                lambda: key in under_way or len(under_way) < room, patience
            ):
                raise BusyError("too many names are being looked up just now")
            if key in under_way:
                return under_way[key]
            future: Future[list[str]] = Future()
            thread = Thread(
                target=self._run, args=(host, port, future), name="names", daemon=True
            )
            try:
                thread.start()
            except RuntimeError as error:  # the system has no thread left
                raise OSError(str(error)) from None
            under_way[key] = future
        return future

    def _run(self, host: str, port: int, future: Future[list[str]]) -> None:
        found: list[str] | None = None
        error: BaseException = OSError("the name has no address")
        try:
            found = list(self._lookup(host, port))
        except Exception as failed:  # noqa: BLE001 - handed to those who wait
            error = failed
        with self._lock:
            del self._under_way[host, port]
            self._lock.notify_all()
            if found:
                self._found[host] = None
                self._found.move_to_end(host)
                if len(self._found) > _MOST_KNOWN:
                    self._found.popitem(last=False)
        if found is None:
            future.set_exception(error)
        else:
            future.set_result(found)


def most_lookups() -> int:
    """Return how many lookups may be under way, by the files that may be open."""
    files, _ = getrlimit(RLIMIT_NOFILE)
    return MOST if files == RLIM_INFINITY else min(MOST, max(files // 8, 16))
