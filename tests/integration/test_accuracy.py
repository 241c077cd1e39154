"""The paper's setting finds the stories of a real stream, and its parts all help."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ustory import Article, Discovery, Settings
from ustory.core.spans import Span
from ustory.scores.windows import AssignmentRow, Report, evaluate_assignments
from ustory.sources import Problems, open_source
from ustory.stories.discovery import SlideResult

STREAM = Path(__file__).parents[3] / "shared" / "data" / "newswarp-a.jsonl.gz"

pytestmark = pytest.mark.skipif(
    not STREAM.exists(), reason="needs the labelled stream newswarp-a in ../shared/data"
)


@cache
def articles() -> tuple[Article, ...]:
    source = open_source(str(STREAM), Problems("stop"))
    return tuple(arrival.article for arrival in source.read())


def rows(
    discovery: Discovery, results: Iterator[SlideResult]
) -> Iterator[AssignmentRow]:
    for result in results:
        assigned = discovery.engine.assignments(result.state)
        for article, story in assigned.items():
            yield AssignmentRow(result.slide.end, article, story)


def score(protocol: str, **changes: Any) -> Report:  # noqa: ANN401 - any setting
    settings = Settings.paper(min_articles=2, **changes)
    discovery = Discovery(settings)

    def slides() -> Iterator[SlideResult]:
        yield from discovery.add(articles())
        yield from discovery.finish()

    truth = {article.id: article.label for article in articles()}
    window, slide = settings.window, settings.slide
    return evaluate_assignments(
        truth, rows(discovery, slides()), _time(window), _time(slide), protocol
    )


def _time(span: Span) -> Any:  # noqa: ANN401 - a duration here
    return span


def test_the_paper_preset_scores_and_every_part_helps() -> None:
    full = score("paper").figures()["windowed_bcubed_f1"]
    without_time = score("paper", time_aware=False).figures()["windowed_bcubed_f1"]
    without_theme = score("paper", theme_aware=False).figures()["windowed_bcubed_f1"]
    assert full >= 0.85
    assert full > without_time > without_theme
