from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.runner.rigged_system import RIGGED, stream, system

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.testing import TinyEncoder
from ustory_bench.runner.score import score_system
from ustory_bench.runner.scoring import objective
from ustory_bench.runner.streams import Stream
from ustory_bench.runner.tuning import (
    MAX_CONFIGURATIONS,
    Parameters,
    configurations,
    tune,
)

A, B, C = (stream(name, sha256=name * 64) for name in "abc")
RANGES = st.dictionaries(
    st.sampled_from("kmnt"),
    st.lists(st.integers(0, 30), min_size=1, max_size=12, unique=True).map(tuple),
    max_size=4,
)


@given(RANGES, st.integers(1, 25), st.integers(0, 5))
def test_configurations_are_few_distinct_in_range_and_begin_with_the_default(
    ranges: dict[str, tuple[int, ...]], limit: int, seed: int
) -> None:
    given_system = system(ranges)

    found = configurations(given_system, limit, seed)

    assert found[0] == given_system.parameters
    assert len({str(sorted(each.items())) for each in found}) == len(found)
    assert all(each[name] in ranges[name] for each in found for name in ranges)
    size = math.prod(map(len, ranges.values()))
    assert len(found) == min(size, limit)


def test_a_small_grid_is_searched_whole() -> None:
    found = configurations(system({"k": (1, 2, 3), "t": (0.1, 0.2)}))

    assert len(found) == 6


def test_a_large_grid_is_sampled_evenly() -> None:
    ranges = {"k": tuple(range(10)), "t": (0.1, 0.2, 0.3, 0.4), "m": (1, 2, 3, 4, 5)}

    found = configurations(system(ranges))

    assert len(found) == MAX_CONFIGURATIONS == 20
    for name, values in ranges.items():
        times = Counter(each[name] for each in found)
        # of 20, one of which is the default: each value in its share, give or take 1
        assert all(
            abs(times[value] - MAX_CONFIGURATIONS / len(values)) <= 1
            for value in values
        )


def test_another_seed_is_another_sample_and_the_same_seed_the_same() -> None:
    large = system({"k": tuple(range(10)), "t": tuple(range(10))})

    assert configurations(large, seed=1) == configurations(large, seed=1)
    assert configurations(large, seed=1) != configurations(large, seed=2)


def test_a_limit_under_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least 1 configuration"):
        configurations(RIGGED, limit=0)


def test_the_best_on_the_other_streams_is_chosen() -> None:
    def measure(parameters: Parameters, on: Stream) -> float:
        report = score_system(
            RIGGED, on, Settings(mode="paper"), TinyEncoder(), parameters
        )
        return objective(report.report.figures())

    tuned = tune(RIGGED, [A, B], measure, reported=C)

    assert tuned.parameters == {"depth": 1}
    assert tuned.streams == ("a", "b")
    assert len(tuned.trials) == 4


def test_every_stream_counts_the_same() -> None:
    values = {"a": (0.9, 0.5, 0.0, 0.0), "b": (0.1, 0.6, 0.0, 0.0)}

    tuned = tune(
        RIGGED, [A, B], lambda p, s: values[s.name][int(str(p["depth"]))], reported=C
    )

    assert tuned.parameters == {"depth": 1}


def test_among_equals_the_default_wins() -> None:
    tuned = tune(RIGGED, [A], lambda parameters, on: 0.5, reported=C)

    assert tuned.parameters == RIGGED.parameters


def test_a_configuration_that_fails_on_a_stream_cannot_win() -> None:
    def measure(parameters: Parameters, on: Stream) -> float:
        if parameters["depth"] == 3:
            return math.nan if on is B else 1.0
        return 0.5 if parameters["depth"] == 2 else 0.1

    assert tune(RIGGED, [A, B], measure, reported=C).parameters == {"depth": 2}


def test_a_system_that_always_fails_cannot_be_tuned() -> None:
    with pytest.raises(ConfigError, match="each of its 4 configurations failed"):
        tune(RIGGED, [A], lambda parameters, on: math.nan, reported=C)


@pytest.mark.parametrize(
    "same", [stream("a", sha256="x" * 64), stream("renamed", sha256="a" * 64)]
)
def test_a_reported_stream_is_never_tuned_on_whatever_it_is_called(
    same: Stream,
) -> None:
    with pytest.raises(ConfigError, match="never tuned on"):
        tune(RIGGED, [B, same], lambda parameters, on: 0.5, reported=A)


def test_tuning_needs_another_stream() -> None:
    with pytest.raises(ConfigError, match="give another stream, or simulated ones"):
        tune(RIGGED, [], lambda parameters, on: 0.5, reported=A)


def test_the_objective_is_the_mean_of_both_views() -> None:
    figures = {"windowed_bcubed_f1": 0.8, "whole_stream_bcubed_f1": 0.6, "x": 9.0}

    assert objective(figures) == pytest.approx(0.7)
