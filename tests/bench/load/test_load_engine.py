"""A load against the engine finds the stories that a run does, and times it."""

from __future__ import annotations

import pytest
from tests.service.running import DAILY, demo_articles, pipeline

from ustory.stories.discovery import Discovery, find_stories
from ustory.testing import TinyEncoder
from ustory_bench.load.engine import load_engine
from ustory_bench.load.figures import LoadReport, Times, peak_mib, resident_mib
from ustory_bench.load.pace import Pace


def loaded(pace: Pace) -> tuple[LoadReport, Discovery, list[int]]:
    discovery = Discovery(DAILY, encoder=TinyEncoder(), pipeline=pipeline())
    seen: list[int] = []
    report = load_engine(
        discovery, demo_articles(), pace, lambda pace: seen.append(pace.handed)
    )
    return report, discovery, seen


def test_the_stories_are_those_of_a_run() -> None:
    report, discovery, seen = loaded(Pace(None))
    alone = find_stories(
        demo_articles(), DAILY, encoder=TinyEncoder(), pipeline=pipeline()
    )
    engine = discovery.engine
    assert engine.freeze(discovery.state) == engine.freeze(alone.state)
    assert report.articles == len(demo_articles())
    assert report.window == len(alone.state.records)
    assert report.stories == len(alone.state.stories)
    assert seen == list(range(1, len(demo_articles()) + 1))


def test_every_slide_is_timed_and_all_of_it_is_less_than_the_run() -> None:
    report, discovery, _ = loaded(Pace(None))
    days = {article.published_at.date() for article in demo_articles()}
    assert report.slides is not None
    assert report.slides.count == (max(days) - min(days)).days + 1
    assert 0 < report.slides.median <= report.slides.p95 <= report.slides.longest
    assert report.slides.longest < report.seconds
    assert set(report.steps) == set(discovery.stopwatch.seconds)
    assert (report.lag, report.keeps_up) == (None, None)


def test_with_a_rate_lateness_is_told() -> None:
    report, _, _ = loaded(Pace(2_000.0))
    assert report.lag is not None
    assert report.lag.count == report.articles
    assert report.lag.longest >= report.last_lag >= 0


@pytest.mark.parametrize(("late", "keeps"), [(1.4, True), (1.6, False)])
def test_it_keeps_up_when_the_last_article_is_no_later_than_a_slide(
    late: float, keeps: bool
) -> None:
    report = LoadReport(
        against="engine",
        rate=5.0,
        articles=10,
        seconds=2.0,
        slides=Times.of([0.1, 0.5]),
        lag=Times.of([0.0, late]),
        last_lag=late,
        memory_mib=1.0,
        peak_mib=2.0,
        window=10,
        stories=1,
    )
    assert report.keeps_up is keeps
    plain = report.plain()
    assert plain["articles_per_second"] == 5.0
    assert plain["slides"] == {"count": 2, "median": 0.3, "p95": 0.48, "longest": 0.5}


def test_memory_is_told_in_mebibytes() -> None:
    assert 20 < resident_mib() < 100_000
    assert peak_mib() >= 0.9 * resident_mib()


def test_no_times_are_none() -> None:
    assert Times.of([]) is None
