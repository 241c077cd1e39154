"""The engine keeps the contract, and the contract catches those that do not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ustory.core.settings import Settings
from ustory.core.story import Event, EventKind, Slide
from ustory.engine.online import Engine
from ustory.testing import TinyEncoder, check_discoverer, tiny_slides

PAIRS = Settings(mode="paper", min_articles=2)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"min_articles": None},
        {"window": "2d", "slide": "12h"},
        {"representation": "ThemSentConc"},
        {"representation": "IndSentMean", "initial": "mean"},
        {"scoring": "bm25l", "divergence": "kl"},
        {"time_aware": False, "theme_aware": False},
    ],
)
def test_the_engine_keeps_the_contract(change: dict[str, Any]) -> None:
    settings = PAIRS.with_(change)

    check_discoverer(lambda: Engine(settings, TinyEncoder()))


def test_the_engine_keeps_the_contract_in_windows_by_number() -> None:
    articles = [p for slide in tiny_slides() for p in slide.articles]
    ends = [articles[0].article.published_at + timedelta(hours=n) for n in range(9)]
    slides = [
        Slide(end=end, articles=articles[4 * n : 4 * n + 4])
        for n, end in enumerate(ends)
    ]
    settings = Settings(mode="paper", window=12, slide=4, min_articles=2)

    check_discoverer(lambda: Engine(settings, TinyEncoder()), slides)


WINDOW = timedelta(days=7)


@dataclass(frozen=True)
class _Known:
    """What `_Labels` knows: publication and story of each article, and the stories."""

    published: Mapping[str, str] = field(default_factory=dict)
    stories: Mapping[str, str | None] = field(default_factory=dict)
    open: Mapping[str, str] = field(default_factory=dict)
    """The story of each label."""
    next: int = 1


class _Labels:
    """Reads the true labels: a discoverer that keeps the contract in a few lines."""

    def begin(self) -> _Known:
        return _Known()

    def advance(self, state: _Known, slide: Slide) -> tuple[_Known, Sequence[Event]]:
        start = (slide.end - WINDOW).isoformat()
        new = {p.article.id: p.article for p in self.order(slide)}
        published = {
            **state.published,
            **{name: self.dated(a.published_at, slide) for name, a in new.items()},
        }
        inside = {name for name, at in published.items() if at >= start}
        stories, opened, number = dict(state.stories), dict(state.open), state.next
        events = []
        for name in [name for name in new if name in inside]:
            label = str(new[name].label)
            kind = EventKind.GREW if label in opened else EventKind.BORN
            if label not in opened:
                opened[label] = self.name(number, label)
                number += 1
            stories[name] = opened[label]
            events.append(self.event(kind, opened[label], slide.end, (name,)))
        stories = {name: story for name, story in stories.items() if name in inside}
        gone = sorted(set(opened.values()) - set(stories.values()))
        events += [self.event(EventKind.EXPIRED, story, slide.end) for story in gone]
        opened = {label: s for label, s in opened.items() if s not in gone}
        published = {name: at for name, at in published.items() if name in inside}
        return _Known(published, stories, opened, number), events

    def assignments(self, state: _Known) -> Mapping[str, str | None]:
        return state.stories

    def freeze(self, state: _Known) -> bytes:
        return json.dumps(vars(state)).encode()

    def thaw(self, data: bytes) -> _Known:
        return _Known(**json.loads(data))

    def order(self, slide: Slide) -> Sequence[Any]:
        return sorted(slide.articles, key=lambda prepared: prepared.article.id)

    def dated(self, moment: datetime, slide: Slide) -> str:
        del slide
        return moment.isoformat()

    def name(self, number: int, label: str) -> str:
        del label
        return f"s{number}"

    def event(
        self, kind: EventKind, story: str, at: datetime, articles: tuple[str, ...] = ()
    ) -> Event:
        return Event(kind=kind, story=story, at=at, articles=articles)


def test_a_sound_discoverer_passes() -> None:
    check_discoverer(_Labels)


class _Reusing(_Labels):
    def name(self, number: int, label: str) -> str:
        return label


class _Silent(_Labels):
    def event(
        self, kind: EventKind, story: str, at: datetime, articles: tuple[str, ...] = ()
    ) -> Event:
        renamed = EventKind.GREW if kind is EventKind.BORN else kind
        return super().event(renamed, story, at, articles)


class _Reviving(_Reusing):
    def event(
        self, kind: EventKind, story: str, at: datetime, articles: tuple[str, ...] = ()
    ) -> Event:
        renamed = EventKind.GREW if kind is EventKind.BORN and at.year > 2024 else kind
        return super().event(renamed, story, at, articles)


class _Repeating(_Labels):
    def advance(self, state: _Known, slide: Slide) -> tuple[_Known, Sequence[Event]]:
        state, events = super().advance(state, slide)
        return state, [*events, *events]


class _Inventing(_Labels):
    def assignments(self, state: _Known) -> Mapping[str, str | None]:
        return {**state.stories, "nobody": None} if state.stories else {}


class _Nameless(_Labels):
    def name(self, number: int, label: str) -> str:
        return ""


class _Blind(_Labels):
    def advance(self, state: _Known, slide: Slide) -> tuple[_Known, Sequence[Event]]:
        state, _ = super().advance(state, slide)
        return replace(state, stories=dict.fromkeys(state.stories)), []


class _Prejudiced(_Labels):
    def begin(self) -> _Known:
        return _Known(stories={"before": None})


class _Capricious(_Labels):
    made = 0

    def __init__(self) -> None:
        _Capricious.made += 1
        self._mood = _Capricious.made

    def name(self, number: int, label: str) -> str:
        return f"s{self._mood}-{number}"


class _Ordered(_Labels):
    def order(self, slide: Slide) -> Sequence[Any]:
        return slide.articles


class _Changing(_Labels):
    def advance(self, state: _Known, slide: Slide) -> tuple[_Known, Sequence[Event]]:
        following, events = super().advance(state, slide)
        assert isinstance(state.published, dict)
        state.published["changed"] = "9999"
        return following, events


class _Remembering(_Labels):
    def __init__(self) -> None:
        self._calls: dict[datetime, int] = {}

    def advance(self, state: _Known, slide: Slide) -> tuple[_Known, Sequence[Event]]:
        state, events = super().advance(state, slide)
        self._calls[slide.end] = self._calls.get(slide.end, 0) + 1
        details = {"call": self._calls[slide.end]}
        return state, [replace(event, details=details) for event in events]


class _Forgetful(_Labels):
    def freeze(self, state: _Known) -> bytes:
        return json.dumps({**vars(state), "next": 1}).encode()


class _Unsteady(_Labels):
    def thaw(self, data: bytes) -> _Known:
        state = super().thaw(data)
        return replace(state, next=state.next + 1)


class _ByArrival(_Labels):
    def dated(self, moment: datetime, slide: Slide) -> str:
        # a late article counts as new
        late = slide.end - WINDOW < moment
        return (slide.end - timedelta(hours=1) if late else moment).isoformat()


class _Hoarding(_Labels):
    def dated(self, moment: datetime, slide: Slide) -> str:
        # what is older than the window is let in, at its end
        edge = slide.end - WINDOW + timedelta(hours=1)
        return max(moment, edge).isoformat()


class _Endless(_Labels):
    def dated(self, moment: datetime, slide: Slide) -> str:
        del slide
        return moment.replace(year=9999).isoformat() if moment.year > 2023 else "1"


class _Picky(_Labels):
    def dated(self, moment: datetime, slide: Slide) -> str:
        # never takes in what came in the morning
        return moment.isoformat() if moment.hour > 9 else "1"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_Reusing, "never reuse an id; 'flood' is born twice"),
        (_Silent, "tell that a story is born"),
        (_Reviving, "never use an expired story again"),
        (_Repeating, "join one story in a slide, not two"),
        (_Inventing, r"given articles only, not of \['nobody'\]"),
        (_Nameless, "one story, by id, or None; .* has ''"),
        (_Blind, "find a story"),
        (_Prejudiced, "begin with an empty window"),
        (_Capricious, "say the same of the same slides twice"),
        (_Ordered, "the order of the articles inside a slide"),
        (_Changing, "leave the given state as it was"),
        (_Remembering, "when it is repeated"),
        (_Forgetful, "go on from a frozen state as from its own"),
        (_Unsteady, "freeze what it thawed to the same bytes"),
        (_ByArrival, "keep a late article as long as others"),
        (_Hoarding, "leave out an article that is older than the window"),
        (_Endless, "let go of an article after a year"),
        (_Picky, "take in all of"),
    ],
)
def test_an_unsound_discoverer_is_caught(
    make: Callable[[], _Labels], message: str
) -> None:
    with pytest.raises(AssertionError, match=f"a discoverer must .*{message}"):
        check_discoverer(make)


def test_given_slides_may_have_any_window() -> None:
    check_discoverer(_ByArrival, tiny_slides())
