"""The long runs go on where they stopped, and come to what one run in one go does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ustory.encode import load_encoder
from ustory.engine.online import Engine
from ustory.scores.windows import evaluate_assignments
from ustory.text import load_pipeline
from ustory_bench.runner.follow import follow
from ustory_bench.runner.follow import rows as told_rows
from ustory_bench.runner.streams import prepare_stream
from ustory_bench.scale import consuming
from ustory_bench.scale.consuming import begin_at, consume
from ustory_bench.scale.places import Place
from ustory_bench.scale.producing import produce
from ustory_bench.scale.results import exponent, keep, kept, law, outcome
from ustory_bench.scale.runs import HOURLY, LAWS, MILLION, MODES, RUNS, SMALL, Run
from ustory_bench.scale.slides import read_slide, slide_path
from ustory_bench.simulate import simulate

TRIAL = Run(name="trial", per_day=12, days=12, ahead=12, sentences=6)


@pytest.fixture(autouse=True)
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time nothing here, so that nothing need be warm."""
    monkeypatch.setattr(consuming, "_warm_up", lambda settings: None)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepare the slides of a small run, once for all tests."""
    folder = tmp_path_factory.mktemp("scale") / "prepared"
    Place(folder)
    produce(TRIAL, folder, 1)
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    """Return a folder with prepared slides, and nothing done yet."""
    for path in prepared.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def finals(folder: Path, mode: str) -> dict[str, str]:
    lines = Place(folder).finals_path(mode).read_text().splitlines()
    pairs = [line.split("\t") for line in lines]
    assert len({article for article, _ in pairs}) == len(pairs) == 144
    return {one[0]: one[1] for one in pairs}


def test_a_slide_is_read_as_it_was_prepared(prepared: Path) -> None:
    found = [read_slide(slide_path(prepared, n)) for n in range(1, TRIAL.days + 1)]
    pipeline, encoder = load_pipeline("fast"), load_encoder("wordllama")
    alone = prepare_stream("trial", simulate(TRIAL.plan), pipeline, encoder)
    read = [one for slide in found for one in slide.articles]
    assert [one.article for one in read] == [one.article for one in alone.articles]
    for one, other in zip(read, alone.articles, strict=True):
        assert np.array_equal(one.vectors, other.vectors)
        assert one.vectors.dtype == other.vectors.dtype
        assert one.counts.terms == other.counts.terms
        assert one.sentences == other.sentences


@pytest.mark.parametrize("mode", list(MODES))
def test_the_score_is_that_of_the_whole_stream(folder: Path, mode: str) -> None:
    run = replace(TRIAL, modes=(mode,))
    consume(run, mode, folder)
    found = outcome(run, Place(folder))["modes"][mode]
    settings = MODES[mode]
    pipeline, encoder = load_pipeline(settings.text), load_encoder(settings.encoder)
    stream = prepare_stream("trial", simulate(TRIAL.plan), pipeline, encoder)
    told = list(follow(Engine(settings, encoder), stream.articles, settings))
    assert not isinstance(settings.window, int)
    assert not isinstance(settings.slide, int)
    report = evaluate_assignments(
        stream.truth, told_rows(told), settings.window, settings.slide
    )
    score = report.whole_stream
    assert found["whole_stream"]["bcubed_f1"] == round(score.bcubed_f1, 4)
    assert found["whole_stream"]["found"] == score.found
    assert len(found["seconds"]) == TRIAL.days
    assert found["peak_mib"] >= max(found["rss_mib"]) * 0.9


@pytest.mark.parametrize("mode", list(MODES))
def test_an_interrupted_run_comes_to_the_same(
    folder: Path, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consuming, "CHECKPOINT_EVERY", 3)
    run = replace(TRIAL, modes=(mode,))
    consume(run, mode, folder)
    whole, rows = finals(folder, mode), Place(folder).rows(mode)
    for path in (Place(folder).state_path(mode), Place(folder).rows_path(mode)):
        path.unlink()
    assert begin_at(Place(folder), run) == 1

    class CutError(Exception):
        """The power is gone."""

    def read(path: Path) -> Any:  # noqa: ANN401 - a slide
        if path == slide_path(folder, 9):
            raise CutError
        return read_slide(path)

    monkeypatch.setattr(consuming, "read_slide", read)
    with pytest.raises(CutError):
        consume(run, mode, folder)
    monkeypatch.setattr(consuming, "read_slide", read_slide)
    assert begin_at(Place(folder), run) == 7  # the last checkpoint is of slide 6
    consume(run, mode, folder)
    assert finals(folder, mode) == whole
    again = Place(folder).rows(mode)
    same = ("slide", "articles", "window", "stories", "waiting", "terms", "events")
    assert [[r[k] for k in same] for r in again] == [[r[k] for k in same] for r in rows]


def test_the_runs_are_those_that_were_asked_for() -> None:
    assert [run.per_day * 7 for run in LAWS] == [14_000, 45_003, 140_000]
    assert MILLION.plan.articles == 1_000_000
    assert SMALL.plan.articles == 100_000
    assert MILLION.days == SMALL.days == 50
    assert [(run.full, run.slides) for run in (SMALL, HOURLY)] == [(7, 50), (168, 192)]
    assert len(RUNS) == 6
    assert MODES["paper"].min_articles == 8
    ratios = {run.plan.articles // run.plan.story_count for run in RUNS.values()}
    assert len(ratios) == 1  # stories in proportion


def _cell(window: int, seconds: float) -> dict[str, Any]:
    cell = {
        "window": window,
        "slide_seconds": seconds,
        "slide_cpu_seconds": seconds,
        "peak_mib": window / 10,
        "steps": {"window": seconds / 2},
    }
    return {"modes": {"links": cell}}


def test_a_law_is_the_power_that_the_windows_follow() -> None:
    found = law([_cell(10, 1.0), _cell(100, 10.0), _cell(1000, 100.0)], "links")
    assert found["exponent"] == 1.0
    assert found["steps"] == {"window": 1.0}
    assert found["mib_per_1000_articles"] == pytest.approx(100)
    assert exponent([10, 100, 1000], [1, 100, 10_000]) == 2.0
    assert exponent([10, 100], [0.0, 1.0]) is None


def test_modes_that_were_measured_apart_stand_together(tmp_path: Path) -> None:
    path = tmp_path / "scale.json"
    keep(path, "small", {"articles": 5, "modes": {"links": {"a": 1}}})
    keep(path, "small", {"articles": 5, "modes": {"paper": {"a": 2}}})
    keep(path, "soak", {"days": 30})
    assert kept(path)["small"]["modes"] == {"links": {"a": 1}, "paper": {"a": 2}}
    assert kept(path)["soak"] == {"days": 30}
