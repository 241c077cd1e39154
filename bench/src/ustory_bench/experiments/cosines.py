"""Fig. 2: cosines within and across stories, level by level, and the sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ustory.core.arrays import Vector
from ustory.core.article import PreparedArticle
from ustory.core.errors import ConfigError
from ustory_bench.experiments.granularity import LEVELS, cosines, higher_share, levels
from ustory_bench.experiments.pictures import percent
from ustory_bench.experiments.run_ustory import CaseStudy
from ustory_bench.experiments.segments import in_turn
from ustory_bench.experiments.sentence_picture import picture_sentences, place_sentences
from ustory_bench.experiments.sweeps import last_days
from ustory_bench.experiments.thematic import open_window
from ustory_bench.report.blocks import Block, Figure, Table, TableRow, Value
from ustory_bench.runner.jobs import Inputs, Plain

ARTICLES = 600
"""Looked at, at the end of a stream."""

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_SIDES = {"within": "same story", "across": "different stories"}


def measure(inputs: Inputs) -> Plain:
    """Return cosines of the pairs that share a window, and one window's sentences."""
    articles = last_days(inputs.stream, ARTICLES).articles
    windows = list(in_turn(articles, inputs.settings))
    ready = {one.article.id: one for one in articles}
    truth = inputs.stream.truth
    pairs: dict[str, list[tuple[Vector, Vector]]] = {name: [] for name in LEVELS}
    for part in windows:
        window = open_window(part, inputs.settings)
        story = [truth[id_] for id_ in window.ids]
        for name, rows in levels(window, ready, inputs.encoder).items():
            pairs[name].append(cosines(rows, story))
    fullest = max(windows, key=lambda part: sum(_labelled(part)))
    return {
        "articles": len(articles),
        "levels": [_level(name, pairs[name], inputs.stream.name) for name in LEVELS],
        "sentences": place_sentences(fullest, inputs),
    }


def _labelled(articles: Sequence[PreparedArticle]) -> list[bool]:
    return [one.article.label is not None for one in articles]


def _level(name: str, parts: Sequence[tuple[Vector, Vector]], stream: str) -> Plain:
    sides = {
        side: np.concatenate([part[place] for part in parts])
        for place, side in enumerate(_SIDES)
    }
    for side, found in sides.items():
        if not len(found):
            raise ConfigError(
                f"cosines need pairs of the {_SIDES[side]} in one window; the last "
                f"articles of {stream} have none: give a stream with more, or a longer "
                "window"
            )
    return {
        "level": name,
        "share": round(higher_share(sides["within"], sides["across"]), 6),
        **{side: _summary(found) for side, found in sides.items()},
    }


def _summary(found: Vector) -> Plain:
    return {
        "pairs": len(found),
        "mean": round(float(found.mean()), 6),
        "quantiles": np.quantile(found, _QUANTILES).round(6).tolist(),
    }


def _text(streams: Sequence[Plain]) -> str:
    what = (
        "An embedding suits stories when articles of one story are close and articles "
        "of different stories are not. Here every pair of articles that share a window "
        "is compared, with articles embedded at five levels: the mean of their "
        "distinct words, each encoded alone; the mean of their sentences "
        "(IndSentMean); the whole text encoded as one; and the sentences weighted by a "
        "theme (ThemSentMean), first the article's own, as the method sees it before "
        "it knows a story, then that of its true story. The last reads labels: it is "
        "the best a theme can do. With an encoder of static word vectors the first "
        "three are near each other by construction; a contextual encoder tells them "
        "apart."
    )
    findings = [_finding(each) for each in streams]
    return "\n\n".join([what, " ".join(findings)] if findings else [what])


def _finding(each: Plain) -> str:
    share = {level["level"]: level["share"] for level in each["levels"]}
    best = max(LEVELS[:4], key=lambda name: share[name])
    return (
        f"On {each['stream']}, a pair within a story is more similar than a pair "
        f"across stories {percent(share['sentences'])} of the time by plain sentences, "
        f"{percent(share['own theme'])} by the article's own theme and "
        f"{percent(share['story theme'])} by the theme of its story; of the levels "
        f"that read no label, “{best}” does best."
    )


def _table(streams: Sequence[Plain]) -> Table:
    heads = ("same story", "different stories", "gap", "AUC")
    rows = []
    for place, name in enumerate(LEVELS):
        values: list[Value] = []
        for each in streams:
            level = each["levels"][place]
            within, across = level["within"]["mean"], level["across"]["mean"]
            top = max(other["share"] for other in each["levels"])
            values += [
                Value(value=within),
                Value(value=across),
                Value(value=within - across),
                Value(value=level["share"], best=level["share"] == top),
            ]
        rows.append(TableRow(name=name, cells=values))
    return Table(
        id="cosines",
        title="Mean cosine of articles by level of embedding",
        columns=heads * len(streams),
        rows=rows,
        groups=[(each["stream"], len(heads)) for each in streams],
        note=(
            "Pairs of articles in the same window, windows that do not overlap, of the "
            f"last {ARTICLES} articles' worth of whole days. AUC: how often a pair "
            "within a story is more similar than a pair across stories; 0.5 is chance. "
            "“story theme” reads labels."
        ),
    )


def _boxes(each: Plain) -> Figure:
    traces = []
    for place, (side, name) in enumerate(_SIDES.items()):
        found = [level[side] for level in each["levels"]]
        low, q1, middle, q3, high = zip(*(f["quantiles"] for f in found), strict=True)
        traces.append(
            {
                "type": "box", "name": name, "x": list(LEVELS), "q1": list(q1),
                "median": list(middle), "q3": list(q3), "lowerfence": list(low),
                "upperfence": list(high), "mean": [f["mean"] for f in found],
                "boxmean": True, "offsetgroup": side, "meta": {"colour": place},
            }
        )  # fmt: skip
    pairs = {side: each["levels"][0][side]["pairs"] for side in _SIDES}
    return Figure(
        id=f"cosines-{each['stream']}",
        title=f"Cosines on {each['stream']}",
        caption=(
            f"Cosine of {pairs['within']:,} pairs of articles of the same story and "
            f"{pairs['across']:,} of different stories, encoder {each['encoder']}. "
            "Boxes span the middle half of the pairs, whiskers 5 % to 95 %; the dashed "
            "line is the mean. The further apart the two boxes of a level, the better."
        ),
        traces=traces,
        layout={
            "boxmode": "group",
            "xaxis": {"title": {"text": "level of embedding"}},
            "yaxis": {"title": {"text": "cosine of two articles"}},
        },
        alt=_finding(each),
    )


def _blocks(data: Mapping[str, Plain]) -> list[Block]:
    streams = data["streams"]
    blocks: list[Block] = [_table(streams)] if streams else []
    for each in streams:
        blocks += [_boxes(each), picture_sentences(each)]
    return blocks


COSINES = CaseStudy(
    name="cosines",
    title="Cosines within and across stories",
    paper="Fig. 2",
    task="ustory_bench.experiments.cosines:measure",
    text=lambda data: _text(data["streams"]),
    blocks=_blocks,
)
"""The experiment behind the paper's Fig. 2."""
