"""Of a report's results, the numbers are published and the texts of articles not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ustory.core.registry import names
from ustory.core.settings import Settings
from ustory_bench.quality.publish import RESULTS, SHOWING_TEXT, published, texts_in

ROOT = Path(__file__).parents[3]
PLACES = (ROOT / "shared" / "data", ROOT.parent / "shared" / "data")
SENTENCE = "The old bridge over the Ashlin was closed on Thursday."


def report(**experiments: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    plan = {"streams": ["news"], "experiments": list(experiments)}
    failed = [
        {"task": "ustory_bench.experiments.neighbours:find", "reason": "out of time"},
        {"task": "ustory_bench.runner.scoring:score", "reason": "out of memory"},
    ]
    return {"plan": plan, "experiments": experiments, "failed": failed}


def test_experiments_on_the_words_of_articles_are_left_out() -> None:
    found = published(report(table1={"articles": 3}, sentences={"text": SENTENCE}))

    assert found["experiments"] == {"table1": {"articles": 3}}
    assert found["plan"] == {"streams": ["news"], "experiments": ["table1"]}
    assert [each["reason"] for each in found["failed"]] == ["out of memory"]


def test_what_is_left_out_is_registered() -> None:
    assert set(names("experiments")) >= SHOWING_TEXT


def test_of_the_sentences_of_fig_2_the_places_are_kept() -> None:
    sentences = {"stories": {"a": SENTENCE}, "texts": [SENTENCE], "places": [[1, 2]]}
    levels = [{"level": "words", "share": 0.9}]
    stream = {"stream": "news", "levels": levels, "sentences": sentences}

    found = published(report(cosines={"streams": [stream], "faults": []}))

    (kept,) = found["experiments"]["cosines"]["streams"]
    assert kept["levels"] == levels
    assert kept["sentences"] == {
        "stories": {"story 1": "no title"},
        "texts": [""],
        "places": [[1, 2]],
    }


@pytest.mark.parametrize(
    "data", [{"note": SENTENCE}, {"rows": [[SENTENCE]]}, {SENTENCE: 1}]
)
def test_a_sentence_anywhere_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(SystemExit, match="may be the text of an article"):
        published(report(table1=data))


def test_what_the_program_says_of_a_failure_is_kept() -> None:
    told = {
        "faults": [f"bertopic: {SENTENCE}"],
        "cells": [{"reason": SENTENCE, "parameters": {"parts": Settings().parts}}],
    }

    assert published(report(table1=told))["experiments"]["table1"] == told


def test_the_committed_results_hold_no_sentence() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))

    assert list(texts_in(found)) == []
    assert not SHOWING_TEXT & set(found["experiments"])


def test_the_committed_results_hold_no_title_of_an_article() -> None:
    text = RESULTS.read_text(encoding="utf-8")
    for stream in json.loads(text)["plan"]["streams"]:
        name = f"{stream}.jsonl.gz"
        path = next((p / name for p in PLACES if (p / name).is_file()), None)
        if path is None:
            pytest.skip(f"the shared labelled stream {stream} is not here")
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            titles = {json.loads(line).get("title") or "" for line in lines}
        assert [t for t in titles if len(t.split()) > 1 and t in text] == []
