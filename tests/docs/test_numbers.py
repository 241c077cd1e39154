"""Every score in the documentation is one that a benchmark wrote down."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, name_of, pages, table_rows

RESULTS = ROOT / "benchmarks" / "results" / "choices.json"
MEASURED: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
STREAMS = {name.partition(".")[0]: each for name, each in MEASURED["streams"].items()}
QUOTING = [page for page in pages() if RESULTS.name in page.read_text(encoding="utf-8")]
REASONED = [page for page in pages() if page.parent.name in ("decisions", "the-paper")]
_SCORE = re.compile(r"\b0\.\d{3,}\b")


def quoted(page: Path) -> Iterator[tuple[str, str, str]]:
    """Yield stream, `setting = value` and score of the tables of a page."""
    streams: list[str] = []
    for first, *cells in table_rows(page):
        if first == "setting":
            streams = cells
        elif " = " in first:
            for stream, cell in zip(streams, cells, strict=True):
                yield stream, first, cell


def measured(stream: str, choice: str) -> str:
    """Return a score as tables show it."""
    setting, _, value = choice.partition(" = ")
    return f"{STREAMS[stream]['choices'][setting][value]['mean']:.3f}"


def test_the_pages_that_explain_a_choice_quote_what_was_measured() -> None:
    choices = {
        (name_of(page), choice.partition(" = ")[0])
        for page in QUOTING
        for _, choice, _ in quoted(page)
    }

    assert {
        ("docs/decisions/0001-seeding.md", "seed_restarts"),
        ("docs/decisions/0001-seeding.md", "seed_steps"),
        ("docs/decisions/0005-divergence-and-span.md", "divergence"),
        ("docs/decisions/0005-divergence-and-span.md", "story_span"),
        ("docs/the-paper/thematic-similarity.md", "divergence"),
        ("docs/the-paper/story-representation.md", "story_span"),
    } <= choices


@pytest.mark.parametrize("page", QUOTING, ids=name_of)
def test_quoted_scores_are_those_of_the_benchmark(page: Path) -> None:
    for stream, choice, score in quoted(page):
        assert score == measured(stream, choice), f"{choice} on {stream}"


@pytest.mark.parametrize("page", REASONED, ids=name_of)
def test_no_score_stands_outside_a_table_of_measurements(page: Path) -> None:
    known = [score for _, _, score in quoted(page)]

    assert _SCORE.findall(page.read_text(encoding="utf-8")) == known


def test_each_mean_is_the_mean_of_its_seeds() -> None:
    for stream in STREAMS.values():
        for values in stream["choices"].values():
            for scores in values.values():
                by_seed = scores["by seed"]
                assert len(by_seed) == len(stream["seeds"])
                mean = sum(by_seed) / len(by_seed)
                assert scores["mean"] == pytest.approx(mean, abs=1e-4)
