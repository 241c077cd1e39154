"""Nearly all true neighbours by meaning are found, as the committed results say."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ustory.links.near_vectors import FLOOR, LIMITS, NearLimits, quantised
from ustory_bench.quality import near_recall
from ustory_bench.quality.near_recall import HEADLINES, PAIRS, RESULTS
from ustory_bench.quality.streams import place_of

FOUND = json.loads(RESULTS.read_text(encoding="utf-8"))


def test_the_results_are_of_the_limits_that_we_have() -> None:
    assert (FOUND["near"], FOUND["read"]) == (LIMITS.near, LIMITS.read)
    assert FOUND["floor"] == FLOOR
    assert FOUND["new"] == near_recall.NEW
    assert [int(size) for size in FOUND["sizes"]] == list(near_recall.SIZES)


@pytest.mark.parametrize("size", FOUND["sizes"])
def test_recall_in_own_and_in_other_languages_is_at_least_95_percent(size: str) -> None:
    for each in FOUND["sizes"][size].values():
        for kind in ("own", "other", "not_english"):
            assert each[kind]["recall"] >= 0.95
            assert each[kind]["pairs"] > 1_000


def test_what_lists_miss_is_counted_by_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_recall, "LIMITS", NearLimits(near=4, read=40))
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(600, 8))
    vectors = quantised(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    group = np.arange(600) % 3

    found = near_recall.measured(vectors, group, group == 0, 200)

    assert 0.3 < found["own"]["recall"] < 1
    assert 0.3 < found["other"]["recall"] < 1
    assert found["other"]["pairs"] > found["not_english"]["pairs"] > 0
    assert found["seconds"]["processor"] > 0
    assert found["memory_of_vectors"] > 1


def test_a_window_mixes_distinct_texts_of_many_languages() -> None:
    if any(place_of(name) is None for name in (*PAIRS, *HEADLINES)):
        pytest.skip("the streams of headlines or the pairs are not here")
    some = near_recall.texts(12_000)

    places, group = near_recall.window(some, 10_000)
    split = near_recall.split_english(some, places, group)

    assert len({one.text for one in some}) == 12_000
    assert len(set(places.tolist())) == len(places) == 10_000
    languages = {some[place].lang for place in places[-near_recall.NEW :]}
    assert {"en", "ru", "ar", "zh"} <= languages
    english = np.array([some[place].lang == "en" for place in places])
    assert np.bincount(split[english])[group.max() + 1 :].min() > 1_000
    assert np.array_equal(split[~english], group[~english])
