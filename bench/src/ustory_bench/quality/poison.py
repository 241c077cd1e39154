"""How many articles an attack takes: python -m ustory_bench.quality.poison STREAM.

Stories of about 20 articles of labelled streams are attacked, by one outlet and by
ten, with more and more articles. Written down is how many it takes: to join two
stories, to divide one, to put a title over one, to take its id, to be the hottest.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.online import Engine
from ustory.engine.state import State
from ustory.stories.live import heat_of, live_stories, members_of
from ustory_bench.experiments.slides import with_times
from ustory_bench.quality import attack_texts as texts
from ustory_bench.quality.attack_targets import Pair, Target, moments_of, pairs_of
from ustory_bench.quality.attack_texts import Forged, Pool, Recipe, forged
from ustory_bench.quality.streams import (
    ROOT,
    load_labelled,
    parts,
    place_of,
    settings_of,
)
from ustory_bench.runner.streams import Stream

RESULTS = ROOT / "bench" / "results" / "poison.json"
STREAMS = ("ground-2025", "newswarp-a", "emergent-a")
LEVELS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 300)
"""Numbers of articles that are tried."""
COARSE = (5, 34, 300)
"""Numbers that are tried where half a stream is read again for each."""
OUTLETS = (1, 10)
STEPS = 4
"""Slides in which a story is dragged away."""
STRANGE = "meridian-rail-strike"
"""A story of the demo stream: it has nothing to do with any of the others."""

_HOUR = timedelta(hours=1)

BRIDGES: Mapping[str, Recipe] = {
    "halves": texts.halves,
    "two titles": texts.titles,
    "round-up": texts.roundup,
    "chain": texts.chain,
    "keywords": texts.keywords,
}
HEADLINES: Mapping[str, Recipe] = {
    "first sentences": texts.spam_leads,
    "keywords": texts.spam_keywords,
    "copies": texts.spam_copies,
    "padded": texts.spam_padded,
}

Done = Callable[[State], bool]
Needed = int | None
"""Articles that an attack takes, None if it is held."""


@dataclass(frozen=True)
class Ground:
    """A stream with what an engine knows at some moments of it."""

    engine: Engine
    moments: Sequence[State]
    honest: Mapping[str, PreparedArticle]
    strange: Pool
    """Articles that have nothing to do with the stream."""

    def pool(self, target: Target) -> Pool:
        """Return the articles of a story."""
        return [self.honest[name] for name in target.members]

    def after(
        self, state: State, articles: Forged, span: tuple[int, int], outlets: int
    ) -> State:
        """Return the state an hour later, in which some forged articles came."""
        assert state.end is not None
        sent = articles.sent(*span, state.end, outlets)
        slide = Slide(end=state.end + _HOUR, articles=sent)
        return self.engine.advance(state, slide)[0]

    def needed(
        self, target: Target, articles: Forged, outlets: int, done: Done
    ) -> Needed:
        """Return how many articles it takes if more come every hour.

        It is 0 where none is needed.
        """
        state = self.moments[target.moment]
        if done(state):
            return 0
        for span in pairwise((0, *LEVELS)):
            state = self.after(state, articles, span, outlets)
            if done(state):
                return span[1]
        return None


def measured(
    stream: Stream, settings: Settings, say: Callable[[str], object]
) -> dict[str, Any]:
    """Return how many articles each attack on stories of a stream takes."""
    stream, hourly = with_times(stream), settings.with_({"slide": "1h"})
    say("reading")
    moments = moments_of(stream, hourly)
    ground = Ground(
        Engine(hourly, parts()[1]),
        moments,
        {one.article.id: one for one in stream.articles},
        _strange(),
    )
    pairs = pairs_of(moments, stream)
    found: dict[str, dict[str, dict[str, list[Needed]]]] = {}

    def note(kind: str, recipe: str, outlets: int, needed: Needed) -> None:
        row = found.setdefault(kind, {}).setdefault(recipe, {})
        row.setdefault(str(outlets), []).append(needed)

    for kind, some in pairs.items():
        for pair in some:
            say(f"joining {kind} stories")
            _join(ground, pair, f"join {kind}", note)
    for pair in pairs["unrelated"]:
        say("one story")
        _one_story(ground, pair.one, hourly, note)
    return {
        "window": settings.to_dict()["window"],
        "pairs": {
            kind: [
                {
                    "articles": [len(p.one.members), len(p.other.members)],
                    "alike": round(p.alike, 3),
                }
                for p in some
            ]
            for kind, some in pairs.items()
        },
        "attacks": found,
    }


Note = Callable[[str, str, int, Needed], None]


def _join(ground: Ground, pair: Pair, kind: str, note: Note) -> None:
    one, other = ground.pool(pair.one), ground.pool(pair.other)
    for name, recipe in BRIDGES.items():
        articles = forged(recipe, one, other, max(LEVELS), f"{kind} {name}")
        for outlets in OUTLETS:
            needed = ground.needed(
                pair.one, articles, outlets, lambda s: _joined(s, pair)
            )
            note(kind, name, outlets, needed)


def _one_story(ground: Ground, target: Target, settings: Settings, note: Note) -> None:
    pool, strange = ground.pool(target), ground.strange
    for name, recipe in HEADLINES.items():
        articles = forged(recipe, pool, strange, max(LEVELS), f"headline {name}")
        for outlets in OUTLETS:
            needed = ground.needed(
                target, articles, outlets, lambda s: _spammed(s, target, settings)
            )
            note("headline", name, outlets, needed)
    articles = forged(texts.shadows, pool, strange, max(LEVELS), "shadows")
    junk = forged(texts.other_alone, pool, strange, max(LEVELS), "strange")
    for outlets in OUTLETS:
        needed = ground.needed(target, articles, outlets, lambda s: _split(s, target))
        note("split", "shadows", outlets, needed)
        needed = _hottest(ground, target, junk, outlets)
        note("heat", "a story of its own", outlets, needed)
        note("id", "dragged away", outlets, _dragged(ground, target, outlets))
    start = _before(ground, target)
    if start is not None:
        for outlets in OUTLETS:
            needed = _begun_before(ground, target, start, outlets)
            note("id", "begun before", outlets, needed)


def _largest(state: State, names: Sequence[str]) -> tuple[str | None, int]:
    """Return the story that most of some articles are in, and how many are."""
    here = (state.records[name] for name in names if name in state.records)
    told = Counter(r.decision.story for r in here if r.decision is not None)
    return min(told.items(), key=lambda each: (-each[1], each[0]), default=(None, 0))


def _joined(state: State, pair: Pair) -> bool:
    """Say whether most articles of both stories are in one."""
    one, many = _largest(state, pair.one.members)
    other, few = _largest(state, pair.other.members)
    half = 2 * many > len(pair.one.members) and 2 * few > len(pair.other.members)
    return one == other and half


def _split(state: State, target: Target) -> bool:
    """Say whether no story has half of the articles any more."""
    return 2 * _largest(state, target.members)[1] < len(target.members)


def _spammed(state: State, target: Target, settings: Settings) -> bool:
    story, _ = _largest(state, target.members)
    told = {each.id: each.headline for each in live_stories(state, settings)}
    return story is not None and texts.MARK in told[story].lower()


def _hottest(ground: Ground, target: Target, junk: Forged, outlets: int) -> Needed:
    """Return how many articles of no other story make the hottest one."""

    def done(state: State) -> bool:
        assert state.end is not None
        heat = {
            story: heat_of(records, state.link, state.end)
            for story, records in members_of(state).items()
        }
        hottest = min(heat, key=lambda each: (-heat[each], each))
        return all(r.id.startswith("~") for r in members_of(state)[hottest])

    return ground.needed(target, junk, outlets, done)


def _dragged(ground: Ground, target: Target, outlets: int) -> Needed:
    """Return how many articles carry the id of a story away from its articles.

    They come in some slides, the first ones like the story, the last ones like
    something else.
    """
    pool = ground.pool(target)
    some = [
        forged(
            texts.mixed(step / (STEPS - 1)),
            pool,
            ground.strange,
            -(-max(LEVELS) // STEPS),
            f"drag {step}",
        )
        for step in range(STEPS)
    ]
    before, _ = _largest(ground.moments[target.moment], target.members)
    for many in LEVELS[3::2]:
        state = ground.moments[target.moment]
        for step, articles in enumerate(some):
            span = many * step // STEPS, many * (step + 1) // STEPS
            count = span[1] - span[0]
            state = ground.after(state, articles, (0, count), outlets)
        now, _ = _largest(state, target.members)
        if now != before and before in members_of(state):
            return many
    return None


def _begun_before(ground: Ground, target: Target, start: int, outlets: int) -> Needed:
    """Return how many articles put a story under an older id of the attacker's.

    A third begin a story of their own before the first article of the story came,
    half of it in words that the story will use: more than an attacker can know. The
    others come later, ever more like the story.
    """
    pool, third = ground.pool(target), -(-max(LEVELS) // 3)
    some = [
        forged(texts.mixed(share), pool, ground.strange, third, f"begun {share}")
        for share in (0.5, 0.3, 0.1)
    ]
    for many in COARSE:
        part = -(-many // 3)
        begun = ground.after(ground.moments[start], some[0], (0, part), outlets)
        mine = {
            record.decision.story
            for record in begun.records.values()
            if record.decision and record.id.startswith("~")
        }
        state = _read_on(ground, begun, ground.moments[target.moment])
        state = ground.after(state, some[1], (0, part), outlets)
        state = ground.after(state, some[2], (0, part), outlets)
        if _largest(state, target.members)[0] in mine:
            return many
    return None


def _before(ground: Ground, target: Target) -> int | None:
    """Return the last moment at which no article of a story was there."""
    names = set(target.members)
    moments = range(target.moment - 1, -1, -1)
    free = (m for m in moments if not names & set(ground.moments[m].records))
    return next(free, None)


def _read_on(ground: Ground, state: State, until: State) -> State:
    """Return the state after the articles that came until another, half a day each."""
    assert until.end is not None
    assert state.end is not None
    known = set(state.records)
    left = sorted(
        (a for n, a in ground.honest.items() if n in until.records and n not in known),
        key=lambda one: (one.article.published_at, one.article.id),
    )
    end = state.end
    while end < until.end:
        end = min(end + 12 * _HOUR, until.end)
        now = [one for one in left if one.article.published_at < end]
        left = left[len(now) :]
        state, _ = ground.engine.advance(state, Slide(end=end, articles=now))
    return state


def _strange() -> Pool:
    """Return the articles of a story that has nothing to do with the others."""
    demo = load_labelled("demo").articles
    return [one for one in demo if one.article.label == STRANGE]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure on streams, print what attacks take, and write the results."""
    asked, console = _arguments(arguments), Console()
    known = {}
    if asked.results.exists():
        known = json.loads(asked.results.read_text(encoding="utf-8"))
    about = known.setdefault(asked.name, {})
    for name in asked.streams:
        with console.status(f"attacking {name}") as status:
            stream, settings = load_labelled(name), settings_of(name)
            about[name] = measured(stream, settings, status.update)
        _show(console, name, about[name]["attacks"])
    asked.results.parent.mkdir(parents=True, exist_ok=True)
    asked.results.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    console.print(f"written to {asked.results}", soft_wrap=True)


def _show(console: Console, name: str, attacks: Mapping[str, Any]) -> None:
    table = Table("stream", "attack", "recipe", "outlets", "articles needed")
    for kind, recipes in attacks.items():
        for recipe, each in recipes.items():
            for outlets, needed in each.items():
                said = " ".join("held" if n is None else str(n) for n in needed)
                table.add_row(name, kind, recipe, outlets, said)
    console.print(table)


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("streams", nargs="*", metavar="STREAM", help="by name")
    parser.add_argument("--results", type=Path, default=RESULTS, help="what to write")
    parser.add_argument("--name", default="now", help="what the results are called")
    asked = parser.parse_args(given)
    asked.streams = asked.streams or [name for name in STREAMS if place_of(name)]
    if not asked.streams:
        parser.error("no labelled stream is here; name one: demo or simulated")
    return asked


if __name__ == "__main__":
    main()
