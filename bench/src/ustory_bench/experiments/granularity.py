"""Articles at every level of the paper's Fig. 2, from words to themes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ustory.core.arrays import Matrix, Vector
from ustory.core.article import PreparedArticle
from ustory.core.protocols import Encoder
from ustory.paper.embedding.article import unit_rows
from ustory_bench.experiments.thematic import OpenWindow

LEVELS = ("words", "sentences", "article", "own theme", "story theme")
"""From the finest to what a theme makes of it; the last reads labels."""

_WORD = re.compile(r"\w+")


def levels(
    window: OpenWindow, articles: Mapping[str, PreparedArticle], encoder: Encoder
) -> dict[str, Matrix]:
    """Return the articles of a window at each level, one unit row per article.

    `articles` are by id and may be more than the window's.
    """
    inside = [articles[id_] for id_ in window.ids]
    truth = {one.article.id: one.article.label for one in inside}
    found = (
        word_means(inside, encoder),
        window.means(),
        encoder.encode([" ".join(one.sentences) for one in inside]).astype(np.float32),
        window.own_views(),
        window.story_views(truth),
    )
    return {name: unit_rows(rows) for name, rows in zip(LEVELS, found, strict=True)}


def word_means(articles: Sequence[PreparedArticle], encoder: Encoder) -> Matrix:
    """Return the mean over the distinct words of each article, encoded one by one.

    Letter case is kept, for encoders that know it. An article without a word is
    the mean of its sentences.
    """
    said = [
        list(dict.fromkeys(_WORD.findall(" ".join(one.sentences)))) for one in articles
    ]
    number = {
        word: place
        for place, word in enumerate(sorted({w for words in said for w in words}))
    }
    if not number:
        return np.stack([one.vectors.mean(axis=0) for one in articles])
    vectors = encoder.encode(list(number)).astype(np.float32)
    return np.stack(
        [
            vectors[[number[word] for word in words]].mean(axis=0)
            if words
            else one.vectors.mean(axis=0, dtype=np.float32)
            for one, words in zip(articles, said, strict=True)
        ]
    )


def cosines(rows: Matrix, story: Sequence[str | None]) -> tuple[Vector, Vector]:
    """Return the cosines of all pairs within a story, and of all pairs across two.

    Rows are of unit length; those without a story are left out.
    """
    keep = np.flatnonzero([one is not None for one in story])
    labels = np.array([str(story[i]) for i in keep.tolist()], dtype=np.str_)
    unit = rows[keep].astype(np.float64)
    first, second = np.triu_indices(len(unit), 1)
    near = (unit @ unit.T)[first, second]
    same = labels[first] == labels[second]
    return near[same], near[~same]


def higher_share(within: Vector, across: Vector) -> float:
    """Return how often a pair within a story is more similar than one across.

    Over all pairs of pairs, ties half: the area under the ROC curve; 0.5 is chance.

    >>> higher_share(np.array([0.9, 0.5]), np.array([0.5, 0.1]))
    0.875
    """
    ordered = np.sort(across)
    below = np.searchsorted(ordered, within, "left")
    upto = np.searchsorted(ordered, within, "right")
    return float((below + upto).mean() / 2 / len(across))
