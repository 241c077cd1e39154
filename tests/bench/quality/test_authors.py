"""The authors' reading is measured one departure after the other."""

from __future__ import annotations

import json

from ustory.core.settings import Settings
from ustory_bench.quality.authors import (
    METRICS,
    PROTOCOLS,
    READINGS,
    RESULTS,
    measure,
)
from ustory_bench.quality.streams import SIMULATED, load


def test_the_readings_lead_from_one_preset_to_the_other() -> None:
    first, *_, last = READINGS.values()

    assert Settings.paper().with_(first) == Settings.paper()
    assert Settings.paper().with_(last) == Settings.authors()
    assert all(dict(last).items() >= dict(each).items() for each in READINGS.values())


def test_each_reading_is_scored_and_they_differ() -> None:
    stream, base = load(SIMULATED), Settings.paper(min_articles=3)

    found = measure(stream, base, [0])

    assert list(found) == list(READINGS)
    for by_protocol in found.values():
        assert list(by_protocol) == list(PROTOCOLS)
        assert all(len(values) == len(METRICS) for values in by_protocol.values())
    scores = [tuple(each["paper"]) for each in found.values()]
    assert len(set(scores)) >= 3
    assert all(0 < value <= 1 for each in scores for value in each)


def test_every_stream_was_measured_with_every_reading() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))

    assert results
    for name, each in results.items():
        assert list(each["readings"]) == list(READINGS), name
