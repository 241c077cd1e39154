"""The ablations count what they say, and the page shows what was measured."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from ustory.core.settings import PARTS, Settings
from ustory.scores.agreement import score
from ustory_bench.quality.ablation_encoders import PARAPHRASES
from ustory_bench.quality.ablation_errors import CAUSES, article_scores
from ustory_bench.quality.ablation_jobs import ALL, ALL_PARTS, WORDS, variants
from ustory_bench.quality.ablation_scores import BLOCK, difference
from ustory_bench.quality.ablations import RESULTS, SECTIONS


def test_every_part_is_left_out_once_and_taken_alone_once() -> None:
    given = variants()

    assert given[ALL] == ALL_PARTS == Settings().parts
    assert given[WORDS] == ""
    for part in PARTS:
        assert set(given[f"without {part}"].split()) == {*PARTS} - {part}
        assert given[f"words and {part}"] == part
    assert len(given) == 2 + 2 * len(PARTS)


def test_scores_of_articles_add_up_to_those_of_the_stream() -> None:
    truth = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "y", "f": None}
    last = {"a": "1", "b": "2", "c": "2", "d": "2", "e": None, "f": "1"}

    each = article_scores(truth, last)

    whole = score(["x", "x", "y", "y", "y"], ["1", "2", "2", "2", None], "singleton")
    assert set(each) == set("abcde")
    precision = sum(p for p, _, _ in each.values()) / len(each)
    recall = sum(r for _, r, _ in each.values()) / len(each)
    assert precision == pytest.approx(whole.bcubed_precision)
    assert recall == pytest.approx(whole.bcubed_recall)


def test_a_difference_that_is_the_same_everywhere_has_a_narrow_interval() -> None:
    windows = [0.5 + 0.01 * i for i in range(3 * BLOCK)]

    found = difference([w + 0.1 for w in windows], windows)

    assert found == {"mean": 0.1, "interval": [0.1, 0.1]}
    assert difference([1.0], [0.5]) == {"mean": 0.5, "interval": None}


def test_each_invented_event_is_told_three_times() -> None:
    lines = PARAPHRASES.read_text(encoding="utf-8").splitlines()
    articles = [json.loads(line) for line in lines]

    assert set(Counter(each["story"] for each in articles).values()) == {3}
    assert len({each["id"] for each in articles}) == len(articles) == 36


def test_every_section_was_measured_and_every_bad_story_was_read() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    causes = json.loads(CAUSES.read_text(encoding="utf-8"))

    assert set(SECTIONS) <= set(results)
    for stream, worst in results["errors"].items():
        read = {each["story"]: each["cause"] for each in worst}
        assert read == {story: causes[stream].get(story) for story in read}
