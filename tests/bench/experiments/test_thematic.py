from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from tests.bench.experiments.figure_case import written

from ustory.core.arrays import Vector
from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory_bench.experiments.thematic import open_window

SETTINGS = Settings(mode="paper", keywords=3)
ARTICLES = (
    written("b", ["River flood in Velm", "The flood rose", "Trains were late"], "f", 1),
    written("a", ["Flood flood flood", "Boats came", "Nobody was hurt"], "f", 2),
    written("c", ["Vote on the law", "The vote was close", "Law law"], "v", 3),
    written("d", ["Nothing of the kind"], None, 4),
)
BY_ID = {one.article.id: one for one in ARTICLES}


def tf(one: PreparedArticle) -> Counter[str]:
    return Counter(dict(zip(one.counts.terms, one.counts.tf.tolist(), strict=True)))


def weights_of(
    target: Mapping[str, int], corpora: Sequence[Mapping[str, int]]
) -> dict[str, float]:
    """Return Eq. 1 of one day, where nothing decays."""
    return {
        term: count
        * math.log((len(corpora) + 1) / (sum(term in c for c in corpora) + 1) + 1)
        for term, count in target.items()
    }


def seen(one: PreparedArticle, theme: Mapping[str, float]) -> Vector:
    """Return Eq. 2 by hand: the sentences by the keywords in them."""
    scores = np.zeros(len(one.sentences))
    cells = zip(one.counts.term, one.counts.sentence, one.counts.count, strict=True)
    for term, sentence, count in cells:
        scores[sentence] += theme.get(one.counts.terms[term], 0.0) * count
    if not scores.any():
        scores[:] = 1.0
    view: Vector = scores / scores.sum() @ one.vectors.astype(np.float64)
    return view


def test_rows_are_the_articles_by_id() -> None:
    window = open_window(ARTICLES, SETTINGS)

    assert window.ids == ("a", "b", "c", "d")
    expected = [BY_ID[i].vectors.mean(axis=0, dtype=np.float64) for i in window.ids]
    np.testing.assert_allclose(window.means(), expected, atol=1e-6)


def test_an_article_is_seen_through_its_own_theme_in_the_context_of_all() -> None:
    corpora = [tf(one) for one in ARTICLES]
    window = open_window(ARTICLES, SETTINGS)

    for id_, row in zip(window.ids, window.own_views(), strict=True):
        found = weights_of(tf(BY_ID[id_]), corpora)
        # ties go to the term listed first
        top = sorted(found, key=lambda term: -np.float32(found[term]))[:3]
        expected = seen(BY_ID[id_], {term: found[term] for term in top})
        np.testing.assert_allclose(row, expected, atol=1e-5)


def test_an_article_is_seen_through_the_theme_of_its_true_story() -> None:
    truth = {one.article.id: one.article.label for one in ARTICLES}
    stories = {"f": tf(BY_ID["a"]) + tf(BY_ID["b"]), "v": tf(BY_ID["c"])}
    window = open_window(ARTICLES, SETTINGS)

    for id_, row in zip(window.ids, window.story_views(truth), strict=True):
        label = truth[id_]
        theme: dict[str, float] = {}
        if label is not None:
            found = weights_of(stories[label], list(stories.values()))
            top = sorted(found, key=lambda term: (-np.float32(found[term]), term))[:3]
            theme = {term: found[term] for term in top}
        np.testing.assert_allclose(row, seen(BY_ID[id_], theme), atol=1e-5)


def test_without_labels_all_are_plain_means() -> None:
    window = open_window(ARTICLES, SETTINGS)

    views = window.story_views(dict.fromkeys(window.ids))

    np.testing.assert_array_equal(views, window.means())
