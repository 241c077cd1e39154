from __future__ import annotations

import json

import pytest
from tests.bench.runner.rigged_system import RIGGED, stream

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.scores.agreement import PROTOCOLS
from ustory.testing import TinyEncoder
from ustory_bench.runner.score import score_system

SETTINGS, ENCODER = Settings(mode="paper"), TinyEncoder()


def test_the_truth_scores_1_in_every_window_and_under_both_protocols() -> None:
    outcome = score_system(RIGGED, stream(), SETTINGS, ENCODER, {"depth": 1})

    assert set(outcome.reports) == set(PROTOCOLS)
    assert outcome.report is outcome.reports["singleton"]
    for report in outcome.reports.values():
        assert report.windowed.mean.bcubed_f1 == 1
        # the flood that is back after a year is a new story to any window
        assert report.whole_stream.bcubed_precision == 1
        assert report.whole_stream.bcubed_recall < 1


def test_an_outcome_names_its_system_its_stream_and_all_parameters() -> None:
    default = score_system(RIGGED, stream("a"), SETTINGS, ENCODER)
    changed = score_system(RIGGED, stream("b"), SETTINGS, ENCODER, {"depth": 2})

    assert (default.system, default.stream) == ("rigged", "a")
    assert default.parameters == {"depth": 0}
    assert (changed.stream, changed.parameters) == ("b", {"depth": 2})


def test_identity_is_that_of_the_run() -> None:
    whole = score_system(RIGGED, stream(), SETTINGS, ENCODER, {"depth": 1}).identity
    broken = score_system(RIGGED, stream(), SETTINGS, ENCODER, {"depth": 2}).identity

    assert whole.detection.by_second_article == 1
    # by depth 2 every day of a story is a story of its own
    assert broken.continuity.fragments_per_story == (4 + 2 + 3) / 3


def test_seconds_are_given_for_every_slide() -> None:
    outcome = score_system(RIGGED, stream(), SETTINGS, ENCODER)

    assert len(outcome.seconds) == 13
    assert min(outcome.seconds) > 0


def test_a_plain_outcome_goes_through_json_unchanged() -> None:
    plain = score_system(RIGGED, stream(), SETTINGS, ENCODER, {"depth": 1}).plain()

    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["figures"]["singleton"]["windowed_bcubed_f1"] == 1
    assert len(plain["windows"]["bcubed_f1"]) > 1
    assert plain["seconds"]["slides"] == 13


def test_a_figure_that_is_not_a_number_is_null() -> None:
    plain = score_system(RIGGED, stream(), SETTINGS, ENCODER, {"depth": 3}).plain()

    assert plain["identity"]["detection_detected"] == 0
    assert plain["identity"]["detection_mean_hours"] is None


def test_windows_by_number_are_refused_in_words() -> None:
    by_number = Settings(mode="paper", window=12, slide=4)

    with pytest.raises(ConfigError, match="by time"):
        score_system(RIGGED, stream(), by_number, ENCODER)
