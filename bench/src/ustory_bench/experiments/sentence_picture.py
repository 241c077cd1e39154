"""The right half of Fig. 2: sentences in the plane, all and the thematic ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ustory.core.arrays import Matrix
from ustory.core.article import PreparedArticle
from ustory.core.errors import ConfigError
from ustory.paper.embedding.article import theme_relevance
from ustory_bench.experiments.pictures import (
    label,
    nearest_share,
    panels,
    percent,
    points,
    project,
    story_names,
    title_of,
)
from ustory_bench.experiments.thematic import open_window
from ustory_bench.report.blocks import Figure
from ustory_bench.runner.jobs import Inputs, Plain

SENTENCES = 500
"""Shown, at most."""
STORIES = 5
"""Shown: the largest of a window."""


def place_sentences(articles: Sequence[PreparedArticle], inputs: Inputs) -> Plain:
    """Return the sentences of a window's largest stories, placed in the plane.

    Those are thematic that weigh more in Eq. 2 than if all weighed the same.
    """
    window = open_window(articles, inputs.settings)
    ready = {one.article.id: one for one in articles}
    truth = {id_: ready[id_].article.label for id_ in window.ids}
    largest = _largest(list(truth.values()))
    hits = window.story_hits(truth)
    weights = theme_relevance(window.batch, hits)
    rows: list[tuple[str, int, int, bool]] = []
    for row, place in enumerate(hits.article.tolist()):
        one = ready[window.ids[place]]
        if one.article.label not in largest:
            continue
        weight = weights.weight[weights.start[row] : weights.start[row + 1]]
        rows += [
            (one.article.id, number, largest.index(one.article.label), bool(yes))
            for number, yes in enumerate(weight > 1 / len(weight))
        ]
    shown = [rows[i] for i in _spread(len(rows), SENTENCES)]
    if not shown:
        raise ConfigError(
            "the picture of sentences needs a story with keywords; the fullest window "
            f"of {inputs.stream.name} has none: give a longer window"
        )
    vectors = np.stack([ready[id_].vectors[n] for id_, n, _, _ in shown])
    return {
        "stories": {
            name: next(title_of(one) for one in articles if one.article.label == name)
            for name in largest
        },
        "places": project(vectors, inputs.settings.seed),
        "texts": [label(ready[id_].sentences[n], 90) for id_, n, _, _ in shown],
        "story": [story for _, _, story, _ in shown],
        "thematic": [yes for _, _, _, yes in shown],
        "nearest": _nearest(shown, vectors),
    }


def _largest(labels: Sequence[str | None]) -> list[str]:
    """Return the true stories with the most articles, at least two each."""
    sizes: dict[str, int] = {}
    for one in labels:
        if one is not None:
            sizes[one] = sizes.get(one, 0) + 1
    ranked = sorted((-size, name) for name, size in sizes.items() if size > 1)
    return [name for _, name in ranked[:STORIES]] or sorted(sizes)[:STORIES]


def _spread(have: int, want: int) -> list[int]:
    """Return `want` places of `have`, spread evenly; all where there are fewer."""
    return [i * have // want for i in range(want)] if have > want else [*range(have)]


def _nearest(shown: Sequence[tuple[str, int, int, bool]], rows: Matrix) -> Plain:
    """Return how often the nearest sentence of another article is of the story."""
    owners = {
        id_: number for number, id_ in enumerate(dict.fromkeys(s[0] for s in shown))
    }
    found = {}
    for name, keep in (
        ("all", range(len(shown))),
        ("thematic", [i for i, s in enumerate(shown) if s[3]]),
    ):
        story = [shown[i][2] for i in keep]
        owner = [owners[shown[i][0]] for i in keep]
        share = nearest_share(rows[list(keep)], story, owner) if len(keep) else 0.0
        found[name] = round(share, 6)
    return found


def picture_sentences(each: Plain) -> Figure:
    """Return two panels: all sentences, and the thematic ones in the same places."""
    found = each["sentences"]
    names = story_names(found["stories"])
    traces: list[dict[str, Any]] = []
    for panel in (0, 1):
        for number, name in enumerate(names):
            keep = [
                i
                for i, story in enumerate(found["story"])
                if story == number and (panel == 0 or found["thematic"][i])
            ]
            places = [found["places"][i] for i in keep]
            texts = [found["texts"][i] for i in keep]
            traces.append(points(places, texts, name, number, panel))
    before, after = found["nearest"]["all"], found["nearest"]["thematic"]
    change = (
        "The nearest sentence of another article is of the same story for "
        f"{percent(before)} of all sentences and for {percent(after)} of the thematic "
        "ones."
    )
    return Figure(
        id=f"cosines-sentences-{each['stream']}",
        title=f"Sentences of the largest stories of one window of {each['stream']}",
        caption=(
            f"{len(found['story'])} sentences in two dimensions (t-SNE; distances have "
            "no unit), coloured by true story. Left all of them, right, in the same "
            "places, those that the theme of their story weighs above the article's "
            f"average. {change}"
        ),
        traces=traces,
        layout=panels(["all sentences", "thematic sentences"], same_places=True),
        alt=change,
        height=480,
    )
