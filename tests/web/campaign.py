"""A service that is killed again and again while it is fed, watched and looked after.

`python -m tests.web.campaign --kills 100 --articles 2000` runs it on SQLite, with
`--postgres` on a PostgreSQL server of its own, and says what was counted.

Clients send articles and edits of them, change the list of feeds, and follow the
events with Last-Event-ID, while the service is killed with SIGKILL at random moments;
so are the processes that upgrade, back up, restore and let go. In the end everything
that was acknowledged is there once, and all is as in a run that nobody interrupted.
"""

from __future__ import annotations

import argparse
import json
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from queue import Queue
from random import Random
from tempfile import TemporaryDirectory
from threading import Event as Signal

from sqlalchemy import select

from tests.postgres import running_postgres
from tests.service.running import Rig, ids_in, opened, seqs_in
from tests.web.campaign_child import KEPT
from tests.web.campaign_clients import (
    BATCH,
    Caller,
    Editor,
    Follower,
    Report,
    Sender,
    running,
)
from tests.web.campaign_processes import Nursery
from tests.web.campaign_results import found_out, state_of, texts, trim
from ustory.core.article import Article
from ustory.store import Store
from ustory.store.articles import all_aside
from ustory.store.epochs import BEGIN, METHOD_CHANGED, all_epochs
from ustory.store.feeds import all_feeds
from ustory.store.results import last_event
from ustory.store.tables import events, revisions
from ustory.store.upkeep import check
from ustory_bench.simulate import SimulationPlan, simulate

