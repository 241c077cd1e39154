"""The contracts of encoders, sources and discoverers, as code that anyone can run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar, assert_never

import numpy as np

from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article
from ustory.core.protocols import Arrival, Discoverer, Encoder, Source
from ustory.core.story import Event, EventKind, Slide
from ustory.testing.parts import LATE, SIBLING, TOO_LATE, tiny_slides

_SENTENCES = (
    "The council voted on Tuesday to close the old bridge for repairs.",
    "A storm cut the power to forty thousand homes along the coast.",
    "",
    "Shares fell.",
    "Die Regierung kündigte neue Maßnahmen an.",
    "台风登陆后，数千人撤离。 🌪️",
    " \t ",
    "The council voted on Tuesday to close the old bridge for repairs.",
    "half a pair \ud83d of surrogates",
)
_LONG = "word after word after word " * 4000


def check_encoder(encoder: Encoder, *, exact: bool = True) -> None:
    """Raise AssertionError unless `encoder` keeps the contract of `Encoder`.

    With `exact`, a row may not depend on the other sentences of the call; else
    it may differ by one float16 step, as padding makes it do in some models.
    A restarted run gives the same stories only with exact encoders.
    """
    rows = encoder.encode(_SENTENCES)
    _check_names(encoder)
    _check_shape(encoder, rows, len(_SENTENCES))
    _check_determinism(encoder, rows, exact)
    _check_repeated(rows)
    _check_company(encoder, rows, exact)
    _check_shape(encoder, encoder.encode([]), 0)
    _check_shape(encoder, encoder.encode([_LONG]), 1)


def _encoder_must(condition: bool, rule: str) -> None:
    # no assert statement: the rules must also hold under python -O
    if not condition:
        raise AssertionError(f"an encoder must {rule}")


def _check_names(encoder: Encoder) -> None:
    _encoder_must(
        isinstance(encoder.name, str) and bool(encoder.name),
        f"have a name, got {encoder.name!r}",
    )
    _encoder_must(
        isinstance(encoder.dim, int) and encoder.dim > 0,
        f"have a positive dim, got {encoder.dim!r}",
    )


def _check_shape(encoder: Encoder, rows: SentenceVectors, count: int) -> None:
    """Check one float16 row of length 1 per sentence."""
    expected = (count, encoder.dim)
    _encoder_must(rows.shape == expected, f"give shape {expected}, got {rows.shape}")
    _encoder_must(rows.dtype == np.float16, f"give float16, got {rows.dtype}")
    _encoder_must(bool(np.isfinite(rows).all()), "give finite numbers")
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    _encoder_must(
        bool((np.abs(lengths - 1.0) < 1e-3).all()),
        f"give rows of length 1, got {lengths.tolist()}",
    )


def _check_determinism(encoder: Encoder, rows: SentenceVectors, exact: bool) -> None:
    again = encoder.encode(_SENTENCES)
    _encoder_must(
        _same(rows, again, exact), "give the same sentences the same rows twice"
    )


def _check_repeated(rows: SentenceVectors) -> None:
    last = len(_SENTENCES) - 2
    _encoder_must(
        _same(rows[0], rows[last], False), "give a repeated sentence the same row"
    )
    others = [row.tobytes() for row in rows[[0, 1, 3]]]
    _encoder_must(len(set(others)) == 3, "give different sentences different rows")


def _check_company(encoder: Encoder, rows: SentenceVectors, exact: bool) -> None:
    """Check that a row is its sentence's: alone, reversed or beside a long one."""
    alone = np.concatenate([encoder.encode([sentence]) for sentence in _SENTENCES])
    _encoder_must(
        _same(rows, alone, exact), "give a sentence the same row alone and in company"
    )
    backwards = encoder.encode(_SENTENCES[::-1])[::-1]
    _encoder_must(_same(rows, backwards, exact), "keep the order of the sentences")
    beside = encoder.encode((_LONG, *_SENTENCES))[1:]
    _encoder_must(
        _same(rows, beside, exact), "give the same rows beside a long sentence"
    )


def _same(one: SentenceVectors, other: SentenceVectors, exact: bool) -> bool:
    if exact:
        return bool(np.array_equal(one, other))
    step = np.spacing(np.maximum(np.abs(one), np.abs(other))).astype(np.float64)
    apart = np.abs(one.astype(np.float64) - other.astype(np.float64))
    # near zero float16 is finer than the float32 sums behind it
    return bool((apart <= np.maximum(step, 1e-6)).all())


