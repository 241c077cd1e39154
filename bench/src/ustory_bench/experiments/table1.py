"""Table 1: what the streams are like, and what makes them hard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from ustory_bench.describe.description import Subject, describe
from ustory_bench.describe.wording import Words
from ustory_bench.experiments.contract import DeclaredExperiment
from ustory_bench.report.blocks import Table, TableRow, Value
from ustory_bench.runner.jobs import OK, BenchPlan, Cell, Inputs, Job, Plain
from ustory_bench.runner.score import duration
from ustory_bench.runner.scoring import paper_minimum

_TASK = "ustory_bench.experiments.table1:measure"
_DIGITS = 6


def measure(inputs: Inputs) -> Plain:
    """Return what a stream is like."""
    settings, articles = inputs.settings, inputs.stream.articles
    words = Words()
    for one in articles:
        words.add(one.counts)
    least = paper_minimum(inputs.stream)
    found = describe(
        [Subject.of(one.article, len(one.sentences)) for one in articles],
        words,
        duration(settings.window),
        duration(settings.slide),
        least,
    )
    calendar = found.calendar
    return {
        "row": asdict(found.row),
        "minimum": least,
        "calendar": {
            "first": f"{calendar.first:%Y-%m-%d}",
            "last": f"{calendar.last:%Y-%m-%d}",
            "days": calendar.days,
            "articles_per_day": round(calendar.articles_per_day, _DIGITS),
            "granularity": calendar.granularity,
        },
        "languages": dict(found.languages),
        "lives": asdict(found.lives) if found.lives else None,
        "wording": asdict(found.wording),
        "notes": list(found.notes),
    }


@dataclass(frozen=True, kw_only=True)
class Table1(DeclaredExperiment):
    """The streams of a bench, as the paper's Table 1 has its data sets."""

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return one description for each stream."""
        return [
            Job(system="streams", stream=stream, encoder=plan.encoders[0], task=_TASK)
            for stream in plan.streams
        ]

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return the descriptions by stream."""
        del plan
        return {
            "streams": {
                cell.job.stream: cell.result if cell.status == OK else None
                for cell in cells
            },
            "faults": [
                f"{cell.job.stream} could not be described: {cell.reason}"
                for cell in cells
                if cell.status != OK
            ],
        }


def _sizes(data: Mapping[str, Plain]) -> Table:
    def values(found: Mapping[str, Plain]) -> list[Value]:
        row = found["row"]
        return [
            Value(value=row["articles"]),
            Value(value=row["sentences_per_article"], digits=1),
            Value(value=row["stories"]),
            Value(value=row["articles_per_story"], digits=1),
            Value(value=row["articles_per_story_and_day"], digits=2),
            Value(value=found["minimum"]),
        ]

    return Table(
        id="table1",
        title="Streams",
        columns=[
            "articles",
            "sentences per article",
            "stories",
            "articles per story",
            "articles per story and day",
            "M",
        ],
        rows=_rows(data, values, 6),
        note="Articles per story and day: over the days on which a story has an "
        "article. M: the same, rounded and at least 2, as the paper sets the minimum "
        "of articles of a new story.",
    )


def _lives(data: Mapping[str, Plain]) -> Table:
    def values(found: Mapping[str, Plain]) -> list[Value]:
        calendar, lives = found["calendar"], found["lives"] or {}
        wording = found["wording"]
        return [
            Value(value=calendar["first"]),
            Value(value=calendar["days"]),
            Value(value=calendar["articles_per_day"], digits=1),
            Value(value=lives.get("alive_mean"), digits=1),
            Value(value=lives.get("singletons"), digits=2),
            Value(value=lives.get("outlive_window"), digits=2),
            Value(value=lives.get("revived"), digits=2),
            Value(value=wording["within"], digits=2),
            Value(value=wording["beside"], digits=2),
            Value(value=wording["confused"], digits=2),
        ]

    return Table(
        id="table1-lives",
        title="What makes a stream easy or hard",
        columns=[
            "first day",
            "days",
            "articles per day",
            "stories in a window",
            "of one article",
            "outlive the window",
            "come back",
            "cosine within",
            "cosine beside",
            "confused",
        ],
        rows=_rows(data, values, 10),
        note="Shares of stories: with one article, longer than a window, silent for "
        "longer than a window and back. Cosines of TF-IDF within a window: to the own "
        "story, and to the nearest other one. Confused: share of the articles that "
        "are at least as near to another story.",
    )


def _rows(data: Mapping[str, Plain], values: Plain, width: int) -> list[TableRow]:
    return [
        TableRow(
            name=stream,
            cells=values(found) if found else [Value(value=None)] * width,
        )
        for stream, found in data["streams"].items()
    ]


def _text(data: Mapping[str, Plain]) -> str:
    told = [
        "The labelled streams that all systems read, described by their labels and "
        "words alone; no system is shown this."
    ]
    for stream, found in data["streams"].items():
        if not found:
            continue
        row, lives = found["row"], found["lives"]
        told.append(
            f"{stream} has {row['articles']:,} articles in {row['stories']:,} stories "
            f"over {found['calendar']['days']:,} days, with {lives['alive_mean']:.1f} "
            "stories in a window."
        )
    return " ".join(told)


TABLE1 = Table1(
    name="table1",
    title="The streams",
    paper="Table 1",
    text=_text,
    blocks=lambda data: [_sizes(data), _lives(data)],
)
