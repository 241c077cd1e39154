"""What every discoverer promises, as code that anyone can run on their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, assert_never

from ustory.core.protocols import Discoverer
from ustory.core.story import Event, EventKind, Slide
from ustory.testing.corpus import LATE, SIBLING, TOO_LATE, tiny_slides

State = TypeVar("State")

_KINDS = frozenset(EventKind)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a discoverer said after a slide."""

    assignments: Mapping[str, str | None]
    events: tuple[Event, ...]
    frozen: bytes


def check_discoverer(
    make: Callable[[], Discoverer[State]], slides: Sequence[Slide] | None = None
) -> None:
    """Raise AssertionError unless `make()` keeps the contract of `Discoverer`.

    `make` returns the same discoverer anew each time, and it must find a story in
    the slides. Without `slides` a built-in stream is used, which also has late
    articles: it needs a window by time, of less than a year, with slides that
    end at midnight, and suits stories of two articles and more.
    """
    given = tiny_slides() if slides is None else tuple(slides)
    told = _follow(make(), given)
    _check_articles(told, given)
    _check_ids(told)
    _require(_follow(make(), given) == told, "say the same of the same slides twice")
    _check_order(make, given, told)
    _check_purity(make(), given)
    _check_snapshots(make, given, told)
    if slides is None:
        _check_window(told, given)


def _require(condition: bool, rule: str) -> None:
    # no assert statement: the rules must also hold under python -O
    if not condition:
        raise AssertionError(f"a discoverer must {rule}")


def _follow(discoverer: Discoverer[State], slides: Sequence[Slide]) -> list[_Told]:
    state = discoverer.begin()
    _require(not discoverer.assignments(state), "begin with an empty window")
    told = []
    for slide in slides:
        state, events = discoverer.advance(state, slide)
        told.append(_tell(discoverer, state, events))
    return told


def _tell(
    discoverer: Discoverer[State], state: State, events: Sequence[Event]
) -> _Told:
    assignments = dict(discoverer.assignments(state))
    return _Told(assignments, tuple(events), discoverer.freeze(state))


def _check_articles(told: Sequence[_Told], slides: Sequence[Slide]) -> None:
    """Check that each article it knows was given, and is in one story at most."""
    given: set[str] = set()
    for slide, after in zip(slides, told, strict=True):
        given |= {prepared.article.id for prepared in slide.articles}
        strangers = sorted(after.assignments.keys() - given)
        _require(not strangers, f"speak of given articles only, not of {strangers}")
        for article, story in after.assignments.items():
            _require(
                story is None or (isinstance(story, str) and bool(story)),
                f"give an article one story, by id, or None; {article!r} has {story!r}",
            )
        joined = [a for event in after.events for a in event.articles]
        _require(
            len(joined) == len(set(joined)),
            f"let an article join one story in a slide, not two: {sorted(joined)}",
        )
    _require(
        any(story for after in told for story in after.assignments.values()),
        "find a story in the slides it is checked with; this one found none",
    )


def _check_ids(told: Sequence[_Told]) -> None:
    """Check that stories are announced, and that an id is never used again."""
    born: set[str] = set()
    expired: set[str] = set()
    for after in told:
        for event in after.events:
            _check_event(event, born, expired)
        live = {story for story in after.assignments.values() if story is not None}
        _require(
            live <= born, f"tell that a story is born: {sorted(live - born)} never were"
        )
        _require(
            not live & expired,
            "never use an expired story again without telling that it is revived: "
            f"{sorted(live & expired)}",
        )


def _check_event(event: Event, born: set[str], expired: set[str]) -> None:
    """Check one event against the stories announced so far, and add it to them."""
    _require(event.kind in _KINDS, f"use kinds of `EventKind`, not {event.kind!r}")
    match event.kind:
        case EventKind.BORN | EventKind.SPLIT:
            _require(
                event.story not in born,
                f"never reuse an id; {event.story!r} is born twice",
            )
            born.add(event.story)
        case EventKind.EXPIRED | EventKind.MERGED:
            expired.add(event.story)
        case EventKind.REVIVED:
            expired.discard(event.story)
        case EventKind.GREW | EventKind.MOVED | EventKind.RELEASED:
            pass  # neither begins nor ends a story
        case EventKind.METHOD_CHANGED | EventKind.WITHDRAWN:
            _require(False, f"leave {event.kind!r} to archives")
        case _:
            assert_never(event.kind)


def _check_order(
    make: Callable[[], Discoverer[State]],
    slides: Sequence[Slide],
    told: Sequence[_Told],
) -> None:
    backwards = [replace(slide, articles=slide.articles[::-1]) for slide in slides]
    for before, after in zip(told, _follow(make(), backwards), strict=True):
        _require(
            before.assignments == after.assignments and before.events == after.events,
            "not care about the order of the articles inside a slide",
        )


def _check_purity(discoverer: Discoverer[State], slides: Sequence[Slide]) -> None:
    """Check that a slide leaves the given state alone, so that it can be repeated."""
    state = discoverer.begin()
    for slide in slides:
        frozen = discoverer.freeze(state)
        assignments = dict(discoverer.assignments(state))
        following, events = discoverer.advance(state, slide)
        _require(
            discoverer.freeze(state) == frozen
            and dict(discoverer.assignments(state)) == assignments,
            f"leave the given state as it was; slide {slide.end} changed it",
        )
        again, repeated = discoverer.advance(state, slide)
        _require(
            tuple(repeated) == tuple(events)
            and discoverer.assignments(again) == discoverer.assignments(following),
            f"say the same of slide {slide.end} when it is repeated",
        )
        state = following


def _check_snapshots(
    make: Callable[[], Discoverer[State]],
    slides: Sequence[Slide],
    told: Sequence[_Told],
) -> None:
    """Check that a run broken off and resumed at every slide is the same run."""
    before = make()
    state = before.begin()
    for slide, expected in zip(slides, told, strict=True):
        frozen = before.freeze(state)
        discoverer = make()
        state = discoverer.thaw(frozen)
        _require(
            discoverer.freeze(state) == frozen,
            f"freeze what it thawed to the same bytes, before slide {slide.end} too",
        )
        state, events = discoverer.advance(state, slide)
        _require(
            _tell(discoverer, state, events) == expected,
            f"go on from a frozen state as from its own; slide {slide.end} differs",
        )
        before = discoverer


def _check_window(told: Sequence[_Told], slides: Sequence[Slide]) -> None:
    """Check that articles stay as long as their publication date lets them."""
    came = False
    for slide, after in zip(slides, told, strict=True):
        inside = after.assignments.keys()
        new = {prepared.article.id for prepared in slide.articles}
        fresh = new - {LATE, TOO_LATE}
        _require(fresh <= inside, f"take in all of {sorted(fresh)}")
        _require(
            TOO_LATE not in inside, "leave out an article that is older than the window"
        )
        came = came or LATE in new
        _require(
            not came or (LATE in inside) == (SIBLING in inside),
            "keep a late article as long as others that were published with it",
        )
    _require(SIBLING not in told[-1].assignments, "let go of an article after a year")