def check_source(make_source: Callable[[], Source]) -> None:
    """Raise AssertionError, saying what is wrong, if a source breaks its contract.

    `make_source` returns the same source at each call, with at least two articles
    and no bad record; a handful is enough, because it is read once per article.
    """
    arrivals = list(make_source().read(None))
    _require(
        len(arrivals) >= 2,
        f"a source to check must give at least two articles, this gave {len(arrivals)}",
    )
    _require(
        make_source().name == make_source().name and bool(make_source().name),
        "the name must be the same each time, and not empty",
    )
    for arrival in arrivals:
        check_article(arrival.article)
    _check_cursors(arrivals)
    _check_reading(make_source, arrivals)


def check_article(article: Article) -> None:
    """Raise AssertionError if an article is not what every source must give."""
    _require(isinstance(article, Article), f"not an Article: {article!r}")
    where = f"article {article.id!r}"
    _require(isinstance(article.id, str) and bool(article.id), f"{where}: empty id")
    _check_time(article.published_at, f"{where}: published_at")
    if article.fetched_at is not None:
        _check_time(article.fetched_at, f"{where}: fetched_at")
    for name in ("title", "text"):
        _require(isinstance(getattr(article, name), str), f"{where}: {name} is no text")
    _require(bool(article.title or article.text), f"{where}: neither title nor text")
    for name in ("url", "lang", "source", "label"):
        value = getattr(article, name)
        _require(
            value is None or (isinstance(value, str) and bool(value)),
            f"{where}: {name} must be text or None, not {value!r}",
        )
    _require(
        isinstance(article.authors, tuple)
        and all(isinstance(author, str) and author for author in article.authors),
        f"{where}: authors must be a tuple of names, not {article.authors!r}",
    )


def _check_time(moment: datetime, what: str) -> None:
    _require(
        isinstance(moment, datetime) and moment.utcoffset() == timedelta(0),
        f"{what} must be an aware time in UTC, not {moment!r}",
    )


def _check_cursors(arrivals: list[Arrival]) -> None:
    cursors = [arrival.cursor for arrival in arrivals]
    for cursor in cursors:
        _require(isinstance(cursor, str), f"a cursor must be text, not {cursor!r}")
    _require(
        len(set(cursors)) == len(cursors), f"the cursors are not distinct: {cursors}"
    )


def _check_reading(make_source: Callable[[], Source], arrivals: list[Arrival]) -> None:
    source = make_source()
    for reading in ("first", "second"):
        _require(
            list(source.read(None)) == arrivals,
            f"the {reading} reading of a source gives other articles",
        )
    for position, arrival in enumerate(arrivals, start=1):
        _require(
            list(make_source().read(arrival.cursor)) == arrivals[position:],
            f"after the cursor {arrival.cursor!r} come other articles than before",
        )


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)


State = TypeVar("State")

