"""A story forgets a pane as if it had never been, and adds up in any order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ustory.window.summary import StorySummary, add_articles
from ustory.window.unassigned import UnassignedArticle

arrivals = st.lists(
    st.tuples(st.integers(0, 5), st.sets(st.integers(0, 7), min_size=1)),
    min_size=1,
    max_size=8,
)


def article(number: int, pane: int, terms: set[int]) -> UnassignedArticle:
    size = len(terms)
    return UnassignedArticle(
        id=f"a{number}",
        pane=pane,
        terms=np.array(sorted(terms), dtype=np.int32),
        tf=np.arange(1, size + 1, dtype=np.int32),
        cells=np.ones(size, dtype=np.int32),
        sentence=np.zeros(size, dtype=np.int32),
        count=np.arange(1, size + 1, dtype=np.int32),
        vectors=np.ones((1, 2), dtype=np.float32),
    )


def summarise_all(articles: list[UnassignedArticle]) -> StorySummary:
    return added(StorySummary("s"), articles)


def added(story: StorySummary, articles: list[UnassignedArticle]) -> StorySummary:
    rows = [[float(one.id[1:]), 1.0] for one in articles]
    vectors = np.array(rows, dtype=np.float32).reshape(-1, 2)
    [grown] = add_articles([story], [articles], [vectors])
    return grown


def plain(story: StorySummary) -> dict[int, object]:
    return {
        pane: (
            part.articles,
            dict(sorted(zip(part.terms.tolist(), part.tf.tolist(), strict=True))),
            part.vectors.tolist(),
        )
        for pane, part in story.panes.items()
    }


@given(arrivals, st.integers(0, 6))
def test_eviction_equals_never_having_seen_the_pane(
    given_arrivals: list[tuple[int, set[int]]], cut: int
) -> None:
    articles = [article(i, pane, t) for i, (pane, t) in enumerate(given_arrivals)]
    evicted = summarise_all(articles).since(cut)
    fresh = [one for one in articles if one.pane >= cut]
    assert plain(evicted) == (plain(summarise_all(fresh)) if fresh else {})


@given(arrivals, st.integers(0, 8))
def test_summaries_are_additive(
    given_arrivals: list[tuple[int, set[int]]], cut: int
) -> None:
    articles = [article(i, pane, t) for i, (pane, t) in enumerate(given_arrivals)]
    whole = summarise_all(articles)
    story = StorySummary("s")
    for part in (articles[:cut], articles[cut:]):
        story = added(story, part)
    assert plain(story) == plain(whole)
    assert story.total == whole.total == len(articles)
    assert list(story.panes) == sorted(story.panes)
