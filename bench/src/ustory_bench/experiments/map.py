"""Fig. 9, right: one window's articles by ThemSentMean and by IndSentMean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ustory.core.arrays import Matrix
from ustory.core.errors import ConfigError
from ustory_bench.experiments.pictures import (
    day,
    label,
    nearest_share,
    panels,
    percent,
    points,
    project,
    story_names,
    title_of,
)
from ustory_bench.experiments.run_ustory import OURS, CaseStudy, run_ustory
from ustory_bench.experiments.segments import Stretch, busiest
from ustory_bench.experiments.thematic import open_window
from ustory_bench.report.blocks import Block, Figure, Table, TableRow, Value
from ustory_bench.runner.jobs import Inputs, Plain
from ustory_bench.runner.score import duration

STORIES = 10
"""Shown: the true stories with the most articles in the window."""

_STRATEGIES = ("ThemSentMean", "IndSentMean")


def measure(inputs: Inputs) -> Plain:
    """Return where the articles of the busiest window lie, by both strategies."""
    stretch = busiest(inputs.stream, duration(inputs.settings.window), inputs.settings)
    stories = _largest(stretch, inputs.stream.name)
    articles = {one.article.id: one for one in stretch.articles}
    shown = [a for a, one in articles.items() if one.article.label in stories]
    vectors, assigned = _vectors(stretch, shown, inputs)
    number = [stories.index(articles[a].article.label or "") for a in shown]
    every = range(len(shown))
    return {
        "start": stretch.start.isoformat(),
        "end": stretch.end.isoformat(),
        "assigned": assigned,
        "stories": {
            name: next(title_of(o) for o in stretch.articles if o.article.label == name)
            for name in stories
        },
        "story": number,
        "texts": [label(title_of(articles[a]), 80) for a in shown],
        "strategies": {
            name: {
                "places": project(rows, inputs.settings.seed),
                "nearest": round(nearest_share(rows, number, every), 6),
            }
            for name, rows in vectors.items()
        },
    }


def _largest(stretch: Stretch, stream: str) -> list[str]:
    sizes = Counter(one.article.label for one in stretch.articles if one.article.label)
    ranked = sorted((-size, name) for name, size in sizes.items() if size > 1)
    if len(ranked) < 2:
        raise ConfigError(
            "a map needs two true stories of two articles each in one window; the "
            f"busiest window of {stream} has {len(ranked)}: give a stream with more, "
            "or a longer window"
        )
    return [name for _, name in ranked[:STORIES]]


def _vectors(
    stretch: Stretch, shown: Sequence[str], inputs: Inputs
) -> tuple[dict[str, Matrix], int]:
    """Return the articles by each strategy, and how many of them had a story.

    ThemSentMean is E_a|C, with which the engine gave an article to the story it
    found; an article without a story is seen through its own theme.
    """
    window = open_window(stretch.articles, inputs.settings)
    row = {id_: place for place, id_ in enumerate(window.ids)}
    rows = [row[id_] for id_ in shown]
    thematic = window.own_views()[rows]
    records = run_ustory(inputs, stretch.articles).last.records
    assigned = 0
    for place, id_ in enumerate(shown):
        record = records.get(id_)
        if record is not None and record.vector is not None:
            thematic[place] = record.vector.astype(np.float32)
            assigned += 1
    plain = window.means()[rows]
    return dict(zip(_STRATEGIES, (thematic, plain), strict=True)), assigned


def _text(streams: Sequence[Plain]) -> str:
    what = (
        "The articles of one window twice: by ThemSentMean, as the engine represented "
        "each when it gave it to a story (by its own theme if it has none), and by "
        "IndSentMean, the plain mean of sentences that the variants with sentence "
        "encoders use. Colours and symbols are true stories, which the method never "
        "sees. A picture in two dimensions flatters and deceives, so the share of "
        "articles whose nearest neighbour, by cosine in all dimensions, is of their "
        "own story is given with it. Where the engine has put two true stories into "
        "one, it sees both through one theme, which draws them together."
    )
    return "\n\n".join([what, " ".join(map(_finding, streams))] if streams else [what])


def _finding(each: Plain) -> str:
    thematic, plain = (each["strategies"][name]["nearest"] for name in _STRATEGIES)
    return (
        f"On {each['stream']} the nearest neighbour is of the same true story for "
        f"{percent(thematic)} of {len(each['story'])} articles by ThemSentMean and for "
        f"{percent(plain)} by IndSentMean."
    )


def _figure(each: Plain) -> Figure:
    names = story_names(each["stories"])
    traces: list[dict[str, Any]] = []
    for panel, strategy in enumerate(_STRATEGIES):
        places = each["strategies"][strategy]["places"]
        for number, name in enumerate(names):
            keep = [i for i, story in enumerate(each["story"]) if story == number]
            spots = [places[i] for i in keep]
            texts = [each["texts"][i] for i in keep]
            traces.append(points(spots, texts, name, number, panel))
    return Figure(
        id=f"map-{each['stream']}",
        title=f"The {len(names)} largest true stories of one window of "
        f"{each['stream']}",
        caption=(
            f"{len(each['story'])} articles from {day(each['start'])} up to "
            f"{day(each['end'])}, the busiest window of the stream, in two dimensions "
            "(t-SNE; distances have no unit), coloured by true story. "
            f"{each['assigned']} of them had a story of {OURS}, encoder "
            f"{each['encoder']}."
        ),
        traces=traces,
        layout=panels(_STRATEGIES),
        alt=_finding(each),
        height=560,
    )


def _table(streams: Sequence[Plain]) -> Table:
    rows = []
    for strategy in _STRATEGIES:
        shares = [each["strategies"][strategy]["nearest"] for each in streams]
        tops = [
            max(other["nearest"] for other in each["strategies"].values())
            for each in streams
        ]
        values = [
            Value(value=share, best=share == top)
            for share, top in zip(shares, tops, strict=True)
        ]
        rows.append(TableRow(name=strategy, cells=values))
    return Table(
        id="map-neighbours",
        title="Articles whose nearest neighbour is of their own story",
        columns=[each["stream"] for each in streams],
        rows=rows,
        note="Share of the articles shown; by cosine, in all dimensions.",
    )


def _blocks(data: Mapping[str, Plain]) -> list[Block]:
    streams = data["streams"]
    return [*map(_figure, streams), _table(streams)] if streams else []


MAP = CaseStudy(
    name="map",
    title="Articles in the plane, with and without themes",
    paper="Fig. 9, right",
    task="ustory_bench.experiments.map:measure",
    text=lambda data: _text(data["streams"]),
    blocks=_blocks,
)
"""The experiment behind the right part of the paper's Fig. 9."""
