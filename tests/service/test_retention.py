"""Old texts and old articles are let go of, and what is still needed never is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from tests.service.running import (
    DAILY,
    DAY,
    Rig,
    demo_articles,
    ids_in,
    opened,
    pipeline,
    tell_all,
)
from ustory.core.errors import ConfigError
from ustory.service.clock import StreamClock
from ustory.service.loop import Loop
from ustory.service.settings import Retention
from ustory.service.verify import replay
from ustory.store import Store
from ustory.store.tables import articles, stories
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder

LATER = demo_articles()[-1].published_at + 30 * DAY


def texts_kept(store: Store) -> int:
    with store.read() as connection:
        query = select(func.count()).where(articles.c.text_kept.is_(True))
        return int(connection.execute(query).scalar_one())


def test_texts_are_let_go_of_but_those_a_start_may_need(url: str) -> None:
    with opened(url) as store:
        tell_all(store, demo_articles())
        assert Retention(texts=8 * DAY).apply(store, LATER) > 50
        assert 0 < texts_kept(store) < 60
        assert len(ids_in(store)) == len(demo_articles())
        rig = Rig(store)  # it can go on
        last = demo_articles()[-1]
        rig.accept(replace(last, id="more", url=None, text=f"{last.text} More."))
        rig.loop.finish()
        assert check(store) == []
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.problems == ()
        assert "was removed by retention" in verdict.note
        assert verdict.since > 0
        assert verdict.slides > 0


def test_articles_are_let_go_of_and_their_stories_stay(url: str) -> None:
    with opened(url) as store:
        tell_all(store, demo_articles())
        with store.read() as connection:
            count = select(func.count()).select_from(stories)
            before = connection.execute(count).scalar_one()
        Retention(articles=8 * DAY).apply(store, LATER)
        assert len(ids_in(store)) < 60
        with store.read() as connection:
            assert connection.execute(count).scalar_one() == before
        assert check(store) == []
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.problems == ()
        assert "retention removed the others" in verdict.note
        assert verdict.since > 0
        Rig(store)


def test_nothing_is_let_go_of_unless_asked(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        tell_all(store, demo_articles()[:40])
        assert Retention().apply(store, LATER) == 0
        assert texts_kept(store) == 40


@pytest.mark.parametrize("name", ["texts", "articles"])
def test_what_is_in_the_window_cannot_be_let_go_of(sqlite_url: str, name: str) -> None:
    retention = Retention(**{name: timedelta(days=7)})
    with (
        opened(sqlite_url) as store,
        pytest.raises(ConfigError, match=f"{name} must be kept .* of 7d; got 7d"),
    ):
        Loop(store, DAILY, TinyEncoder(), StreamClock(), retention=retention)