OLD_SCHEMA = "0005"
"""The schema of release 0.1.0, from which the database is upgraded."""
_PATIENCE = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a campaign is."""

    articles: int = 2_000
    days: int = 20
    kills: int = 100
    others: int = 8
    """Of the kills, those of each: upgrade, backup, restore and retention."""
    seed: int = 1

    @property
    def served(self) -> int:
        """Kills of the service itself."""
        return self.kills - 4 * self.others


class Campaign:
    """One database under fire. Mutable."""

    def __init__(self, url: str, folder: Path, size: Size) -> None:
        self.url = url
        self.folder = folder
        self.size = size
        self.report = Report()
        self.stream = with_edits(list(simulate(_plan(size))), Random(size.seed))
        self._chance = Random(size.seed)
        self._names = iter(range(1_000_000))
        self._port = free_port()
        self._kids = Nursery(folder)

    def run(self) -> None:
        """Kill, look after, and let everything come to its end."""
        began = time.monotonic()
        stop = Signal()
        caller = Caller(self._port, stop, self.report)
        sender = Sender(caller, self.stream, self.report)
        editor = Editor(Caller(self._port, stop, self.report), self.report)
        follower = Follower(self._port, self.report)
        failed: Queue[BaseException] = Queue()
        try:
            with running(stop, failed, sender.run, editor.run, follower.run):
                self._kill_all(sender, failed)
                sender.allowed = len(self.stream)
                self._serve_until(lambda: sender.sent == len(self.stream), failed)
                self._kids.run("finish", url=self.url)
                self._serve_until(lambda: self._all_heard(follower), failed)
            self.verify(editor, follower)
            self._forget()
        finally:
            self._kids.close()
        self.report.seconds = round(time.monotonic() - began, 1)

    def _kill_all(self, sender: Sender, failed: Queue[BaseException]) -> None:
        others = ["upgrade", "backup", "restore", "retention"] * self.size.others
        plan = ["serve"] * self.size.served + others
        self._chance.shuffle(plan)
        step = len(self.stream) / max(self.size.served, 1)
        served = 0
        for work in plan:
            assert failed.empty(), failed.get()
            if work == "serve":
                served += 1
                sender.allowed = min(int(served * step), len(self.stream) - BATCH)
                self._kill("serve", self._serve, longest=1.0)
            else:
                self._kill(work, getattr(self, f"_{work}"), longest=0.5)

    def _kill(
        self, work: str, attempt: Callable[[float], bool], longest: float
    ) -> None:
        """Make attempts until a process was killed in the middle of its work."""
        for _ in range(30):
            if attempt(self._chance.random() * longest):
                self.report.kills[work] += 1
                return
            self.report.survived[work] += 1
            longest *= 0.7
        raise AssertionError(f"{work} was never killed in the middle")

    def _killed(self, process: int, delay: float) -> bool:
        """Kill a process after a while; say whether it was still there."""
        time.sleep(delay)
        self._kids.kill(process)
        status = self._kids.end(process)
        assert status in (0, signal.SIGKILL), f"a process failed: {status}"
        return status == signal.SIGKILL

    def _serve(self, delay: float) -> bool:
        """Kill the service: mostly while it is used, else while it starts."""
        before = self._used()
        process = self._kids.start("serve", url=self.url, port=self._port)
        until = time.monotonic() + 10.0
        used = self._chance.random() < 0.8
        while used and self._used() == before and time.monotonic() < until:
            time.sleep(0.005)
        return self._killed(process, delay * (0.5 if used else 1.0))

    def _used(self) -> tuple[int, int]:
        """Return how much the service was used so far."""
        return self.report.acknowledged.total(), self.report.feeds

    def _upgrade(self, delay: float) -> bool:
        before = self._state()
        self._kids.run("go_back", url=self.url, schema=OLD_SCHEMA)
        process = self._kids.start("upgrade", url=self.url)
        killed = self._killed(process, delay)
        self._kids.run("upgrade", url=self.url)
        assert self._state() == before
        return killed

    def _backup(self, delay: float) -> bool:
        """Kill a backup that is written while the service works."""
        served = self._kids.start("serve", url=self.url, port=self._port)
        file = self._file()
        process = self._kids.start("backup", url=self.url, file=str(file))
        killed = self._killed(process, delay)
        self._killed(served, 0.0)
        if file.exists():
            with opened(self._copy(file)) as copy:
                assert check(copy) == []
        return killed

    def _restore(self, delay: float) -> bool:
        """Kill a restore of an older state: it is that, or the present one."""
        old, present = self._older(), self._file()
        self._kids.run("backup", url=self.url, file=str(present))
        states = {self._state(): "present"}
        process = self._kids.start("restore", url=self.url, file=str(old))
        killed = self._killed(process, delay)
        with opened(self._copy(old)) as copy:
            states.setdefault(state_of(copy), "old")
        found = states.get(self._state())
        assert found, "a killed restore left a mixture"
        self._kids.run("restore", url=self.url, file=str(present))
        assert states[self._state()] == "present"
        return killed

    def _retention(self, delay: float) -> bool:
        process = self._kids.start("retention", url=self.url, texts="8d", articles=None)
        return self._killed(process, delay)

    def _older(self) -> Path:
        """Return a backup of an earlier state, the first one that was asked for."""
        file = self.folder / "older.backup"
        if not file.exists():
            self._kids.run("backup", url=self.url, file=str(file))
        return file

    def _serve_until(
        self, done: Callable[[], bool], failed: Queue[BaseException]
    ) -> None:
        """Serve without a kill until something is true."""
        process = self._kids.start("serve", url=self.url, port=self._port)
        until = time.monotonic() + _PATIENCE
        while not done():
            assert failed.empty(), failed.get()
            assert time.monotonic() < until, "it does not come to an end"
            time.sleep(0.1)
        assert self._killed(process, 0.0)

    def _all_heard(self, follower: Follower) -> bool:
        with opened(self.url) as store, store.read() as connection:
            last = last_event(connection)
        return len(follower.heard) >= last

    def verify(self, editor: Editor, follower: Follower) -> None:
        """Compare with what was acknowledged, and with a run without interruption."""
        with opened(self.url) as store:
            assert check(store) == []
            wanted = list(dict.fromkeys(each.id for each in self.stream))
            assert sorted(ids_in(store)) == sorted(wanted)
            assert seqs_in(store) == list(range(1, len(self.stream) + 1))
            with store.read() as connection:
                feeds = {row.url for row in all_feeds(connection)}
                aside = [row.reason for row in all_aside(connection)]
                reasons = {row.reason for row in all_epochs(connection)}
            assert aside == [], "no article is poison"
            assert reasons <= {BEGIN, METHOD_CHANGED}, "slides came out otherwise"
            assert editor.there == feeds or len(editor.there ^ feeds) == 1
            self._compare_events(store, follower)
            with self._uninterrupted(store) as other:
                for each in (store, other):
                    trim(each)
                    KEPT.apply(each, self._now())
                assert ids_in(store) == ids_in(other)
                assert found_out(store) == found_out(other)
                assert texts(store) == texts(other)

    def _compare_events(self, store: Store, follower: Follower) -> None:
        numbers = [event["id"] for event in follower.heard]
        assert numbers == list(range(1, len(numbers) + 1)), "a gap, or one twice"
        with store.read() as connection:
            rows = connection.execute(select(events).order_by(events.c.id)).all()
        told = [(row.id, row.kind, row.story, list(row.articles)) for row in rows]
        heard = [
            (each["id"], each["kind"], each["story"], each["articles"])
            for each in follower.heard
        ]
        assert heard == told
        self.report.events = len(heard)

    @contextmanager
    def _uninterrupted(self, store: Store) -> Iterator[Store]:
        """Give a database that was told the same texts in the same order, at once."""
        with store.read() as connection:
            query = select(revisions.c.article, revisions.c.number)
            order = connection.execute(query.order_by(revisions.c.seq)).all()
        versions: dict[str, list[Article]] = {}
        for each in self.stream:
            versions.setdefault(each.id, []).append(each)
        again = [versions[row.article][row.number - 1] for row in order]
        with opened(f"sqlite:///{self.folder}/uninterrupted.db") as other:
            rig = Rig(other)
            for first in range(0, len(again), 50):
                rig.intake.accept(again[first : first + 50], "api")
                rig.loop.catch_up()
            rig.loop.finish()
            yield other

    def _forget(self) -> None:
        """Let whole articles go, killed on the way, and compare once more."""

        def attempt(delay: float) -> bool:
            process = self._kids.start(
                "retention", url=self.url, texts="8d", articles="9d"
            )
            return self._killed(process, delay)

        self._kill("forgetting", attempt, longest=0.5)
        self._kids.run("retention", url=self.url, texts="8d", articles="9d")
        with (
            opened(self.url) as store,
            opened(f"sqlite:///{self.folder}/uninterrupted.db") as other,
        ):
            replace(KEPT, articles=_days(9)).apply(other, self._now())
            assert len(ids_in(store)) < len({each.id for each in self.stream})
            assert ids_in(store) == ids_in(other)
            assert found_out(store) == found_out(other)
            assert check(store) == []

    def _now(self) -> datetime:
        return max(each.published_at for each in self.stream)

    def _state(self) -> tuple[str, int]:
        with opened(self.url) as store:
            return state_of(store)

    def _file(self) -> Path:
        return self.folder / f"{next(self._names)}.backup"

    def _copy(self, file: Path) -> str:
        """Return the address of a new database with a backup in it."""
        url = f"sqlite:///{self.folder}/copy{next(self._names)}.db"
        self._kids.run("restore", url=url, file=str(file))
        return url


def with_edits(stream: list[Article], chance: Random) -> list[Article]:
    """Return a stream in which some articles come again with another text."""
    found = []
    for number, each in enumerate(stream):
        found.append(each)
        if number % 40 == 39:
            old = stream[number - chance.randrange(30)]
            found.append(replace(old, text=f"{old.text} Correction {number}."))
    return found


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _plan(size: Size) -> SimulationPlan:
    return SimulationPlan(
        articles=size.articles, days=size.days, sentences=6, seed=size.seed
    )


def _days(number: int) -> timedelta:
    return timedelta(days=number)


def main() -> None:
    """Run a campaign and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--others", type=int, default=8)
    parser.add_argument("--articles", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    size = Size(
        articles=given.articles,
        kills=given.kills,
        others=given.others,
        seed=given.seed,
    )
    with TemporaryDirectory() as folder:
        if given.postgres:
            with running_postgres() as server:
                report = run_campaign(server.migrated(), Path(folder), size)
        else:
            report = run_campaign(f"sqlite:///{folder}/campaign.db", Path(folder), size)
    sys.stdout.write(json.dumps(vars(report), indent=2) + "\n")


def run_campaign(url: str, folder: Path, size: Size) -> Report:
    """Run a campaign on a database and return what was counted."""
    campaign = Campaign(url, folder, size)
    campaign.run()
    return campaign.report


if __name__ == "__main__":
    main()
