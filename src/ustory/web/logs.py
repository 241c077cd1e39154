"""The service's log: one line per record, as text or JSON, at a limited rate.

Much of the logged text comes from strangers: addresses, titles, answers of servers.
So no record can look like two, keys and passwords are removed, and a repeated message
is written a few times a minute, with the number of records that were left out.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Any, TextIO

from ustory.sources.http.masking import masked_addresses

FORMATS = ("text", "json")
BURST = 5
"""Records per message and minute; more are only counted."""
PERIOD = 60.0
"""Seconds after which a message is written again, with how many were left out."""
_MAX_MESSAGES = 2_000
"""Messages that are counted; the oldest are dropped first."""
_MAX_LENGTH = 4_000
"""Characters of a message; a traceback may have ten times as many."""
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_SECRETS = (
    (re.compile(r"(://[^/?#\s@:]{0,200}):[^/?#\s@]{1,200}@"), r"\1:***@"),
    (re.compile(r"(?i)\b(bearer|basic)\s{1,5}[^\s\"',;]{4,4000}"), r"\1 ***"),
    (
        re.compile(
            r"(?i)([?&](?:[a-z_]{0,20}(?:key|token|secret|password|signature|auth))=)"
            r"[^&#\s\"']{1,4000}"
        ),
        r"\1***",
    ),
)
_FIELDS = ("origin", "kind", "dropped")
"""Fields of a record besides its message."""


def set_up_logs(
    form: str = "text", stream: TextIO | None = None, level: int = logging.WARNING
) -> logging.Handler:
    """Send all records of the process to one handler, and return it."""
    handler = BoundedHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(capture=True)
    return handler


def harmless(text: str, longest: int = _MAX_LENGTH) -> str:
    r"""Return text of strangers for the log: one line, no controls, no secrets.

    >>> harmless("a\nERROR root: b, https://me:pw@x.example/?api_key=7")
    'a\\nERROR root: b, https://***@x.example/?api_key=***'
    """
    said = masked_addresses(text, longest)
    for pattern, instead in _SECRETS:
        said = pattern.sub(instead, said)
    # only now: half a secret would not be recognised
    if len(said) > longest or len(text) > 2 * longest:
        said = f"{said[:longest]}…"
    return _UNSEEN.sub(_escaped, said)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "backslashreplace").decode("ascii")


class TextLines(logging.Formatter):
    """A line for people: time, level, logger, message. Tracebacks are indented."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text."""
        said = harmless(record.getMessage())
        first = (
            f"{_time(record)} {record.levelname} {record.name}: {said}{_more(record)}"
        )
        lines = (f"    {line}" for line in _traceback(record))
        return "\n".join([first, *lines])


class JsonLines(logging.Formatter):
    """One JSON object per line, for programs."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as JSON."""
        found: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": harmless(record.getMessage()),
        }
        for name in _FIELDS:
            value = getattr(record, name, None)
            if value is not None:
                found[name] = harmless(value) if isinstance(value, str) else value
        traceback = _traceback(record)
        if traceback:
            found["traceback"] = traceback
        return json.dumps(found)


@dataclass
class _Count:
    """The number of records of a message since a time. Mutable."""

    since: float
    written: int = 0
    dropped: int = 0
    record: logging.LogRecord | None = None
    """The last one that was left out."""


class BoundedHandler(logging.StreamHandler[TextIO]):
    """Writes each message a few times a minute, and how many were left out. Mutable.

    A message is the format string in the program: text from outside cannot make it a
    different one. Problems of different origins are different messages.
    """

    def __init__(
        self, stream: TextIO, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(stream)
        self._seconds = seconds
        self._counts: OrderedDict[tuple[object, ...], _Count] = OrderedDict()
        self._counting = Lock()
        self.dropped = 0
        """Records left out since the start."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, unless its message was written too often."""
        due, passes = self._counted(record)
        for late in due:
            super().emit(late)
        if passes:
            super().emit(record)

    def close(self) -> None:
        """Write how many were left out, and close."""
        with self._counting:
            due = [_summary(count) for count in self._counts.values() if count.dropped]
            self._counts.clear()
        for record in due:
            super().emit(record)
        super().close()

    def _counted(
        self, record: logging.LogRecord
    ) -> tuple[list[logging.LogRecord], bool]:
        """Return the due summaries, and whether the record is written."""
        now = self._seconds()
        key = (record.name, record.levelno, record.msg, getattr(record, "origin", ""))
        with self._counting:
            due = self._over(now)
            count = self._counts.setdefault(key, _Count(now))
            if count.written < BURST:
                count.written += 1
                return due, True
            count.dropped += 1
            count.record = record
            self.dropped += 1
            return due, False

    def _over(self, now: float) -> list[logging.LogRecord]:
        """Drop the messages whose minute is over, and return their summaries."""
        due = []
        while self._counts:
            first = next(iter(self._counts.values()))
            if now - first.since < PERIOD and len(self._counts) <= _MAX_MESSAGES:
                break
            self._counts.popitem(last=False)
            if first.dropped:
                due.append(_summary(first))
        return due


def _summary(count: _Count) -> logging.LogRecord:
    """Return the last record that was left out, with how many there were."""
    record = count.record
    assert record is not None
    record.dropped = count.dropped
    return record


def _time(record: logging.LogRecord) -> str:
    made = datetime.fromtimestamp(record.created, UTC)
    return made.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _more(record: logging.LogRecord) -> str:
    dropped = getattr(record, "dropped", 0)
    return f" (and {dropped} like it, left out)" if dropped else ""


def _traceback(record: logging.LogRecord) -> list[str]:
    """Return the last lines of a traceback, made safe for the log."""
    if not record.exc_info:
        return []
    whole = logging.Formatter().formatException(record.exc_info)
    lines: list[str] = []
    room = 10 * _MAX_LENGTH
    for line in reversed(whole.splitlines()):
        lines.append(harmless(line))
        room -= len(lines[-1]) + 1
        if room <= 0:
            break
    return lines[::-1]
