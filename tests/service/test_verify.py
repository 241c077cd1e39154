"""A database is what its articles say, or the first slide that is not is named."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, update

from tests.service.running import demo_articles, opened, pipeline, tell_all
from ustory.service.verify import Verdict, replay
from ustory.store import Store
from ustory.store.tables import decisions, events, revisions
from ustory.testing import TinyEncoder

STREAM = demo_articles()[:40]


def verified(store: Store) -> Verdict:
    return replay(store, encoder=TinyEncoder(), pipeline=pipeline())


def test_a_database_that_nobody_touched_is_confirmed(url: str) -> None:
    with opened(url) as store:
        tell_all(store, STREAM)
        seen: list[int] = []
        verdict = replay(
            store, encoder=TinyEncoder(), pipeline=pipeline(), progress=seen.append
        )
        assert verdict.problems == ()
        assert verdict.articles == len(STREAM)
        assert seen == list(range(1, verdict.slides + 1))


def test_a_new_database_has_nothing_to_replay(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        assert verified(store) == Verdict(slides=0, articles=0)


def forge_text(connection: Connection) -> None:
    connection.execute(
        update(revisions).where(revisions.c.seq == 20).values(text="Forged.")
    )


def forge_decision(connection: Connection) -> None:
    connection.execute(
        update(decisions).where(decisions.c.slide == 3).values(story="s999999")
    )


def forge_event(connection: Connection) -> None:
    connection.execute(update(events).where(events.c.slide == 3).values(kind="grown"))


@pytest.mark.parametrize("forge", [forge_text, forge_decision, forge_event])
def test_whatever_was_changed_is_found(sqlite_url: str, forge: object) -> None:
    assert callable(forge)
    with opened(sqlite_url) as store:
        tell_all(store, STREAM)
        with store.write() as connection:
            forge(connection)
        verdict = verified(store)
        assert verdict.problems
        assert "slide 3" in verdict.problems[0]
        assert verdict.slides == 2
