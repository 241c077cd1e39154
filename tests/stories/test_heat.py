"""Heat halves every half day, and a word says where a story is going."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest

from tests.service.running import START
from ustory.engine.state import Record
from ustory.links.article import LinkedArticle
from ustory.links.state import LinkState
from ustory.store.tables import StoryRow
from ustory.stories.live import LOUD, heat_of
from ustory.stories.rows import trend

HALF = timedelta(hours=12)
NOTHING = np.zeros(0, dtype=np.int32)


def record(name: str, at: datetime) -> Record:
    return Record(id=name, pane=0, published_at=at, title=name, sentences=(name,))


def linked(name: str, serial: int, source: str) -> LinkedArticle:
    return LinkedArticle(
        id=name,
        serial=serial,
        pane=0,
        day=0.0,
        source=source,
        terms=NOTHING,
        tf=NOTHING,
        in_title=NOTHING.astype(bool),
        cells=NOTHING,
        sentence=NOTHING,
        count=NOTHING,
        lead=NOTHING,
        lead_tf=NOTHING,
        vector=np.zeros(2, dtype=np.float32),
    )


def test_an_article_warms_half_as_much_every_half_day() -> None:
    records = [record(str(n), START - n * HALF) for n in (3, 2, 1, 0)]
    assert heat_of(records, LinkState(), START) == 0.125 + 0.25 + 0.5 + 1


def test_a_source_that_prints_one_text_twice_is_heard_once() -> None:
    sources = {"a": "Wire", "b": "Wire", "c": "Paper", "d": ""}
    link = LinkState(
        articles={
            name: linked(name, serial, source)
            for serial, (name, source) in enumerate(sources.items())
        },
        copies={1: 0, 2: 0, 3: 0},
    )
    records = [record(name, START) for name in sources]
    assert heat_of(records, link, START) == 3.0


def test_many_articles_of_one_source_warm_a_story_as_few_do() -> None:
    names = [f"z{n:03}" for n in range(300)]
    many = {name: linked(name, n, "Evil") for n, name in enumerate(names)}
    few = {str(n): linked(str(n), 300 + n, f"Paper {n}") for n in range(20)}
    link = LinkState(articles={**many, **few})

    loud = heat_of([record(name, START) for name in many], link, START)
    honest = heat_of([record(name, START) for name in few], link, START)

    assert LOUD < loud < honest == 20
    first = heat_of([record(name, START) for name in names[:LOUD]], link, START)
    assert first == LOUD


def test_of_a_source_the_warmest_articles_count_in_full() -> None:
    articles = {str(n): linked(str(n), n, "News") for n in range(4)}
    records = [record(str(n), START - (3 - n) * HALF) for n in range(4)]

    heat = heat_of(records, LinkState(articles=articles), START)

    assert heat == pytest.approx(0.125 * LOUD / 4 + 0.25 + 0.5 + 1)


def test_articles_without_a_source_count_in_full() -> None:
    articles = {str(n): linked(str(n), n, "") for n in range(9)}
    records = [record(name, START) for name in articles]

    assert heat_of(records, LinkState(articles=articles), START) == 9


@pytest.mark.parametrize(
    ("age", "silence", "heat", "status", "word"),
    [
        (20, 1, 3.0, "live", "new"),
        (50, 1, 3.0, "live", "growing"),
        (50, 1, 1.0, "live", "steady"),
        (50, 20, 1.0, "live", "fading"),
        (50, 20, 0.0, "expired", "ended"),
        (5, 1, 0.0, "merged", "ended"),
    ],
)
def test_a_word_says_where_a_story_is_going(
    age: int, silence: int, heat: float, status: str, word: str
) -> None:
    row = StoryRow(
        id="s",
        first_seen=START - timedelta(hours=age),
        last_seen=START - timedelta(hours=silence),
        born_at=START,
        born_slide=1,
        changed_slide=1,
        status=status,
        inside=4,
        heat=heat,
    )
    assert trend(row, START) == word


@pytest.mark.parametrize(
    ("age", "silence", "articles", "heat", "word"),
    [
        (96, 20, 5, 0.6, "steady"),
        (96, 20, 50, 0.6, "fading"),
        (96, 40, 5, 0.6, "fading"),
        (160, 50, 2, 0.1, "fading"),
        (120, 1, 5, 1.6, "growing"),
        (40, 1, 4, 1.0, "new"),
    ],
)
def test_a_story_is_judged_by_its_own_pace(
    age: int, silence: int, articles: int, heat: float, word: str
) -> None:
    row = StoryRow(
        id="s",
        first_seen=START - timedelta(hours=age),
        last_seen=START - timedelta(hours=silence),
        born_at=START - timedelta(hours=2),
        born_slide=1,
        changed_slide=1,
        articles=articles,
        inside=min(articles, 5),
        heat=heat,
    )
    assert trend(row, START) == word
