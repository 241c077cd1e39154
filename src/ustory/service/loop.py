"""The loop: computes the slides that are over, each in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Event as Signal
from threading import Lock

from ustory.core.backoff import Backoff
from ustory.core.errors import PackageError, StateError
from ustory.core.protocols import Encoder, TextPipeline
from ustory.core.settings import Settings
from ustory.core.wording import many
from ustory.engine.poison import STOP_REQUESTS, UNRELATED_ERRORS
from ustory.engine.state import State
from ustory.service.clock import Clock, WallClock, doubt_about, is_doubtful
from ustory.service.current_problems import CurrentProblems, kind_of, words_of
from ustory.service.recovery import FORMAT, Point, set_clock, task_of
from ustory.service.repair import Repair, repair_clock
from ustory.service.resume import keep_state, resume
from ustory.service.set_aside import aside_rows
from ustory.service.settings import EVERY, Retention, keep_settings, settled
from ustory.service.slide_runner import LATE, SlideOutcome, SlideRunner, Task
from ustory.service.slide_schedule import SlideSchedule, calendar_of, close_open
from ustory.service.watch import Findings, Watcher
from ustory.service.withdrawal import WithdrawalReceipt, WithdrawalRule, withdraw
from ustory.service.writing import Draft, write_slide
from ustory.store import Connection, Store, snapshots
from ustory.store.articles import articles_by_id, left_out, next_seq, put_aside
from ustory.store.epochs import epoch_number
from ustory.store.slides import last_done, next_closed, slide
from ustory.store.tables import SlideRow, Watchlist
from ustory.store.watchlists import all_watchlists
from ustory.store.withdraw import scrub

SNAPSHOT_EVERY = 8
"""While slides wait, the state is stored after every eighth, and after the last."""

LOOP, WATCHLISTS = "loop", "watchlists"
_BACKOFF = Backoff(timedelta(seconds=1), timedelta(minutes=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStatus:
    """The state of the loop, for people."""

    slide: int
    """The last slide that is done, 0 before the first."""
    end: datetime | None
    """The end of that slide."""
    stories: int
    waiting: int
    """Articles in the window without a story."""
    inside: int
    """Articles in the window."""
    problem: str | None
    """Why slides are not being computed now; None if they are."""


class _OtherEpochError(Exception):
    """Another process changed the stories while a slide was computed."""


class Loop:
    """The engine, its state, and the store that agrees with it. Mutable.

    One thread runs it; any thread may read `state`. It changes only after a slide
    was committed, so memory and database agree whatever fails.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        encoder: Encoder,
        clock: Clock,
        *,
        pipeline: TextPipeline | None = None,
        retention: Retention | None = None,
    ) -> None:
        self.calendar = calendar_of(settings)
        self.retention = retention or Retention()
        self.retention.check(settings)
        self.runner = SlideRunner(settled(store, settings), encoder, pipeline)
        self.settings = self.runner.settings
        """The settings in force, with the names of encoder and pipeline."""
        self.store = store
        self.clock = clock
        self.problems = CurrentProblems(store, clock)
        self.on_done: Callable[[SlideRow], None] | None = None
        """Called after the commit of a slide, in the loop's thread."""
        self.watcher = Watcher(self.runner)
        self._point = Point(self.runner.engine.begin())
        self._next_retention: datetime | None = None
        self._failed: int | None = None
        """The slide that failed when it was last computed."""
        self._turn = Lock()
        if isinstance(clock, WallClock) and clock.on_jump is None:
            clock.on_jump = lambda said: self.problems.log("clock", "clock", said)

    @property
    def state(self) -> State:
        """The engine's state after the last slide that is done."""
        return self._point.state

    @property
    def slide(self) -> int:
        """The number of the last slide that is done, 0 before the first."""
        return self._point.slide

    def start(self) -> None:
        """Continue where the database ends.

        Settings that differ from those of the database are refused, and so is a
        clock that is far behind it. Damaged snapshots are logged and ignored.
        """
        keep_settings(self.store, self.settings)
        set_clock(self.store, self.clock)
        doubt = doubt_about(self.store, self.clock())
        if doubt is not None:
            self.problems.log("clock", "clock", doubt)
        self._point, problems = resume(self.store, self.runner, self.clock())
        for problem in problems:
            said = f"{problem}; the slides after an older one were computed again"
            self.problems.log(LOOP, "snapshot", said)

    def step(self) -> SlideRow | None:
        """Compute the next slide that is over; None if there is none.

        If an error is raised nothing has changed, and the next call tries again.
        """
        with self._turn:
            self._close_due()
            with self.store.read() as connection:
                row = next_closed(connection)
            try:
                return None if row is None else self._run_slide(row)
            except _OtherEpochError:
                assert row is not None
                return self._run_slide(row)  # from the state that the archive has now

    def catch_up(self) -> int:
        """Compute all slides that are over, and return how many there were."""
        return sum(1 for _ in iter(self.step, None))

    def withdraw(self, rule: WithdrawalRule) -> WithdrawalReceipt:
        """Remove the articles of a rule from the archive, between two slides."""
        with self._turn:
            with self.store.read() as connection:
                same = self._is_in_step(connection)
            if not same:  # stories were computed again, or a broken commit succeeded
                self._point, _ = resume(self.store, self.runner, self.clock())
            with self.store.write() as connection:
                if not self._is_in_step(connection):
                    raise StateError(
                        f"the stories of {self.store.url} were computed again just "
                        "now; try the withdrawal again"
                    )
                point, receipt = withdraw(
                    connection, self.runner, self._point, rule, self.clock()
                )
            self._point = point
        if receipt.articles:
            scrub(self.store)
        return receipt

    def _is_in_step(self, connection: Connection) -> bool:
        """Return whether the state is the one after the last slide of the archive."""
        last = last_done(connection)
        done = 0 if last is None else last.number
        epoch = epoch_number(connection)
        return (epoch, done) == (self._point.epoch, self._point.slide)

    def repair_clock(self) -> Repair:
        """Correct dates written while the clock was ahead; `start` is not needed.

        The clock must be right by now.
        """
        keep_settings(self.store, self.settings)
        point, _ = resume(self.store, self.runner, self.clock())
        with self._turn, self.store.write() as connection:
            self._point, done = repair_clock(
                connection, self.runner, self.calendar, point, self.clock()
            )
        return done

    def finish(self) -> int:
        """Close the open slide before its end, and compute all slides."""
        close_open(self.store, self.calendar)
        return self.catch_up()

    def run(self, stop: Signal, pause: float = 1.0) -> None:
        """Compute slides when they are over, until `stop` is set.

        Errors are recorded, and the slide is tried again after a growing pause.
        """
        failures = 0
        while not stop.is_set():
            try:
                busy = self.step() is not None
                self._apply_retention()
            except STOP_REQUESTS:
                raise
            except BaseException as error:  # noqa: BLE001 - it must outlive any error
                self.problems.begin(LOOP, kind_of(error), words_of(error))
                failures += 1
                stop.wait(_BACKOFF.seconds(failures))
            else:
                self.problems.end(LOOP)
                failures = 0
                if not busy:
                    stop.wait(pause)
            self.problems.flush()
        try:
            self.keep_state()
        except StateError as error:  # the next start computes slides again
            self.problems.begin(LOOP, kind_of(error), words_of(error))

    def keep_state(self) -> None:
        """Store the state after the last slide, if it is not stored yet.

        The next release then begins here, and computes nothing again.
        """
        with self._turn:
            point = self._point
            with self.store.read() as connection:
                done = point.slide in (0, *snapshots.slides_kept(connection))
                same = epoch_number(connection) == point.epoch
            if same and not done:
                with self.store.write() as connection:
                    if self._is_in_step(connection):
                        keep_state(connection, self.runner, point, self.clock())

    def _apply_retention(self) -> None:
        """Apply retention, once an hour."""
        now = self.clock()
        if self._next_retention is None or now >= self._next_retention:
            if not is_doubtful(self.store, now):
                self.retention.apply(self.store, now)
            self._next_retention = now + EVERY

    def status(self) -> LoopStatus:
        """Return the state of the loop; it costs nothing."""
        point, problem = self._point, self.problems.now().get(LOOP)
        return LoopStatus(
            slide=point.slide,
            end=point.state.end,
            stories=len(point.state.stories),
            waiting=point.state.waiting,
            inside=len(point.state.records),
            problem=problem,
        )

    def _close_due(self) -> None:
        now = self.clock()
        with self.store.read() as connection:
            due = SlideSchedule(connection, self.calendar).is_due(now)
        if not due:
            return
        with self.store.write() as connection:
            SlideSchedule(connection, self.calendar).close_due(
                now, next_seq(connection)
            )

    def _run_slide(self, row: SlideRow) -> SlideRow:
        """Compute a slide, write it in one transaction, then replace the state."""
        with self.store.read() as connection:
            same = epoch_number(connection) == self._point.epoch
        if row.number != self._point.slide + 1 or not same:
            self._step_in(row)
        draft = self._drafted(row)
        outcome = draft.outcome
        with self.store.read() as connection:
            lists = all_watchlists(connection, active=True)
            behind = slide(connection, row.number + 1)
        findings = self._findings(lists, draft)
        content = self._frozen(outcome.after, row.number, behind)
        with self.store.write() as connection:
            if epoch_number(connection) != self._point.epoch:
                raise _OtherEpochError
            if left_out(connection, row.number) != frozenset(outcome.task.aside):
                done = None
            else:
                now = self.clock()
                rows = write_slide(connection, draft, now)
                self.watcher.write(connection, findings, rows, row.number, now)
                if content is not None:
                    snapshots.put(connection, row.number, FORMAT, content, now)
                done = slide(connection, row.number)
        if done is None:  # meanwhile one of its articles was set aside or taken back
            return self._run_slide(row)
        self._point = replace(self._point, state=outcome.after, slide=row.number)
        self.watcher.committed(findings)
        self._name_late(outcome)
        if self.on_done is not None:
            self.on_done(done)
        return done

    def _name_late(self, outcome: SlideOutcome) -> None:
        """Record how many articles of a slide were older than the window."""
        late = [name for name, place in outcome.places.items() if place.how == LATE]
        if late:
            said = (
                f"slide {outcome.task.number}: {many(len(late), 'article')} older than "
                f"the window came in, such as {late[0]!r}, and will be in no story"
            )
            self.problems.log(LOOP, LATE, said)

    def _findings(self, lists: Sequence[Watchlist], draft: Draft) -> Findings:
        """Return what the watchlists match; record those that cannot be matched."""
        findings = self.watcher.look(lists, draft.stories)
        if findings.failed:
            said = "cannot be looked for: " + ", ".join(findings.failed)
            self.problems.begin(WATCHLISTS, "refused", said)
        else:
            self.problems.end(WATCHLISTS)
        return findings

    def _step_in(self, row: SlideRow) -> None:
        """Read the state from the store: a commit that seemed to fail succeeded."""
        self._point, _ = resume(self.store, self.runner, self.clock())
        if row.number != self._point.slide + 1:
            raise StateError(
                f"slide {row.number} of {self.store.url} waits, but the last one "
                f"done is {self._point.slide}; run `ustory db check`"
            )

    def _drafted(self, row: SlideRow) -> Draft:
        """Compute a slide; after two failures, without the articles to blame."""
        began = time.perf_counter()
        task = task_of(self.store, row)
        try:
            draft = self._computed(task)
        except UNRELATED_ERRORS:
            raise
        except BaseException as error:
            if self._failed != row.number or not self._set_aside(task):
                self._failed = row.number
                if isinstance(error, Exception):
                    raise
                raise PackageError("a compiled package", error) from error
            draft = self._computed(task_of(self.store, row))
        self._failed = None
        seconds = {
            **draft.outcome.seconds,
            "total": round(time.perf_counter() - began, 6),
        }
        return replace(draft, outcome=replace(draft.outcome, seconds=seconds))

    def _computed(self, task: Task) -> Draft:
        return Draft.of(self.runner.run(self._point.state, task), self.settings)

    def _set_aside(self, task: Task) -> bool:
        """Set aside the articles that make a slide fail; False if there are none."""
        found = self.runner.poison(task, self._computed)
        if not found:
            return False
        now = self.clock()
        with self.store.write() as connection:
            rows = articles_by_id(connection, [each.article.id for each in found])
            numbers = {name: row.seq for name, row in rows.items()}
            rows_aside = aside_rows(found, numbers, task.number, now, LOOP)
            put_aside(connection, rows_aside)
        for each in found:
            said = f"article {each.article.id!r} is set aside: {each.reason}"
            self.problems.log(LOOP, "set-aside", said)
        return True

    def _frozen(
        self, state: State, number: int, behind: SlideRow | None
    ) -> bytes | None:
        """Return the state as bytes; while slides wait, only every eighth."""
        waits = behind is not None and behind.status == "closed"
        if waits and number % SNAPSHOT_EVERY:
            return None
        return self.runner.engine.freeze(state)
