"""Where a service continues, with the same or another version of the method."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ustory.core.errors import StateError
from ustory.core.method import METHOD
from ustory.engine.poison import UNRELATED_ERRORS
from ustory.engine.snapshot import written_by
from ustory.engine.state import State
from ustory.service.correct import Corrected, adopt
from ustory.service.recompute import Recomputation, Start
from ustory.service.recovery import FORMAT, Point, done_after, task_of
from ustory.service.slide_runner import SlideRunner
from ustory.service.verify import differences
from ustory.store import Connection, Store, snapshots
from ustory.store.epochs import (
    BEGIN,
    METHOD_CHANGED,
    REPAIRED,
    begin_epoch,
    current_epoch,
    epoch_number,
)
from ustory.store.side import side_store
from ustory.store.slides import last_done
from ustory.store.snapshots import Snapshot
from ustory.store.tables import Epoch, SlideRow


@dataclass(slots=True)
class _Found:
    """The newest usable snapshot, and the problems of newer ones."""

    point: Point | None = None
    method: int = METHOD
    problems: list[str] = field(default_factory=list)
    unusable: list[int] = field(default_factory=list)
    """Their slides."""


@dataclass(frozen=True, slots=True)
class _Why:
    """Why and when an epoch begins, and the unusable snapshots."""

    reason: str
    now: datetime
    unusable: list[int]
    epoch: int
    """The current epoch when the decision was made."""


class _ChangedMeanwhileError(Exception):
    """Another process began an epoch while slides were computed."""


def resume(store: Store, runner: SlideRunner, now: datetime) -> tuple[Point, list[str]]:
    """Return where to continue, and the problems of snapshots, in words.

    Slides after the newest snapshot are computed again in memory. If the method is
    that of the snapshot and the results equal the archive, only unusable snapshots
    are replaced, by one of the last slide. Otherwise a new epoch begins, and if
    stories differ, the archive is corrected. It starts over if another process
    changes the stories meanwhile.
    """
    while True:
        try:
            return _resume(store, runner, now)
        except _ChangedMeanwhileError:
            continue


def _resume(
    store: Store, runner: SlideRunner, now: datetime
) -> tuple[Point, list[str]]:
    epoch = _epoch(store, now)
    if epoch.method > METHOD:
        raise StateError(
            f"{store.url} was last written by ustory {epoch.version}, with version "
            f"{epoch.method} of the method, and this one has {METHOD}: use that "
            "release or a later one, or restore the backup that was written before "
            "the upgrade, with `ustory db restore`"
        )
    found = _newest_usable(store, runner)
    with store.read() as connection:
        last = last_done(connection)
    if last is None:
        if epoch.method != METHOD:
            epoch = _begun_again(store, now)
        return Point(runner.engine.begin(), epoch=epoch.number), found.problems
    since = found.point
    if since is None and epoch.slide == 0:
        since = Point(runner.engine.begin())  # the whole archive is one epoch
    state = None if since is None else _as_written(store, runner, since)
    method = epoch.method if found.point is None else found.method
    if state is not None and METHOD == method == epoch.method:
        point = Point(state, last.number, epoch.number)
        if found.unusable:
            _replace_snapshots(store, runner, point, found.unusable, now)
        return point, found.problems
    reason = METHOD_CHANGED if epoch.method != METHOD else REPAIRED
    why = _Why(reason, now, found.unusable, epoch.number)
    if state is not None:
        return _go_on(store, runner, state, why), found.problems
    return _corrected(store, runner, found.point, why), found.problems


def keep_state(
    connection: Connection, runner: SlideRunner, point: Point, now: datetime
) -> None:
    """Store the state after the last slide that is done."""
    content = runner.engine.freeze(point.state)
    snapshots.put(connection, point.slide, FORMAT, content, now)


def _replace_snapshots(
    store: Store, runner: SlideRunner, point: Point, unusable: list[int], now: datetime
) -> None:
    """Replace unusable snapshots by the state after the last slide."""
    with store.write() as connection:
        _check_epoch(connection, point.epoch)
        snapshots.forget(connection, unusable)
        keep_state(connection, runner, point, now)


def _check_epoch(connection: Connection, number: int) -> None:
    if epoch_number(connection) != number:
        raise _ChangedMeanwhileError


def _begun_again(store: Store, now: datetime) -> Epoch:
    """Begin an epoch of today's method in an archive without slides."""
    with store.write() as connection:
        return begin_epoch(
            connection, slide=0, at=now, reason=METHOD_CHANGED, method=METHOD
        )


