"""The stories of a made-up archive as rows: how each stands at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from operator import itemgetter

import numpy as np

from ustory_bench.service.rows import Batch, Row, article_id, story_id
from ustory_bench.service.synthetic import (
    DAY,
    HOUR,
    LANGUAGES,
    START,
    Ints,
    Synthetic,
    keywords_of,
)
from ustory_bench.service.vocabulary import OUTLETS, outlet

_TAG = 1_000
assert OUTLETS < _TAG
_TOP = 5
"""Outlets that a story names."""


class Standing:
    """How each story stands at the end."""

    def __init__(self, made: Synthetic) -> None:
        self.made = made
        placed = np.flatnonzero(made.born >= 0)
        self.first, self.last = _span(made, made.born, placed)
        first, last = _span(made, made.story, placed)
        self.first = np.where(made.merged, self.first, first)
        self.last = np.where(made.merged, self.last, last)
        of = made.story[placed]
        born = np.bincount(made.born[placed], minlength=made.stories)
        count = np.bincount(of, minlength=made.stories)
        self.count = np.where(made.merged, born, count)
        """Its articles; those that a merged story had."""
        self.tags = np.unique(of * _TAG + made.source[placed])
        age = (made.published[made.told - 1] - made.published[placed]) / (12 * HOUR)
        warmth = np.bincount(of, weights=0.5**age, minlength=made.stories)
        self.live = np.arange(made.stories) >= made.stories - made.live
        self.heat = np.where(self.live, np.round(warmth, 6), 0.0)
        self.days = self._days(of, made.published[placed] // DAY, placed)
        self.sources = self._sources()
        self.keywords = keywords_of(made)

    def _days(
        self, of: Ints, day: Ints, placed: Ints
    ) -> list[tuple[int, int, int, int]]:
        keys, first, count = np.unique(
            of * 100_000 + day, return_index=True, return_counts=True
        )
        columns = (keys // 100_000, keys % 100_000, count, placed[first])
        return list(zip(*(one.tolist() for one in columns), strict=True))

    def _sources(self) -> list[list[str]]:
        found: list[list[str]] = [[] for _ in range(self.made.stories)]
        for tag in self.tags.tolist():
            found[tag // _TAG].append(outlet(tag % _TAG))
        return found

    def status(self, story: int) -> str:
        """Return the status of a story."""
        if self.made.merged[story]:
            return "merged"
        return "live" if self.live[story] else "expired"

    def standing(self) -> list[Row]:
        """Return what is repeated of each story beside its words."""
        status = [self.status(n) for n in range(self.made.stories)]
        columns = (status, self.first.tolist(), self.last.tolist(), self.count.tolist())
        return list(zip(*columns, strict=True))


def _span(made: Synthetic, of: Ints, placed: Ints) -> tuple[Ints, Ints]:
    """Return when the first and the last article of each story was published."""
    first = np.full(made.stories, np.iinfo(np.int64).max)
    last = np.zeros(made.stories, dtype=np.int64)
    np.minimum.at(first, of[placed], made.published[placed])
    np.maximum.at(last, of[placed], made.published[placed])
    return first, last


def story_batches(at: Standing) -> Iterator[Batch]:
    """Yield stories, their days, their words and their events."""
    made = at.made
    yield Batch("stories", _STORY, (_story(at, n) for n in range(made.stories)))
    yield Batch(
        "story_days",
        ("story", "day", "articles", "sources", "keywords", "central"),
        (_day(at, *drawn) for drawn in at.days),
    )
    names = ("status", "first_seen", "last_seen", "articles")
    standing = at.standing()
    for table, column, words in (
        ("story_keywords", "keyword", at.keywords),
        ("story_sources", "source", at.sources),
    ):
        pairs = ((n, each) for n in range(made.stories) for each in sorted(words[n]))
        rows = ((story_id(n), each, *standing[n]) for n, each in pairs)
        yield Batch(table, ("story", column, *names), rows)
    columns = ("id", "slide", "at", "kind", "story", "articles", "details")
    yield Batch("events", columns, _events(at))


_STORY = (
    *("id", "number", "status", "headline", "keywords", "first_seen", "last_seen"),
    *("articles", "inside", "sources", "heat", "born_at", "born_slide"),
    *("changed_slide", "merged_into", "lang", "top_sources"),
)


def headline(number: int, keywords: Sequence[str]) -> str:
    """Return the headline of a story."""
    return f"{' '.join(keywords[:6]).capitalize()} headline {number}"


def _story(at: Standing, n: int) -> Row:
    made, keywords, sources = at.made, at.keywords[n], at.sources[n]
    first, last, count = int(at.first[n]), int(at.last[n]), int(at.count[n])
    into = story_id(n - 1) if made.merged[n] else None
    return (
        *(story_id(n), n + 1, at.status(n), headline(n, keywords)),
        *(json.dumps(keywords), first, last, count, count if at.live[n] else 0),
        *(len(sources), float(at.heat[n]), first, _slide(first), _slide(last)),
        *(into, LANGUAGES[made.language[n]], json.dumps(sources[:_TOP])),
    )


def _day(at: Standing, n: int, day: int, count: int, first: int) -> Row:
    words = json.dumps(at.keywords[n][:5])
    few = min(count, len(at.sources[n]))
    return (story_id(n), day, count, few, words, article_id(first))


def _slide(moment: int) -> int:
    return 1 + (moment - START) // HOUR


def _events(at: Standing) -> Iterator[Row]:
    """Yield the ledger: each is born; it grows in the slides that bring articles."""
    made = at.made
    told: list[tuple[int, str, int, list[int], str]] = []
    placed = np.flatnonzero(made.born >= 0)
    key = made.born[placed] * 1_000_000 + made.slide[placed]
    _, count = np.unique(key, return_counts=True)
    order = placed[np.argsort(key, kind="stable")]
    ends = np.cumsum(count)
    seen = -1
    for start, end in zip((ends - count).tolist(), ends.tolist(), strict=True):
        articles = order[start:end].tolist()
        n = int(made.born[articles[0]])
        kind = "born" if n != seen else "grew"
        seen = n
        told.append((int(made.published[articles[0]]), kind, n, articles, "{}"))
    for n in np.flatnonzero(made.merged).tolist():
        into = json.dumps({"into": story_id(n - 1)})
        told.append((int(at.last[n]), "merged", n, [], into))
    told.sort(key=itemgetter(0, 2, 1))
    for place, (moment, kind, n, articles, details) in enumerate(told):
        ids = json.dumps([article_id(each) for each in articles])
        yield (place + 1, _slide(moment), moment, kind, story_id(n), ids, details)
