"""The process that reads documents of strangers, with limits on time and memory.

It reads requests from standard input and writes answers to standard output, as JSON
with the length of each before it. What it cannot read it refuses in words; a document
that takes too long ends it, and the pool starts another (`readers.py`).
"""

from __future__ import annotations

import json
import logging
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from struct import Struct
from typing import Any, BinaryIO, TypeAlias

from ustory.core.errors import ConfigError, UStoryError
from ustory.sources.feeds.markup import to_text
from ustory.sources.http.errors import FetchError

LENGTH = Struct(">I")
"""What stands before each piece: its length."""

Message: TypeAlias = Mapping[str, Any]


def main() -> None:
    """Answer requests until there are no more."""
    source = sys.stdin.buffer
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a package prints must not get between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while head := _piece(source):
        request: Message = json.loads(head)
        limit_memory(request["memory"])
        limit_time(request["seconds"])
        for answer in _answers(request, _piece(source)):
            data = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
            sink.write(LENGTH.pack(len(data)) + data)
        sink.flush()
        limit_time(None)


def limit_memory(most: int) -> None:
    """Let the process have no more than this many bytes of its own."""
    # The data segment counts what is written to, unlike the address space, which
    # compiled packages reserve without using it.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with suppress(ValueError, OSError):  # some systems know no such limit
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def limit_time(seconds: float | None) -> None:
    """End the process when it has computed for so many seconds more; None: never.

    It holds when nobody is left to end it, too.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = hard if seconds is None else math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _piece(source: BinaryIO) -> bytes:
    """Return the next piece of the input, nothing at its end."""
    length = source.read(LENGTH.size)
    return source.read(*LENGTH.unpack(length)) if len(length) == LENGTH.size else b""


def _answers(request: Message, body: bytes) -> Iterator[Message]:
    began = time.process_time()
    try:
        yield from ({"item": item} for item in _TASKS[request["task"]](request, body))
    except FetchError as error:
        yield {"error": "fetch", "kind": error.kind, "reason": str(error)}
    except ConfigError as error:
        yield {"error": "config", "reason": str(error)}
    except MemoryError:
        yield {"error": "memory"}
    except UStoryError as error:
        yield {"error": "fetch", "kind": "broken", "reason": str(error)}
    except Exception as error:  # noqa: BLE001 - a package must not end the reader
        reason = f"{type(error).__name__} in the package that reads it"
        yield {"error": "fetch", "kind": "broken", "reason": reason}
    else:
        yield {"done": True, "cost": time.process_time() - began}


def _feed(request: Message, body: bytes) -> Iterator[object]:
    from ustory.sources.feeds.feed_document import parse_feed  # noqa: PLC0415 - when it is needed

    title, entries = parse_feed(body, request["url"], request["content_type"])
    yield title
    for entry in entries:
        found = asdict(entry.bounded())
        claimed = entry.claimed_at
        yield found | {"claimed_at": None if claimed is None else claimed.isoformat()}


def _text(request: Message, body: bytes) -> Iterator[object]:
    from ustory.sources.feeds.page import extract  # noqa: PLC0415 - when it is needed

    yield extract(to_text(body, request["content_type"]))


def _page(request: Message, body: bytes) -> Iterator[object]:
    from ustory.sources.feeds.page import page_record  # noqa: PLC0415 - when it is needed

    page = to_text(body, request["content_type"])
    fetched = datetime.fromisoformat(request["fetched_at"])
    record = page_record(page, request["url"], fetched)
    if record is not None:
        published = record["published_at"]
        moment = published.isoformat() if isinstance(published, datetime) else None
        record = {**record, "published_at": moment, "fetched_at": None}
    yield record


def _opml(request: Message, body: bytes) -> Iterator[object]:
    from ustory.sources.feeds.opml import read_opml  # noqa: PLC0415 - when it is needed

    for feed in read_opml(body, request["name"]):
        yield [feed.url, feed.title]


_TASKS: Mapping[str, Callable[[Message, bytes], Iterator[object]]] = {
    "feed": _feed,
    "text": _text,
    "page": _page,
    "opml": _opml,
}

if __name__ == "__main__":
    main()
