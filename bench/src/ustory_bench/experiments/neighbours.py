"""Fig. 10: stories that are easily confused, and what each system made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ustory.core.article import PreparedArticle
from ustory.scores.agreement import score
from ustory_bench.experiments.confusable import Twins, most_confusable
from ustory_bench.experiments.confusions import finding, panels_of, table_of
from ustory_bench.experiments.contract import DeclaredExperiment
from ustory_bench.experiments.pictures import (
    faults_of,
    label,
    project,
    title_of,
)
from ustory_bench.experiments.run_ustory import one_each
from ustory_bench.experiments.segments import joined
from ustory_bench.report.blocks import Block
from ustory_bench.runner.follow import follow
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Inputs, Job, Plain
from ustory_bench.system import find_system

_ABLATION = "ustory-no-"


def picture(inputs: Inputs) -> Plain:
    """Return the pairs of stories, and where their articles lie by IndSentMean."""
    pairs = most_confusable(inputs.stream, inputs.settings)
    return [_placed(twins, inputs.settings.seed) for twins in pairs]


def _placed(twins: Twins, seed: int) -> Plain:
    pair = _pair(twins).values()
    rows = np.stack([one.vectors.mean(axis=0) for one in pair])
    return {
        "story": twins.story,
        "neighbour": twins.neighbour,
        "titles": [
            next(title_of(one) for one in pair if one.article.label == name)
            for name in (twins.story, twins.neighbour)
        ],
        "similarity": round(twins.similarity, 6),
        "true": [int(one.article.label == twins.neighbour) for one in pair],
        "texts": [label(title_of(one), 80) for one in pair],
        "places": project(rows.astype(np.float32), seed),
    }


def find(inputs: Inputs, system: str) -> Plain:
    """Return the last story that a system gave each article of the pairs.

    It runs over the days around each pair, once where these overlap.
    """
    pairs = most_confusable(inputs.stream, inputs.settings)
    last: dict[str, str | None] = {}
    for number, stretch in enumerate(
        joined(inputs.stream, (twins.stretch for twins in pairs))
    ):
        discoverer = find_system(system).make(inputs.settings, inputs.encoder)
        for told in follow(discoverer, stretch.articles, inputs.settings):
            for article, story in told.stories.items():
                # every run numbers its stories anew
                last[article] = None if story is None else f"{number}-{story}"
    truth = {a: name for a, name in inputs.stream.truth.items() if name and a in last}
    return {
        "articles": len(last),
        "bcubed_f1": _f1(list(truth.values()), [last[a] for a in truth]),
        "pairs": [_told(_pair(twins), last) for twins in pairs],
    }


def _told(pair: Mapping[str, PreparedArticle], last: Mapping[str, str | None]) -> Plain:
    """Return what became of one pair of stories."""
    found = [last.get(id_) for id_ in pair]
    theirs = set(found) - {None}
    return {
        "found": found,
        "strangers": sum(last[id_] in theirs for id_ in last.keys() - pair.keys()),
        "bcubed_f1": _f1([one.article.label or "" for one in pair.values()], found),
    }


def _pair(twins: Twins) -> dict[str, PreparedArticle]:
    """Return the articles of the two stories in the stretch, oldest first."""
    names = (twins.story, twins.neighbour)
    articles = twins.stretch.articles
    return {one.article.id: one for one in articles if one.article.label in names}


def _f1(truth: Sequence[str], found: Sequence[str | None]) -> float:
    return round(score(truth, found, "singleton").bcubed_f1, 6)


@dataclass(frozen=True, kw_only=True)
class _Neighbours(DeclaredExperiment):
    """The experiment neighbours."""

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        systems = [name for name in plan.systems if not name.startswith(_ABLATION)]
        return [
            *one_each(plan, "ustory_bench.experiments.neighbours:picture"),
            *(
                Job(
                    system=system,
                    stream=stream,
                    encoder=plan.encoders[0],
                    task="ustory_bench.experiments.neighbours:find",
                    arguments={"system": system},
                )
                for system in systems
                for stream in plan.streams
            ),
        ]

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        drawn = {
            cell.job.stream: cell.result
            for cell in cells
            if cell.status == OK and not cell.job.arguments
        }
        return {
            "streams": [
                {
                    "stream": stream,
                    "encoder": plan.encoders[0],
                    "pairs": drawn[stream],
                    "systems": {
                        cell.job.system: cell.result if cell.status == OK else None
                        for cell in cells
                        if cell.job.arguments and cell.job.stream == stream
                    },
                }
                for stream in plan.streams
                if stream in drawn
            ],
            "faults": faults_of("Neighbours", cells),
        }


def _text(streams: Sequence[Plain]) -> str:
    what = (
        "The hard case of the paper: two true stories in the same days that look "
        "alike. The pairs are chosen without looking at any system, as the stories "
        "that can share a window and whose articles have the highest mean cosine; each "
        "system ran over the days around them. Drawn is the pair on which the systems "
        "differ most. In a panel, symbols are the true stories and colours the found "
        "ones: a colour on both symbols is a confusion, two colours on one symbol a "
        "story in pieces."
    )
    return "\n\n".join([what, " ".join(map(finding, streams))] if streams else [what])


def _blocks(data: Mapping[str, Plain]) -> list[Block]:
    blocks: list[Block] = []
    for each in data["streams"]:
        figure = panels_of(each)
        blocks += [figure] if figure is not None else []
        blocks += [table_of(each)] if each["systems"] else []
    return blocks


NEIGHBOURS = _Neighbours(
    name="neighbours",
    title="A story and its most confusable neighbour",
    paper="Fig. 10",
    text=lambda data: _text(data["streams"]),
    blocks=_blocks,
)
"""The experiment behind the paper's Fig. 10."""
