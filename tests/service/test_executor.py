"""A service tells the same slides, whoever works on them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.engine.test_prepare_blocks import Elsewhere
from ustory import Article, Settings
from ustory.encode import load_encoder
from ustory.engine import prepare as prepare_blocks
from ustory.service.slide_runner import SlideRunner, Task
from ustory_bench.simulate import SimulationPlan, simulate

END = datetime(2024, 1, 4, tzinfo=UTC)
ARTICLES = tuple(simulate(SimulationPlan(articles=40, days=3, sentences=6)))
SILENT = Article(id="silent", published_at=END - timedelta(hours=1), text="…")


@pytest.mark.parametrize("articles", [ARTICLES, (*ARTICLES, SILENT)])
def test_a_slide_is_told_the_same_by_an_executor(
    articles: tuple[Article, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare_blocks, "ARTICLES_PER_TASK", 8)
    runner = SlideRunner(Settings(), load_encoder("tiny"))
    task, start = Task(number=1, end=END, articles=articles), runner.engine.begin()
    expected = runner.run(start, task)
    executor = Elsewhere()

    runner.use(executor)
    found = runner.run(start, task)

    assert executor.sizes[:5] == [8] * 5
    assert found.events == expected.events
    assert found.places == expected.places
    freeze = runner.engine.freeze
    assert freeze(found.after) == freeze(expected.after)


def test_articles_that_are_only_asked_about_stay_here() -> None:
    executor, runner = Elsewhere(), SlideRunner(Settings(), load_encoder("tiny"))
    runner.use(executor)

    assert len(runner.prepared(ARTICLES * 3) or ()) == 3 * len(ARTICLES)
    assert executor.sizes == []
