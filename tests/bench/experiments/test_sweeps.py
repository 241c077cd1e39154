from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.experiments.figure_case import demo_inputs, inputs_of, plan_of, written

from ustory.core.settings import Settings
from ustory_bench.experiments.sweeps import (
    last_days,
    measure,
    our_systems,
    sweep_job,
    warm,
)
from ustory_bench.runner.follow import follow
from ustory_bench.runner.score import score_system
from ustory_bench.system import find_system


def test_a_point_that_two_sweeps_pass_through_is_one_job() -> None:
    plan = plan_of("ustory-auto")
    plain = sweep_job(plan, "a", "ustory-auto")

    assert plain == sweep_job(plan, "a", "ustory-auto", {"window": "7d"})
    assert plain == sweep_job(
        plan, "a", "ustory-auto", None, {"keywords": 10, "temperature": 2}
    )
    assert plain.arguments == {"system": "ustory-auto"}


def test_what_differs_from_the_plan_or_the_defaults_is_in_the_job() -> None:
    plan = plan_of("ustory")
    job = sweep_job(plan, "a", "ustory", {"window": "3d"}, {"min_articles": 2}, 50)

    assert job.arguments == {
        "system": "ustory",
        "settings": {"window": "3d"},
        "parameters": {"min_articles": 2},
        "articles": 50,
    }
    by_days = replace(plan, settings=Settings(mode="paper", window=timedelta(days=3)))
    assert (
        "settings" not in sweep_job(by_days, "a", "ustory", {"window": "3d"}).arguments
    )


def test_our_systems_are_there_even_if_the_plan_has_none() -> None:
    assert our_systems(plan_of("ustory", "miranda")) == ["ustory"]
    assert our_systems(plan_of("ustory", "ustory-auto")) == ["ustory-auto", "ustory"]
    assert our_systems(plan_of("miranda")) == ["ustory-auto"]


@pytest.mark.parametrize("name", ["ustory-auto", "constream"])
def test_scores_are_those_of_a_comparison(name: str) -> None:
    inputs = demo_inputs()
    settings = inputs.settings.with_({"window": "3d"})
    found = measure(inputs, system=name, settings={"window": "3d"})

    outcome = score_system(find_system(name), inputs.stream, settings, inputs.encoder)
    plain = outcome.plain()
    figures = plain["figures"]["singleton"]
    for metric, value in found["windowed"].items():
        assert value == figures[f"windowed_{metric}"]
        assert found["whole_stream"][metric] == figures[f"whole_stream_{metric}"]
        assert found["intervals"][metric] == plain["intervals"][metric]
    assert found["windows"] == len(plain["windows"]["bcubed_f1"])


def test_parameters_and_settings_change_the_run() -> None:
    usual = measure(demo_inputs(), system="ustory-auto")
    one = measure(demo_inputs(), system="ustory-auto", parameters={"keywords": 1})
    short = measure(demo_inputs(), system="ustory-auto", settings={"window": "1d"})

    assert usual["windowed"] != one["windowed"]
    assert short["articles_per_window"] < usual["articles_per_window"]


def test_only_our_engine_has_steps_and_they_take_no_longer_than_the_slide() -> None:
    ours = measure(demo_inputs(), system="ustory-auto")
    theirs = measure(demo_inputs(), system="constream")

    assert theirs["steps"] is None
    assert {"initial", "seeding", "assignment", "summary"} <= set(ours["steps"])
    assert 0 < sum(ours["steps"].values()) <= ours["seconds"]["mean"] + 1e-5


def test_times_are_of_full_windows() -> None:
    found = measure(demo_inputs(), system="constream")

    # slides end on 14 days; the window is full seven days after the first
    assert found["full_windows"]
    assert found["seconds"]["slides"] == found["windows"] == 14 - 7


def test_windows_by_number_are_scored_where_they_are_full() -> None:
    inputs = demo_inputs()
    settings = inputs.settings.with_({"window": "50", "slide": "25"})
    found = measure(
        inputs, system="ustory-auto", settings={"window": "50", "slide": "25"}
    )

    engine = find_system("ustory-auto").make(settings, inputs.encoder)
    told = list(follow(engine, inputs.stream.articles, settings))
    truth = inputs.stream.truth
    full = [each.stories for each in told if len(each.stories) == 50]
    expected = [
        _plain_f1({a: str(truth[a]) for a in stories}, stories) for stories in full
    ]
    assert found["windows"] == len(full) == 3
    assert found["articles_per_window"] == 50
    assert found["windowed"]["bcubed_f1"] == pytest.approx(fmean(expected), abs=1e-6)


def test_a_stream_shorter_than_its_windows_by_number_says_so() -> None:
    found = measure(
        demo_inputs(), system="ustory-auto", settings={"window": "400", "slide": "100"}
    )

    assert not found["full_windows"]
    assert found["intervals"]["bcubed_f1"] is None


def test_warming_up_takes_what_the_task_takes() -> None:
    warm(demo_inputs(), {"system": "constream", "articles": 10})
    warm(
        demo_inputs(),
        {
            "system": "ustory",
            "settings": {"window": "3d"},
            "parameters": {"keywords": 3},
        },
    )


@given(
    days=st.lists(st.integers(0, 6), min_size=1, max_size=12),
    wanted=st.integers(1, 14),
)
def test_the_last_days_are_whole_and_no_more_than_needed(
    days: list[int], wanted: int
) -> None:
    articles = [
        written(f"a{i}", ["A flood."], "s", hours=24 * day + i)
        for i, day in enumerate(sorted(days))
    ]
    articles.sort(key=lambda one: one.article.published_at)
    stream = inputs_of(articles).stream
    kept = last_days(stream, wanted).articles

    assert kept == stream.articles[len(stream.articles) - len(kept) :]
    held = Counter(one.article.published_at.date() for one in kept)
    whole = Counter(one.article.published_at.date() for one in articles)
    assert all(whole[day] == count for day, count in held.items())
    assert len(kept) >= min(wanted, len(articles))
    assert len(kept) - held[min(held)] < wanted


def test_no_limit_is_the_whole_stream() -> None:
    stream = demo_inputs().stream

    assert last_days(stream, None) is stream


def _plain_f1(truth: Mapping[str, str], found: Mapping[str, str | None]) -> float:
    """B-cubed F1 by its definition; an unassigned article is alone."""
    label = {
        a: story if story is not None else f"alone {a}" for a, story in found.items()
    }
    precision, recall = [], []
    for a in truth:
        together = [b for b in truth if label[b] == label[a]]
        true = [b for b in truth if truth[b] == truth[a]]
        both = len(set(together) & set(true))
        precision.append(both / len(together))
        recall.append(both / len(true))
    p, r = fmean(precision), fmean(recall)
    return 2 * p * r / (p + r)
