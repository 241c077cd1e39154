"""Processes of the kill campaign, forked from one that has imported everything.

It reads requests on standard input, a JSON object a line, forks a process for each
and says `process N`, then what that says, and `ended N STATUS` when it is over.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from tests.service.child import warm_up
from tests.service.running import DAILY, pipeline
from ustory.core.spans import parse_span
from ustory.service.claim import claimed
from ustory.service.clock import StreamClock
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.service.settings import Retention
from ustory.store import Store
from ustory.store.migrate import downgrade
from ustory.store.upkeep import backup, restore
from ustory.testing import TinyEncoder
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.limits import Limits, Rate
from ustory.web.server import listen, make_server
from ustory.web.service import Rules, Service

KEY = "the key of the campaign alone"
KEPT = Retention(texts=parse_span("8d"))  # type: ignore[arg-type]
"""What the service lets go of while it runs."""
_PLENTY = Rate(burst=1_000_000, per_second=1_000_000)


def serve(url: str, port: int) -> None:
    """Serve a database over HTTP until killed."""
    store = Store.open(url)
    with claimed(store):
        loop = _loop(store)
        intake = Intake(store, loop.calendar, loop.clock)
        limits = Limits(reads=_PLENTY, writes=_PLENTY, heartbeat=0.5)
        service = Service(loop, intake, Rules(keys=Keys.of([KEY]), limits=limits))
        service._workers.pop("map")  # it draws; nothing that is kept depends on it
        with listen("127.0.0.1", port) as listener:
            service.prepare()
            server = make_server(create_app(service), service.close_streams)
            server.run(sockets=[listener])
    store.close()


def finish(url: str) -> None:
    """Tell all that is left."""
    store = Store.open(url)
    with claimed(store):
        loop = _loop(store)
        loop.start()
        loop.finish()
    store.close()


def upgrade(url: str) -> None:
    """Bring a database to the newest schema."""
    Store.open(url).close()


def go_back(url: str, schema: str) -> None:
    """Bring a database to an older schema, as another release left it."""
    store = Store.open(url)
    with store.lock():
        downgrade(store, schema)
    store.close()


def back_up(url: str, file: str) -> None:
    """Write a backup."""
    store = Store.open(url)
    backup(store, Path(file))
    store.close()


def put_back(url: str, file: str) -> None:
    """Put a backup in place."""
    store = Store.open(url)
    restore(Path(file), store)
    store.close()


def let_go(url: str, texts: str, articles: str | None) -> None:
    """See to retention."""
    store = Store.open(url)
    with store.lock():
        loop = _loop(store)
        loop.start()
        spans = {"texts": parse_span(texts)}
        if articles is not None:
            spans["articles"] = parse_span(articles)
        Retention(**spans).apply(store, loop.clock())  # type: ignore[arg-type]
    store.close()


def _loop(store: Store) -> Loop:
    return Loop(
        store, DAILY, TinyEncoder(), StreamClock(), pipeline=pipeline(), retention=KEPT
    )


WORK: dict[str, Any] = {
    "serve": serve,
    "finish": finish,
    "upgrade": upgrade,
    "go_back": go_back,
    "backup": back_up,
    "restore": put_back,
    "retention": let_go,
}


def wait_for_requests() -> None:
    """Fork a process for each request, and say how it ended."""
    warm_up()
    turn = Lock()
    _say(turn, "ready")
    for line in sys.stdin:
        asked = json.loads(line)
        with turn:  # nobody writes while we fork
            process = os.fork()
        if not process:
            try:
                WORK[asked["work"]](**asked["given"])
            except BaseException:  # noqa: BLE001 - told, and the process ends
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        _say(turn, f"process {process}")
        Thread(target=_wait, args=(turn, process), daemon=True).start()


def _wait(turn: Lock, process: int) -> None:
    _, status = os.waitpid(process, 0)
    _say(turn, f"ended {process} {status}")


def _say(turn: Lock, line: str) -> None:
    with turn:
        os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    wait_for_requests()