_KINDS = frozenset(EventKind)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a discoverer returned after a slide."""

    assignments: Mapping[str, str | None]
    events: tuple[Event, ...]
    frozen: bytes


def check_discoverer(
    make: Callable[[], Discoverer[State]], slides: Sequence[Slide] | None = None
) -> None:
    """Raise AssertionError unless `make()` keeps the contract of `Discoverer`.

    `make` returns the same discoverer at each call, and it must find a story in
    the slides. Without `slides` a built-in stream is used, which also has late
    articles: it needs a window by time, of less than a year, with slides that
    end at midnight, and suits stories of two articles and more.
    """
    given = tiny_slides() if slides is None else tuple(slides)
    outcomes = _follow(make(), given)
    _check_articles(outcomes, given)
    _check_ids(outcomes)
    _discoverer_must(
        _follow(make(), given) == outcomes, "say the same of the same slides twice"
    )
    _check_article_order(make, given, outcomes)
    _check_purity(make(), given)
    _check_snapshots(make, given, outcomes)
    if slides is None:
        _check_window(outcomes, given)


def _discoverer_must(condition: bool, rule: str) -> None:
    # no assert statement: the rules must also hold under python -O
    if not condition:
        raise AssertionError(f"a discoverer must {rule}")


def _follow(discoverer: Discoverer[State], slides: Sequence[Slide]) -> list[_Outcome]:
    state = discoverer.begin()
    _discoverer_must(not discoverer.assignments(state), "begin with an empty window")
    outcomes = []
    for slide in slides:
        state, events = discoverer.advance(state, slide)
        outcomes.append(_outcome(discoverer, state, events))
    return outcomes


def _outcome(
    discoverer: Discoverer[State], state: State, events: Sequence[Event]
) -> _Outcome:
    assignments = dict(discoverer.assignments(state))
    return _Outcome(assignments, tuple(events), discoverer.freeze(state))


def _check_articles(outcomes: Sequence[_Outcome], slides: Sequence[Slide]) -> None:
    """Check that each article it knows was given, and is in one story at most."""
    given: set[str] = set()
    for slide, after in zip(slides, outcomes, strict=True):
        given |= {prepared.article.id for prepared in slide.articles}
        strangers = sorted(after.assignments.keys() - given)
        _discoverer_must(
            not strangers, f"speak of given articles only, not of {strangers}"
        )
        for article, story in after.assignments.items():
            _discoverer_must(
                story is None or (isinstance(story, str) and bool(story)),
                f"give an article one story, by id, or None; {article!r} has {story!r}",
            )
        joined = [a for event in after.events for a in event.articles]
        _discoverer_must(
            len(joined) == len(set(joined)),
            f"let an article join one story in a slide, not two: {sorted(joined)}",
        )
    _discoverer_must(
        any(story for after in outcomes for story in after.assignments.values()),
        "find a story in the slides it is checked with; this one found none",
    )


def _check_ids(outcomes: Sequence[_Outcome]) -> None:
    """Check that stories are announced, and that an id is never used again."""
    born: set[str] = set()
    expired: set[str] = set()
    for after in outcomes:
        for event in after.events:
            _check_event(event, born, expired)
        live = {story for story in after.assignments.values() if story is not None}
        _discoverer_must(
            live <= born, f"tell that a story is born: {sorted(live - born)} never were"
        )
        _discoverer_must(
            not live & expired,
            "never use an expired story again without telling that it is revived: "
            f"{sorted(live & expired)}",
        )


def _check_event(event: Event, born: set[str], expired: set[str]) -> None:
    """Check one event against the stories announced so far, and add it to them."""
    kind, story = event.kind, event.story
    _discoverer_must(kind in _KINDS, f"use kinds of `EventKind`, not {kind!r}")
    match kind:
        case EventKind.BORN | EventKind.SPLIT:
            reused = f"never reuse an id; {story!r} is born twice"
            _discoverer_must(story not in born, reused)
            born.add(story)
        case EventKind.EXPIRED | EventKind.MERGED:
            expired.add(story)
        case EventKind.REVIVED:
            expired.discard(story)
        case EventKind.GREW | EventKind.MOVED | EventKind.RELEASED:
            pass  # neither begins nor ends a story
        case EventKind.METHOD_CHANGED | EventKind.WITHDRAWN:
            _discoverer_must(False, f"leave {kind!r} to archives")
        case _:
            assert_never(kind)


def _check_article_order(
    make: Callable[[], Discoverer[State]],
    slides: Sequence[Slide],
    outcomes: Sequence[_Outcome],
) -> None:
    backwards = [replace(slide, articles=slide.articles[::-1]) for slide in slides]
    for before, after in zip(outcomes, _follow(make(), backwards), strict=True):
        _discoverer_must(
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
        _discoverer_must(
            discoverer.freeze(state) == frozen
            and dict(discoverer.assignments(state)) == assignments,
            f"leave the given state as it was; slide {slide.end} changed it",
        )
        again, repeated = discoverer.advance(state, slide)
        _discoverer_must(
            tuple(repeated) == tuple(events)
            and discoverer.assignments(again) == discoverer.assignments(following),
            f"say the same of slide {slide.end} when it is repeated",
        )
        state = following


def _check_snapshots(
    make: Callable[[], Discoverer[State]],
    slides: Sequence[Slide],
    outcomes: Sequence[_Outcome],
) -> None:
    """Check that a run broken off and resumed at every slide is the same run."""
    before = make()
    state = before.begin()
    for slide, expected in zip(slides, outcomes, strict=True):
        frozen = before.freeze(state)
        discoverer = make()
        state = discoverer.thaw(frozen)
        _discoverer_must(
            discoverer.freeze(state) == frozen,
            f"freeze what it thawed to the same bytes, before slide {slide.end} too",
        )
        state, events = discoverer.advance(state, slide)
        _discoverer_must(
            _outcome(discoverer, state, events) == expected,
            f"go on from a frozen state as from its own; slide {slide.end} differs",
        )
        before = discoverer


def _check_window(outcomes: Sequence[_Outcome], slides: Sequence[Slide]) -> None:
    """Check that articles stay as long as their publication date lets them."""
    came = False
    for slide, after in zip(slides, outcomes, strict=True):
        inside = after.assignments.keys()
        new = {prepared.article.id for prepared in slide.articles}
        fresh = new - {LATE, TOO_LATE}
        _discoverer_must(fresh <= inside, f"take in all of {sorted(fresh)}")
        _discoverer_must(
            TOO_LATE not in inside, "leave out an article that is older than the window"
        )
        came = came or LATE in new
        _discoverer_must(
            not came or (LATE in inside) == (SIBLING in inside),
            "keep a late article as long as others that were published with it",
        )
    _discoverer_must(
        SIBLING not in outcomes[-1].assignments, "let go of an article after a year"
    )
