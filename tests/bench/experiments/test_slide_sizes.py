from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from tests.bench.experiments.figure_case import (
    all_failed,
    demo_inputs,
    plan_of,
    shown,
)
from tests.bench.experiments.sweep_case import (
    all_dashes,
    figures_of,
    made_up,
    pretended,
    tables_of,
    trace_of,
)

from ustory.core.settings import Settings
from ustory.core.spans import EPOCH
from ustory_bench.experiments import sweeps
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.slides import (
    PARTS,
    SLIDES,
    measure,
    told_in_slides,
    with_times,
)
from ustory_bench.report.blocks import Section
from ustory_bench.runner.jobs import Job
from ustory_bench.runner.streams import Stream
from ustory_bench.system import find_system

PLAN = plan_of("ustory-auto", "miranda")
DAY = timedelta(days=1)


def test_the_experiment_is_found_by_its_name() -> None:
    assert find_experiment("slides") is SLIDES


def test_articles_with_dates_only_are_spread_over_their_days() -> None:
    dated = _dated()
    spread = with_times(dated)

    assert [(a.article.id, a.article.published_at.date()) for a in _by_id(spread)] == [
        (a.article.id, a.article.published_at.date()) for a in _by_id(dated)
    ]
    times = [one.article.published_at for one in spread.articles]
    assert times == sorted(times)
    assert len({moment.hour for moment in times}) > 12


def test_the_time_of_an_article_is_its_own_and_not_that_of_its_neighbours() -> None:
    dated = _dated()
    half = replace(dated, articles=dated.articles[::2])
    whole = with_times(dated).published

    assert with_times(half).published.items() <= whole.items()


def test_a_stream_with_times_is_left_as_it_is() -> None:
    stream = demo_inputs().stream
    assert any(one.article.published_at.time() != time.min for one in stream.articles)

    assert with_times(stream) is stream


@pytest.mark.parametrize("parts", [2, 24])
def test_where_a_day_ends_all_slide_sizes_have_the_same_articles(parts: int) -> None:
    daily, hourly = _windows(1), _windows(parts)
    ends = {end for end in hourly if (end - EPOCH) % DAY == timedelta(0)}

    assert len(hourly) > len(daily)
    assert ends == set(daily)
    assert all(daily[end] == hourly[end] for end in daily)


def test_whole_slides_score_as_the_stream_of_days_does() -> None:
    inputs = replace(demo_inputs(), stream=_dated())
    spread = measure(inputs, system="ustory-auto", parts=1, articles=1000)
    plain = sweeps.measure(inputs, system="ustory-auto")

    assert spread["spread"]
    for part in ("windowed", "whole_stream", "intervals", "windows"):
        assert spread[part] == plain[part]


def test_smaller_slides_are_scored_in_as_many_windows_and_detect_sooner() -> None:
    daily = measure(demo_inputs(), system="ustory-auto", parts=1, articles=1000)
    often = measure(demo_inputs(), system="ustory-auto", parts=8, articles=1000)

    assert not daily["spread"]
    assert daily["windows"] == often["windows"]
    assert daily["articles_per_window"] == often["articles_per_window"]
    assert often["seconds"]["slides"] == 8 * (daily["seconds"]["slides"] - 1) + 1
    assert often["detection"]["mean_hours"] < daily["detection"]["mean_hours"]


def test_figure_and_table_show_scores_times_and_detection() -> None:
    section = _section()
    (figure,), (table,) = figures_of(section), tables_of(section)

    assert trace_of(figure, "time per slide")["y"] == [10.0] * len(PARTS)
    assert trace_of(figure, "B³-F1", "y2")["x"] == ["1d", "12h", "6h", "3h", "1h"]
    assert trace_of(figure, "B³-F1", "y2")["y"] == [1 / parts for parts in PARTS]
    hourly = dict(zip(table.columns, table.rows[-1].cells, strict=True))
    assert hourly["ms per 1d"].value == 240
    assert hourly["hours until detected"].value == 12.5
    assert "Articles of stream have dates only" in section.text
    assert "B³-F1 is 1.000 with slides of 1d and 0.042 with slides of 1h" in (
        section.text
    )


def test_what_failed_is_a_fault_and_a_dash() -> None:
    section = shown(SLIDES, SLIDES.gather(PLAN, all_failed(SLIDES, PLAN)))

    assert section.faults[1] == "ustory-auto on stream, slides of 12h: the dog ate it"
    assert all_dashes(section)


def _dated() -> Stream:
    """Return the demo stream as if only its days were known."""
    stream = demo_inputs().stream
    return replace(
        stream,
        articles=tuple(
            replace(
                one,
                article=replace(
                    one.article,
                    published_at=datetime.combine(
                        one.article.published_at.date(), time.min, UTC
                    ),
                ),
            )
            for one in stream.articles
        ),
    )


def _by_id(stream: Stream) -> list[Any]:
    return sorted(stream.articles, key=lambda one: one.article.id)


def _windows(parts: int) -> dict[datetime, set[str]]:
    """Return which articles are in the window at each slide end."""
    settings, inputs = Settings(mode="paper", slide=DAY / parts), demo_inputs()
    system = find_system("constream").make(settings, inputs.encoder)
    stream = with_times(_dated())
    told = told_in_slides(system, stream.articles, settings, DAY)
    return {each.end: set(each.stories) for each in told}


def _section() -> Section:
    def result(job: Job) -> dict[str, Any]:
        detection = {"mean_hours": 12.5, "by_second_article": 0.5}
        f1 = 1 / job.arguments["parts"]
        return made_up(f1, spread=True, detection=detection)

    return shown(SLIDES, SLIDES.gather(PLAN, pretended(SLIDES, PLAN, result)))
