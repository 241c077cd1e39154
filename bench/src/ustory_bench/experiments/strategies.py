"""Fig. 5: the four embedding strategies against the number of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ustory.core.settings import REPRESENTATIONS
from ustory_bench.experiments import sweeps
from ustory_bench.experiments.contract import DeclaredExperiment
from ustory_bench.experiments.pictures import faults_of
from ustory_bench.experiments.run_ustory import OURS, one_each
from ustory_bench.report.blocks import Block, Figure, Table, TableRow, Value
from ustory_bench.report.palette import DASHES, SYMBOLS
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Inputs, Job, Plain

ARTICLES = 600
"""Looked at, at the end of a stream: a strategy that encodes anew takes long."""

SENTENCES: Sequence[int | None] = (1, 3, 5, 10, 20, None)
"""Used of each article; None is all."""

_METRIC = "bcubed_f1"


def measure(inputs: Inputs, strategy: str, sentences: int | None) -> Plain:
    """Return the scores of our own method with one strategy on so many sentences."""
    changes = {"representation": strategy, "sentences": sentences}
    found = sweeps.measure(inputs, system=OURS, settings=changes, articles=ARTICLES)
    return {"figures": found["windowed"], "interval": found["intervals"][_METRIC]}


@dataclass(frozen=True, kw_only=True)
class _Strategies(DeclaredExperiment):
    """The experiment strategies."""

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        return [
            job
            for strategy in REPRESENTATIONS
            for sentences in SENTENCES
            for job in one_each(
                plan,
                "ustory_bench.experiments.strategies:measure",
                strategy=strategy,
                sentences=sentences,
            )
        ]

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        return {
            "streams": list(plan.streams),
            "encoder": plan.encoders[0],
            "cells": [
                {
                    "stream": cell.job.stream,
                    **cell.job.arguments,
                    "figures": cell.result["figures"] if cell.status == OK else None,
                    "interval": cell.result["interval"] if cell.status == OK else None,
                }
                for cell in cells
            ],
            "faults": [
                fault
                for cell in cells
                for fault in faults_of(_words(cell.job.arguments), [cell])
            ],
        }


class _Found:
    """The scores, by stream, strategy and number of sentences."""

    def __init__(self, data: Mapping[str, Plain]) -> None:
        self.streams: list[str] = list(data["streams"])
        self.encoder: str = data["encoder"]
        self._cells = {
            (each["stream"], each["strategy"], each["sentences"]): each
            for each in data["cells"]
        }

    def score(self, stream: str, strategy: str, sentences: int | None) -> float | None:
        """Return windowed B³-F1, None where there is no result."""
        figures = self._cells[stream, strategy, sentences]["figures"]
        value: float | None = figures[_METRIC] if figures else None
        return value

    def interval(
        self, stream: str, strategy: str, sentences: int | None
    ) -> tuple[float, float] | None:
        """Return its 95 % interval."""
        found = self._cells[stream, strategy, sentences]["interval"]
        return (found[0], found[1]) if found else None

    def best(self, stream: str) -> tuple[float, str, int | None] | None:
        """Return the highest score of a stream, and whose it is."""
        ranked = [
            (score, strategy, sentences)
            for strategy in REPRESENTATIONS
            for sentences in SENTENCES
            if (score := self.score(stream, strategy, sentences)) is not None
        ]
        return max(ranked, key=lambda each: each[0], default=None)


def _words(arguments: Mapping[str, Plain]) -> str:
    sentences = arguments["sentences"]
    count = "all sentences" if sentences is None else f"sentences: {sentences}"
    return f"{arguments['strategy']}, {count},"


def _count(sentences: int | None) -> str:
    return "all" if sentences is None else str(sentences)


def _text(found: _Found) -> str:
    what = (
        "Sentences make an article in four ways: the mean of their vectors "
        "(IndSentMean), all of them encoded as one text (IndSentConc), and the same "
        "two with the sentences weighted or ordered by the theme of the story that "
        "looks at the article (ThemSentMean, which is the default, and ThemSentConc). "
        "The strategies without a theme use the first sentences of an article, those "
        "with one the most thematic sentences. The system is "
        f"{OURS} with the encoder {found.encoder}; all else is at its default."
    )
    findings = [_finding(found, stream) for stream in found.streams]
    return f"{what}\n\n{' '.join(findings)}"


def _finding(found: _Found, stream: str) -> str:
    best = found.best(stream)
    if best is None:
        return f"On {stream} nothing could be measured."
    score, strategy, sentences = best
    said = f"On {stream} the highest B³-F1 is {score:.3f}, by {strategy} with "
    said += "all sentences" if sentences is None else f"sentences: {sentences}"
    ours = found.score(stream, "ThemSentMean", None)
    plain = found.score(stream, "IndSentMean", None)
    if ours is None or plain is None:
        return f"{said}."
    return (
        f"{said}; with all sentences ThemSentMean has {ours:.3f} and IndSentMean "
        f"{plain:.3f}."
    )


def _table(found: _Found) -> Table:
    tops = {stream: found.best(stream) for stream in found.streams}
    rows = []
    for strategy in REPRESENTATIONS:
        values = []
        for stream in found.streams:
            top = tops[stream]
            for sentences in SENTENCES:
                score = found.score(stream, strategy, sentences)
                best = top is not None and score == top[0]
                values.append(Value(value=score, best=best))
        rows.append(TableRow(name=strategy, cells=values))
    return Table(
        id="strategies",
        title="B³-F1 by embedding strategy and number of sentences",
        columns=[_count(n) for _ in found.streams for n in SENTENCES],
        rows=rows,
        groups=[(stream, len(SENTENCES)) for stream in found.streams],
        note=(
            "Windowed B³-F1, protocol singleton, on the last "
            f"{ARTICLES} articles' worth of whole days of each stream. Columns are "
            "sentences used of each article."
        ),
    )


def _figure(found: _Found, stream: str) -> Figure:
    return Figure(
        id=f"strategies-{stream}",
        title=f"Embedding strategies on {stream}",
        caption=(
            "Windowed B³-F1 (protocol singleton) against the number of sentences used "
            f"of each article, on the last {ARTICLES} articles' worth of whole days. "
            "Bars are 95 % intervals of the mean over windows, by a bootstrap over "
            "blocks of windows, where there are enough windows; points are moved apart "
            "a little so that bars do not hide each other."
        ),
        traces=[
            _trace(found, stream, strategy, number)
            for number, strategy in enumerate(REPRESENTATIONS)
        ],
        layout={
            "xaxis": {
                "title": {"text": "sentences used of each article"},
                "tickvals": list(range(len(SENTENCES))),
                "ticktext": [_count(n) for n in SENTENCES],
            },
            "yaxis": {"title": {"text": "B³-F1 (mean over windows)"}},
        },
        alt=_finding(found, stream),
    )


def _trace(found: _Found, stream: str, strategy: str, number: int) -> dict[str, Any]:
    xs, ys, over, under = [], [], [], []
    for place, sentences in enumerate(SENTENCES):
        score = found.score(stream, strategy, sentences)
        low, high = found.interval(stream, strategy, sentences) or (score, score)
        xs.append(round(place + (number - 1.5) * 0.06, 2))
        ys.append(score)
        over.append(None if score is None or high is None else high - score)
        under.append(None if score is None or low is None else score - low)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": strategy,
        "x": xs,
        "y": ys,
        "error_y": {"type": "data", "array": over, "arrayminus": under},
        "line": {"dash": DASHES[number]},
        "marker": {"symbol": SYMBOLS[number], "size": 8},
        "meta": {"colour": number},
    }


def _blocks(data: Mapping[str, Plain]) -> list[Block]:
    found = _Found(data)
    return [_table(found), *(_figure(found, stream) for stream in found.streams)]


STRATEGIES = _Strategies(
    name="strategies",
    title="Embedding strategies and the number of sentences",
    paper="Fig. 5",
    text=lambda data: _text(_Found(data)),
    blocks=_blocks,
)
"""The experiment behind the paper's Fig. 5."""