def _epoch(store: Store, now: datetime) -> Epoch:
    """Return the current epoch; the first begins with the database."""
    with store.read() as connection:
        epoch = current_epoch(connection)
    if epoch is not None:
        return epoch
    with store.write() as connection:
        return current_epoch(connection) or begin_epoch(
            connection, slide=0, at=now, reason=BEGIN, method=METHOD
        )


def _newest_usable(store: Store, runner: SlideRunner) -> _Found:
    found = _Found()
    with store.read() as connection:
        kept = snapshots.slides_kept(connection)
    for slide in kept:
        with store.read() as connection:
            snapshot = snapshots.read(connection, slide)
        if snapshot is None:
            found.problems.append(f"the snapshot of slide {slide} is damaged")
            found.unusable.append(slide)
            continue
        try:
            found.point = Point(runner.engine.thaw(snapshot.bytes), slide)
            found.method = _method_of(snapshot)
        except StateError as error:
            said = f"the snapshot of slide {slide} cannot be used: {error}"
            found.problems.append(said)
            found.unusable.append(slide)
            continue
        return found
    return found


def _method_of(snapshot: Snapshot) -> int:
    return written_by(snapshot.bytes, f"the snapshot of slide {snapshot.slide}").method


def _as_written(store: Store, runner: SlideRunner, point: Point) -> State | None:
    """Return the state after the last slide; None if a slide comes out differently."""
    state = point.state
    for row in done_after(store, point.slide):
        try:
            outcome = runner.run(state, task_of(store, row))
        except StateError:
            return None  # some of its articles were removed
        except UNRELATED_ERRORS:
            raise
        except BaseException:  # noqa: BLE001 - a text this release cannot read
            return None
        if differences(store, outcome):
            return None
        state = outcome.after
    return state


def _go_on(store: Store, runner: SlideRunner, state: State, why: _Why) -> Point:
    """Begin an epoch with a state that agrees with the archive."""
    with store.write() as connection:
        _check_epoch(connection, why.epoch)
        last = _last(connection)
        epoch = begin_epoch(
            connection,
            slide=last.number,
            at=why.now,
            reason=why.reason,
            method=METHOD,
        )
        snapshots.forget(connection, why.unusable)
        point = Point(state, last.number, epoch.number)
        keep_state(connection, runner, point, why.now)
    return point


def _corrected(
    store: Store, runner: SlideRunner, since: Point | None, why: _Why
) -> Point:
    """Compute the slides after a point again, and correct the archive.

    Without a point all slides with stored texts are computed.
    """
    start = Start(
        state=runner.engine.begin() if since is None else since.state,
        slide=0 if since is None else since.slide,
        continued=since is not None,
    )
    with side_store(store) as side:
        again = Recomputation(store, side, runner, start)
        again.catch_up()
        with store.write() as connection:
            _check_epoch(connection, why.epoch)
            last = _last(connection)
            done = adopt(connection, again, slide=last, at=why.now, reason=why.reason)
            snapshots.forget(connection, why.unusable)
            return _kept(connection, runner, done, why.now)


def _kept(
    connection: Connection, runner: SlideRunner, done: Corrected, now: datetime
) -> Point:
    point = Point(done.state, done.epoch.slide, done.epoch.number)
    keep_state(connection, runner, point, now)
    return point


def _last(connection: Connection) -> SlideRow:
    last = last_done(connection)
    assert last is not None
    return last
