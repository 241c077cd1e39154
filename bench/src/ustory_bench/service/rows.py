"""The articles and slides of a made-up archive as rows, as the databases hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from ustory_bench.service.synthetic import HOUR, LANGUAGES, START, USED, Synthetic
from ustory_bench.service.vocabulary import host, outlet, word

CHUNK = 20_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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


def moment(microseconds: int) -> datetime:
    """Return a time by the number that the databases hold."""
    return EPOCH + timedelta(microseconds=microseconds)


def article_batches(made: Synthetic, first: int) -> Iterator[Batch]:
    """Yield a chunk of articles, their texts, and the decisions about them."""
    count = min(CHUNK, made.articles - first)
    part = slice(first, first + count)
    numbers = range(first, first + count)
    columns: tuple[Sequence[Any], ...] = (
        numbers,
        made.slide[part].tolist(),
        made.published[part].tolist(),
        made.story[part].tolist(),
        made.source[part].tolist(),
        list(made.texts(first, count)),
    )
    articles = list(zip(*columns, strict=True))
    languages = made.language[np.maximum(made.meant[part], 0)].tolist()
    pairs = zip(articles, languages, strict=True)
    rows = [_article(one, lang, made.told) for one, lang in pairs]
    yield Batch("articles", _ARTICLE, rows)
    yield Batch("revisions", _REVISION, [_revision(one) for one in articles])
    used = made.ranks(first, count)[:, :USED].tolist()
    placed = zip(articles, used, strict=True)
    rows = [_decision(one, words) for one, words in placed if one[3] >= 0]
    yield Batch("decisions", ("article", "slide", "story", "record"), rows)


_ARTICLE = (
    *("id", "seq", "slide", "url", "address", "fingerprint", "title", "source", "lang"),
    *("authors", "published_at", "claimed_at", "fetched_at", "origin", "story", "how"),
    *("confidence", "edits", "waiting", "text_kept"),
)
_REVISION = (
    *("seq", "article", "number", "slide", "title", "text"),
    *("fingerprint", "fetched_at"),
)


def _article(drawn: Row, tongue: int, told: int) -> Row:
    n, slide, at, story, source, text = drawn
    address = f"https://{host(source)}/{n}"
    placed = story_id(story) if story >= 0 else None
    return (
        *(article_id(n), n + 1, slide, address, address, f"f{n}", text[0]),
        *(outlet(source), LANGUAGES[tongue], "[]", at, at, at, feed_url(source)),
        *(placed, "assigned" if placed else "", 0.75, 0, n >= told, True),
    )


def feed_url(source: int) -> str:
    """Return the address of the feed of an outlet."""
    return f"https://{host(source)}/feed.xml"


def _revision(drawn: Row) -> Row:
    n, slide, at, _, _, text = drawn
    return (n + 1, article_id(n), 1, slide, *text, f"f{n}", at)


def _decision(drawn: Row, words: Sequence[int]) -> Row:
    """Return why an article is in its story, as a service would have told it."""
    n, slide, _, story, _, _ = drawn
    name = story_id(story)
    other = story_id(story - 1) if story else None
    record = {
        "best": name,
        "confidence": 0.75,
        "copy_of": None,
        "decided_at": f"{moment(START + slide * HOUR):%Y-%m-%dT%H:%M:%SZ}",
        "evidence": {"meaning": 1.25, "time": -0.5, "words": 4.75},
        "how": "assigned",
        "keywords": {word(rank): 2 for rank in words},
        "links": {article_id(max(n - back, 0)): 0.75 for back in (3, 5, 9)},
        "log_odds": 1.1,
        "margin": 0.5,
        "probability": 0.75,
        "runner_up": other,
        "stories": 400,
        "story": name,
        "weights": [0.4, 0.3, 0.2, 0.1],
    }
    return (article_id(n), slide, name, json.dumps(record, separators=(",", ":")))


def slide_batch(made: Synthetic) -> Batch:
    """Return the slides; all are closed, and nothing was found in them yet."""
    counts = np.bincount(made.slide)[1:]
    columns = (
        *("number", "start", "end", "first_seq", "last_seq", "status"),
        *("articles", "stories", "seconds"),
    )
    rows = []
    first = 1
    for place, count in enumerate(counts.tolist()):
        start, last = START + place * HOUR, first + count - 1
        spent = json.dumps(_seconds(place, count), sort_keys=True)
        row = (place + 1, start, start + HOUR, first, last, "closed")
        rows.append((*row, count, made.live, spent))
        first = last + 1
    return Batch("slides", columns, rows)


def _seconds(place: int, articles: int) -> dict[str, float]:
    """Return how long the steps of a slide took, a little other each time."""
    whole = round(0.5 + articles * 0.004 * (1 + place % 7 / 10), 6)
    shares = {"text": 0.1, "encoding": 0.3, "links": 0.4, "groups": 0.1}
    return {"total": whole, **{k: round(v * whole, 6) for k, v in shares.items()}}
