"""Slides follow one another without a gap, whatever the clock and the stream do."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from tests.service.conftest import new_sqlite
from tests.service.running import DAILY, DAY, START, opened
from ustory.service.slide_schedule import SlideSchedule, calendar_of
from ustory.store import Store
from ustory.store.mapping import load_all
from ustory.store.tables import SlideRow, slides

CALENDAR = calendar_of(DAILY)
WINDOW = 7 * DAY


def slides_in(store: Store) -> list[SlideRow]:
    with store.read() as connection:
        query = select(slides).order_by(slides.c.number)
        return load_all(connection, query, SlideRow)


moments = st.lists(
    st.tuples(st.sampled_from(["come", "close", "flush"]), st.integers(-30, 400)),
    max_size=12,
)


@settings(max_examples=40)
@given(moments)
def test_ranges_have_no_gap_and_ends_never_go_back(
    steps: list[tuple[str, int]],
) -> None:
    with (
        TemporaryDirectory() as folder,
        opened(new_sqlite(Path(folder))) as store,
    ):
        now, seq = START, 1
        for kind, hours in steps:
            now += timedelta(hours=hours)
            seq = step(store, kind, now, seq)
        rows = slides_in(store)
        assert [row.number for row in rows] == list(range(1, len(rows) + 1))
        assert [row.status for row in rows[:-1]] == ["closed"] * (len(rows) - 1)
        for one, other in pairwise(rows):
            assert other.first_seq == (one.last_seq or 0) + 1
            assert other.end >= one.end
            assert other.end - other.start == DAY
        if rows and rows[-1].last_seq is not None:
            assert rows[-1].last_seq == seq - 1


def step(store: Store, kind: str, now: datetime, seq: int) -> int:
    with store.write() as connection:
        schedule = SlideSchedule(connection, CALENDAR, max_articles=3)
        if kind == "close":
            schedule.close_due(now, seq)
        elif kind == "flush":
            schedule.close_open(seq)
        else:
            slide = schedule.slide_at(now, seq)
            assert slide.status == "open"
            assert now < slide.end
            assert seq - slide.first_seq < 3
            return seq + 1
    return seq


def test_quiet_slides_are_told_until_the_window_is_empty(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        step(store, "come", START, 1)
        step(store, "close", START + 100 * DAY, 2)
        rows = slides_in(store)
        assert rows[-1].end == START + DAY + WINDOW
        assert len(rows) == 8
        step(store, "come", START + 100 * DAY, 2)
        assert slides_in(store)[-1].start == START + 100 * DAY


def test_a_slide_without_anything_is_not_closed_early(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        step(store, "flush", START, 1)
        assert slides_in(store) == []
        step(store, "come", START, 1)
        step(store, "flush", START, 2)
        step(store, "flush", START, 2)
        assert [row.last_seq for row in slides_in(store)] == [1]
