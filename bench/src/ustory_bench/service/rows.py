"""The rows of a made-up archive, table by table, as the databases hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ustory_bench.service.synthetic import (
    DAY,
    HOUR,
    LANGUAGES,
    START,
    Ints,
    Synthetic,
    word,
)

CHUNK = 20_000
_RECORD = json.dumps(
    {"confidence": 0.75, "copy_of": None, "how": "joined"}, separators=(",", ":")
)
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Batch:
    """Rows of a table; the columns are named once."""

    table: str
    columns: Sequence[str]
    rows: Iterable[Row]


def article_id(number: int) -> str:
    """Return the id of an article by its place in the stream."""
    return f"a{number:07d}"


def story_id(number: int) -> str:
    """Return the id of a story by its place among those born."""
    return f"s{number + 1:06d}"


def article_batches(made: Synthetic) -> Iterator[Batch]:
    """Yield articles, their texts, and the decisions about them."""
    for first in range(0, made.articles, CHUNK):
        count = min(CHUNK, made.articles - first)
        part = slice(first, first + count)
        texts = list(made.texts(first, count))
        numbers = range(first, first + count)
        columns: tuple[Sequence[Any], ...] = (
            numbers,
            made.slide[part].tolist(),
            made.published[part].tolist(),
            made.story[part].tolist(),
            made.source[part].tolist(),
            texts,
        )
        articles = list(zip(*columns, strict=True))
        languages = made.language[np.maximum(made.story[part], 0)].tolist()
        pairs = zip(articles, languages, strict=True)
        yield Batch("articles", _ARTICLE, [_article(one, lang) for one, lang in pairs])
        yield Batch("revisions", _REVISION, [_revision(one) for one in articles])
        placed = [one for one in articles if one[3] >= 0]
        yield Batch("decisions", _DECISION, [_decision(one) for one in placed])


_ARTICLE = (
    *("id", "seq", "slide", "url", "address", "fingerprint", "title", "source", "lang"),
    *("authors", "published_at", "claimed_at", "fetched_at", "origin", "story", "how"),
    *("confidence", "edits", "waiting", "text_kept"),
)
_REVISION = (
    "seq",
    "article",
    "number",
    "slide",
    "title",
    "text",
    "fingerprint",
    "fetched_at",
)
_DECISION = ("article", "slide", "story", "record")


def _article(drawn: Row, tongue: int) -> Row:
    n, slide, at, story, source, text = drawn
    address = f"https://news{source}.example/{n}"
    placed = story_id(story) if story >= 0 else None
    return (
        *(article_id(n), n + 1, slide, address, address, f"f{n}", text[0]),
        *(f"source{source}", LANGUAGES[tongue], "[]", at, at, at, "made"),
        *(placed, "joined" if placed else "", 0.75, 0, False, True),
    )


def _revision(drawn: Row) -> Row:
    n, slide, at, _, _, text = drawn
    return (n + 1, article_id(n), 1, slide, *text, f"f{n}", at)


def _decision(drawn: Row) -> Row:
    n, slide, _, story, _, _ = drawn
    return (article_id(n), slide, story_id(story), _RECORD)


def slide_batch(made: Synthetic) -> Batch:
    """Return the slides; all are closed."""
    ends = np.bincount(made.slide)[1:].cumsum()
    columns = (
        "number",
        "start",
        "end",
        "first_seq",
        "last_seq",
        "status",
        "articles",
        "stories",
        "seconds",
    )
    rows = []
    first = 1
    for place, last in enumerate(ends.tolist()):
        start = START + place * HOUR
        rows.append((place + 1, start, start + HOUR, first, last, "closed", 0, 0, "{}"))
        first = last + 1
    return Batch("slides", columns, rows)


class Standing:
    """How each story stands at the end."""

    def __init__(self, made: Synthetic) -> None:
        self.made = made
        placed = np.flatnonzero(made.story >= 0)
        of = made.story[placed]
        self.count = np.bincount(of, minlength=made.stories)
        self.first = np.full(made.stories, np.iinfo(np.int64).max)
        self.last = np.zeros(made.stories, dtype=np.int64)
        np.minimum.at(self.first, of, made.published[placed])
        np.maximum.at(self.last, of, made.published[placed])
        self.tags = np.unique(of * 1000 + made.source[placed])
        age = (made.published[-1] - made.published[placed]) / (12 * HOUR)
        warmth = np.bincount(of, weights=0.5**age, minlength=made.stories)
        self.live = np.arange(made.stories) >= made.stories - made.live
        self.heat = np.where(self.live, np.round(warmth, 6), 0.0)
        self.days = self._days(of, made.published[placed] // DAY, placed)

    def _days(
        self, of: Ints, day: Ints, placed: Ints
    ) -> list[tuple[int, int, int, int]]:
        keys, first, count = np.unique(
            of * 100_000 + day, return_index=True, return_counts=True
        )
        columns = (keys // 100_000, keys % 100_000, count, placed[first])
        return list(zip(*(one.tolist() for one in columns), strict=True))

    def status(self, story: int) -> str:
        """Return the status of a story."""
        return "live" if self.live[story] else "expired"

    def standing(self) -> list[Row]:
        """Return what is repeated of each story beside its words."""
        status = ["live" if live else "expired" for live in self.live.tolist()]
        columns = (status, self.first.tolist(), self.last.tolist(), self.count.tolist())
        return list(zip(*columns, strict=True))


def story_batches(at: Standing) -> Iterator[Batch]:
    """Yield stories, their days, their words and their events."""
    made = at.made
    words = made.keywords.tolist()
    keywords = [list(dict.fromkeys(map(word, row))) for row in words]
    yield Batch(
        "stories", _STORY, (_story(at, n, keywords[n]) for n in range(made.stories))
    )
    days = ("story", "day", "articles", "sources", "keywords", "central")
    yield Batch(
        "story_days",
        days,
        (
            (story_id(n), day, count, 1, json.dumps(keywords[n][:3]), article_id(first))
            for n, day, count, first in at.days
        ),
    )
    names = ("status", "first_seen", "last_seen", "articles")
    standing = at.standing()
    pairs = ((n, each) for n in range(made.stories) for each in sorted(keywords[n]))
    yield Batch(
        "story_keywords",
        ("story", "keyword", *names),
        ((story_id(n), each, *standing[n]) for n, each in pairs),
    )
    tags = ((tag // 1000, tag % 1000) for tag in at.tags.tolist())
    yield Batch(
        "story_sources",
        ("story", "source", *names),
        ((story_id(n), f"source{source}", *standing[n]) for n, source in tags),
    )
    yield Batch(
        "events",
        ("id", "slide", "at", "kind", "story", "articles", "details"),
        _events(at),
    )


_STORY = (
    *("id", "number", "status", "headline", "keywords", "first_seen", "last_seen"),
    *("articles", "inside", "sources", "heat", "born_at", "born_slide"),
    *("changed_slide", "lang", "top_sources"),
)


def headline(number: int, keywords: Sequence[str]) -> str:
    """Return the headline of a story."""
    return f"{' '.join(keywords[:4])} headline {number}"


def _story(at: Standing, n: int, keywords: list[str]) -> Row:
    made = at.made
    first, last = int(at.first[n]), int(at.last[n])
    born = 1 + (first - START) // HOUR
    changed = 1 + (last - START) // HOUR
    return (
        *(story_id(n), n + 1, at.status(n), headline(n, keywords)),
        *(json.dumps(keywords), first, last, int(at.count[n])),
        *(int(at.count[n]) if at.live[n] else 0, 1, float(at.heat[n]), first, born),
        *(changed, LANGUAGES[made.language[n]], "[]"),
    )


def _events(at: Standing) -> Iterator[Row]:
    told = [(int(at.first[n]), "born", n) for n in range(at.made.stories)]
    told += [
        (int(at.last[n]), "grew", n) for n in np.flatnonzero(at.count > 1).tolist()
    ]
    for place, (moment, kind, n) in enumerate(sorted(told)):
        slide = 1 + (moment - START) // HOUR
        yield (place + 1, slide, moment, kind, story_id(n), "[]", "{}")
