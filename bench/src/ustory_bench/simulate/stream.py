"""The door of the simulator: a plan in, a stream of labelled articles out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from typing import TypeAlias

import numpy as np

from ustory.core.arrays import Indices
from ustory.core.article import Article
from ustory_bench.simulate import names
from ustory_bench.simulate.articles import Writer, Written
from ustory_bench.simulate.draws import bits_of, draw
from ustory_bench.simulate.plan import SimulationPlan
from ustory_bench.simulate.schedule import Schedule, schedule_articles
from ustory_bench.simulate.stories import cast_stories
from ustory_bench.simulate.vocabulary import zipf_table

_BATCH = 128
"""Articles written at a time; what comes out does not depend on it."""

_SOURCES, _SOURCE_BITS = 60, 12
_Credit: TypeAlias = tuple[str, str | None]


def simulate(plan: SimulationPlan) -> Iterator[Article]:
    """Yield the articles of an invented stream, oldest first.

    Lazy: texts are made a few at a time, so that a stream of any length takes little
    memory. The same plan gives the same articles, everywhere.
    """
    cast = cast_stories(plan)
    schedule = schedule_articles(plan, cast)
    writer = Writer(plan, cast, schedule)
    for first in range(0, plan.articles, _BATCH):
        numbers = np.arange(first, min(first + _BATCH, plan.articles))
        rows = zip(
            numbers.tolist(),
            schedule.second[numbers].tolist(),
            schedule.story[numbers].tolist(),
            _credits(plan, schedule, numbers),
            writer.write(numbers),
            strict=True,
        )
        yield from (_article(plan, *row) for row in rows)


def _article(
    plan: SimulationPlan,
    number: int,
    second: int,
    story: int,
    credit: _Credit,
    written: Written,
) -> Article:
    source, taken_from = credit
    text = f"({taken_from}) {written.text}" if taken_from else written.text
    return Article(
        id=f"sim-{number:08d}",
        published_at=plan.start + timedelta(seconds=second),
        title=written.title,
        text=text,
        url=f"https://{source.replace(' ', '').lower()}.example/{number:08d}",
        lang="en",
        source=source,
        label=story_label(plan, story),
    )


def story_label(plan: SimulationPlan, story: int) -> str:
    """Return the label of a story by its number; noise is numbered behind the last.

    >>> plan = SimulationPlan(articles=10, stories=2)
    >>> story_label(plan, 1), story_label(plan, 2)
    ('story-0000001', 'noise-0000000')
    """
    if story < plan.story_count:
        return f"story-{story:07d}"
    return f"noise-{story - plan.story_count:07d}"


@cache
def _source_table() -> Indices:
    return zipf_table(_SOURCES, _SOURCE_BITS, 3)


def _credits(
    plan: SimulationPlan, schedule: Schedule, numbers: Indices
) -> list[_Credit]:
    """Return who publishes each article, and whom a copy is from: never the same."""
    key = draw(np.uint64(plan.seed), 5)
    origin = schedule.origin[numbers]
    first = _source_table()[bits_of(draw(key, origin), 0, _SOURCE_BITS)]
    step = 1 + bits_of(draw(key, numbers), 16, 16) % (_SOURCES - 1)
    copy = origin != numbers
    source = np.where(copy, (first + step) % _SOURCES, first)
    called = _sources()
    return [
        (called[by], called[of] if is_copy else None)
        for by, of, is_copy in zip(
            source.tolist(), first.tolist(), copy.tolist(), strict=True
        )
    ]


@cache
def _sources() -> list[str]:
    return names.papers(_SOURCES)
