"""Slides of an archive computed again and compared with what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

from ustory.core.errors import StateError
from ustory.core.method import METHOD
from ustory.core.protocols import Encoder, TextPipeline
from ustory.encode import load_encoder
from ustory.service.recovery import Point, done_after, task_of
from ustory.service.settings import settings_of
from ustory.service.slide_runner import SlideOutcome, SlideRunner
from ustory.service.to_json import plain
from ustory.service.writing import decision_rows, event_rows
from ustory.store import Store, snapshots
from ustory.store.columns import canonical
from ustory.store.epochs import current_epoch
from ustory.store.results import decisions_of_slide, events_of_slide
from ustory.store.tables import Epoch, EventRow


def differences(store: Store, outcome: SlideOutcome) -> list[str]:
    """Return how a slide that was computed again differs from the archive."""
    number = outcome.task.number
    with store.read() as connection:
        ledger = events_of_slide(connection, number)
        decided = {d.article: d for d in decisions_of_slide(connection, number)}
    problems = []
    wanted_events = event_rows(outcome.events, number)
    if list(map(_plain_event, ledger)) != list(map(_plain_event, wanted_events)):
        problems.append(f"the events of slide {number} are not those computed again")
    for wanted in decision_rows(outcome, outcome.places):
        found = decided.get(wanted.article)
        if found is None or canonical(asdict(found)) != canonical(asdict(wanted)):
            problems.append(
                f"the decision on article {wanted.article!r} in slide {number} is not "
                "the one computed again"
            )
    return problems


def _plain_event(event: EventRow) -> str:
    return canonical(plain(asdict(replace(event, id=0))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a replay found."""

    slides: int
    """Slides that came out equal."""
    articles: int
    problems: tuple[str, ...] = ()
    """The differences, in words; a replay ends at the first slide that differs."""
    since: int = 0
    """The slide after which it began."""
    note: str = ""
    """Why earlier slides were not computed again, in words."""


def replay(
    store: Store,
    *,
    encoder: Encoder | None = None,
    pipeline: TextPipeline | None = None,
    progress: Callable[[int], None] | None = None,
) -> Verdict:
    """Compute the slides of the current epoch again, and compare.

    Earlier ones were computed by another version of the method, or from other
    articles. Nothing is written. `progress` gets the number of each slide.
    """
    settings = settings_of(store)
    with store.read() as connection:
        epoch = current_epoch(connection)
    if settings is None or epoch is None:
        return Verdict(slides=0, articles=0)
    if epoch.method != METHOD:
        return Verdict(
            slides=0,
            articles=0,
            since=epoch.slide,
            note=f"all slides are of version {epoch.method} of the method, this is "
            f"{METHOD}: the next start of `ustory serve` begins a new epoch",
        )
    runner = SlideRunner(settings, encoder or load_encoder(settings.encoder), pipeline)
    point, note = _beginning(store, runner, epoch)
    if point is None:
        return Verdict(slides=0, articles=0, since=epoch.slide, note=note)
    return _compared(store, runner, (point, note), progress)


def _compared(
    store: Store,
    runner: SlideRunner,
    begun: tuple[Point, str],
    progress: Callable[[int], None] | None,
) -> Verdict:
    point, note = begun
    state, slides, articles = point.state, 0, 0
    problems: tuple[str, ...] = ()
    for row in done_after(store, point.slide):
        outcome = runner.run(state, task_of(store, row))
        state = outcome.after
        problems = tuple(differences(store, outcome))
        if problems:
            break
        slides, articles = slides + 1, articles + len(outcome.task.articles)
        if progress is not None:
            progress(row.number)
    return Verdict(
        slides=slides,
        articles=articles,
        problems=problems,
        since=point.slide,
        note=note,
    )


def _beginning(
    store: Store, runner: SlideRunner, epoch: Epoch
) -> tuple[Point | None, str]:
    """Return the earliest state from which all slides can be computed, and a note."""
    lacking = ""
    for point in _points(store, runner, epoch):
        lost = _first_lost(store, point.slide)
        if lost is None:
            before = f"slides up to {point.slide} were not computed again: "
            if point.slide == epoch.slide == 0:
                return point, ""
            if point.slide == epoch.slide:
                return point, f"{before}they are of an earlier epoch"
            return point, f"{before}{lacking}"
        lacking = lost
    return None, lacking or "no snapshot can be read"


def _points(store: Store, runner: SlideRunner, epoch: Epoch) -> Iterator[Point]:
    """Yield the states of the epoch that are kept, the earliest first."""
    if epoch.slide == 0:
        yield Point(runner.engine.begin())
    with store.read() as connection:
        kept = sorted(snapshots.slides_kept(connection))
    for slide in kept:
        if slide < epoch.slide:
            continue
        with store.read() as connection:
            found = snapshots.read(connection, slide)
        if found is None:
            continue
        try:
            yield Point(runner.engine.thaw(found.bytes), slide)
        except StateError:
            continue


def _first_lost(store: Store, after: int) -> str | None:
    """Return why the slides after one cannot be computed again; None if they can."""
    for row in done_after(store, after):
        try:
            task_of(store, row)
        except StateError as error:
            return str(error)
    return None
