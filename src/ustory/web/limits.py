"""How much a server accepts: every limit with its default, and rates by caller."""

from __future__ import annotations

import math
import os
import resource
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ustory.core.errors import ConfigError

MAX_CALLERS = 10_000
"""Callers in memory; the one unseen for longest is dropped first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How many requests one caller may send."""

    burst: int
    """Requests at once."""
    per_second: float
    """Requests per second in the long run."""


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """A token bucket for each caller. Mutable, for one thread.

    Memory is bounded: a caller who was dropped comes back with a full bucket, which
    it would have anyway unless thousands came at once.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, caller: str) -> int:
        """Take a token; return 0, or the seconds to wait if there is none.

        >>> from itertools import chain, repeat
        >>> times = iter(chain([0.0, 0.0], repeat(10.0)))
        >>> buckets = Buckets(Rate(burst=1, per_second=0.5), lambda: next(times))
        >>> [buckets.take("a") for _ in range(3)]
        [0, 2, 0]
        """
        now = self._clock()
        bucket = self._buckets.pop(caller, None) or _Bucket(self._rate.burst, now)
        gained = max(0.0, now - bucket.at) * self._rate.per_second
        bucket.tokens = min(self._rate.burst, bucket.tokens + gained)
        bucket.at = now
        self._buckets[caller] = bucket
        if len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        if bucket.tokens < 1:
            return max(1, math.ceil((1 - bucket.tokens) / self._rate.per_second))
        bucket.tokens -= 1
        return 0


BACKLOG = 128
"""Connections that the system queues until they are accepted."""
_OWN_FILES = 256
"""Descriptors kept for the database, feeds and files."""
_MIN_CONNECTIONS = 16
_SHARE_OF_MEMORY = 0.8
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def _limit(default: Any, words: str) -> Any:  # noqa: ANN401 - of any type
    return field(default=default, metadata={"words": words})


_USUAL = Rate(burst=200, per_second=50.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server; `--limit NAME=VALUE` changes one."""

    connections: int = _limit(
        1_000, "open connections; never more than the file limit less 384"
    )
    per_address: int = _limit(
        128, "of these, from one address (IPv6: one /64), trusted proxies excepted"
    )
    head_seconds: float = _limit(15.0, "seconds in which the head of a request comes")
    idle_seconds: float = _limit(20.0, "seconds that a connection waits for a request")
    body_pause: float = _limit(15.0, "seconds in which more of a body comes")
    body_seconds: float = _limit(120.0, "seconds in which all of a body comes")
    write_seconds: float = _limit(
        60.0, "seconds in which a caller takes more of an answer"
    )
    body: int = _limit(10_000_000, "bytes of a body; more is refused with 413")
    buffered: int = _limit(
        200_000_000,
        "bytes of all bodies held at a time, half of it without a key; more: 503",
    )
    drained: int = _limit(
        40_000_000, "bytes of a refused body that are read away, so that 413 is seen"
    )
    reads: Rate = _limit(  # noqa: RUF009 - a field, as the others
        _USUAL,
        "requests that read, at once/a second, by caller",
    )
    writes: Rate = _limit(  # noqa: RUF009 - a field, as the others
        _USUAL,
        "requests that write, at once/a second, by caller",
    )
    probes: Rate = _limit(  # noqa: RUF009 - a field, as the others
        _USUAL,
        "/healthz, /readyz and /metrics, at once/a second, by caller",
    )
    reading: int = _limit(24, "requests that read, being answered at a time")
    writing: int = _limit(8, "requests that write, being answered at a time")
    at_once: int = _limit(
        8, "of these, those of one caller; more of it wait for their turn"
    )
    listeners: int = _limit(
        1_000, "open event streams; never more than half of the connections"
    )
    keyed_listeners: float = _limit(0.25, "share of the event streams kept for keys")
    listeners_per_address: int = _limit(
        32, "event streams of one address without a key"
    )
    listeners_per_key: int = _limit(256, "event streams of one key")
    stream_seconds: float | None = _limit(
        None, "seconds that an event stream lasts; none: as long as the listener likes"
    )
    heartbeat: float = _limit(
        15.0, "seconds of silence after which an event stream says that it is alive"
    )
    match: int = _limit(100_000, "characters of a text that is sent to /api/match")
    matching: int = _limit(2, "texts matched at a time; more are refused with 503")
    exports: int = _limit(4, "files of /api/export written at a time")
    revisions: int = _limit(
        1_000, "texts that an article may have had; more are refused"
    )
    texts: int = _limit(
        20, "newest texts of an article that are kept, besides the one its slide read"
    )
    feeds: int = _limit(20_000, "feeds that are read; more are refused with 409")
    memory: int | None = _limit(
        None,
        "bytes of resident memory above which nothing is taken in (503); "
        "none: 80% of what the process may have",
    )

    def __post_init__(self) -> None:
        """Refuse limits with which nothing could be served."""
        for each in fields(self):
            value = getattr(self, each.name)
            given = value.per_second if isinstance(value, Rate) else value
            if given is not None and given <= 0:
                raise ConfigError(f"the limit {each.name} must be above 0; got {value}")
        if self.keyed_listeners >= 1:
            raise ConfigError("the limit keyed_listeners is a share, below 1")

    def with_(self, pairs: Iterable[str]) -> Limits:
        """Return the limits with some changed, each given as NAME=VALUE."""
        changes: dict[str, Any] = {}
        names = {each.name: str(each.type) for each in fields(self)}
        for pair in pairs:
            name, _, text = pair.partition("=")
            if name not in names:
                raise ConfigError(
                    f"there is no limit {name!r}; there are {', '.join(names)}"
                )
            changes[name] = _read(name, names[name], text)
        return replace(self, **changes)

    def within(self, files: int | None = None) -> Limits:
        """Return the limits reduced to the files that the process may open.

        A service without a free descriptor can neither accept nor read its database.
        """
        files = _file_limit() if files is None else files
        most = max(_MIN_CONNECTIONS, files - BACKLOG - _OWN_FILES)
        connections = min(self.connections, most)
        return replace(
            self,
            connections=connections,
            per_address=min(self.per_address, connections),
            listeners=min(self.listeners, max(1, connections // 2)),
        )

    @property
    def max_memory(self) -> int:
        """The resident memory above which no article is accepted, in bytes."""
        return _share_of_memory() if self.memory is None else self.memory


def limit_rows() -> list[tuple[str, str, str]]:
    """Return every limit with its default and meaning, for the reference."""
    return [
        (each.name, _written(each.default), each.metadata["words"])
        for each in fields(Limits)
    ]


def _written(value: object) -> str:
    if isinstance(value, Rate):
        return f"{value.burst}/{value.per_second:g}"
    return (
        "none"
        if value is None
        else f"{value:g}"
        if isinstance(value, float)
        else f"{value}"
    )


def _read(name: str, kind: str, text: str) -> object:
    """Return the value of a limit from text."""
    try:
        if kind == "Rate":
            burst, _, second = text.partition("/")
            return Rate(burst=int(burst), per_second=float(second or burst))
        if text == "none" and "None" in kind:
            return None
        return int(text) if "int" in kind else float(text)
    except ValueError:
        shape = "like 200/50 (at once/a second)" if kind == "Rate" else "a number"
        raise ConfigError(f"the limit {name} is {shape}; got {text!r}") from None


def _file_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000_000 if soft == resource.RLIM_INFINITY else soft


def _share_of_memory() -> int:
    """Return the share of the memory of machine and cgroup that may be used."""
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in _CGROUPS:
        try:
            most = min(most, int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):  # no such file, or `max`
            continue
    return int(most * _SHARE_OF_MEMORY)
