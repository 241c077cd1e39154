"""newsLens: the worked example, keywords, edges, and what sentence vectors change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from ustory.core.errors import ConfigError, StateError
from ustory.core.settings import Settings
from ustory.testing import TinyEncoder, check_discoverer
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.newslens import (
    PSE,
    SYSTEM,
    NewsLens,
    keyword_rows,
    shared_keywords,
)
from ustory_bench.baselines.topic_graph import Memory, filtered_rows
from ustory_bench.baselines.windowed import Turn
from ustory_bench.system import System

pytest.importorskip("sknetwork", reason="needs scikit-network: ustory-bench")

ENCODER = TinyEncoder()


def document(name: str, words: str, vector: Sequence[float] = (1.0, 0.0)) -> Document:
    said = words.split()
    return Document(
        id=name,
        pane=0,
        day=0.0,
        words={word: said.count(word) for word in sorted(set(said))},
        pairs={},
        title={},
        lead={},
        names={},
        vector=np.array(vector, dtype=np.float32),
    )


WORKED = (
    document("a", "fire fire port ship", (1.0, 0.0)),
    document("b", "fire port crew", (0.8, 0.6)),
    document("c", "law vote port", (0.0, 1.0)),
    document("d", "vote vote law", (0.6, 0.8)),
)
"""Four articles. In two of them: fire, law, vote; in three: port; the rest in one.

Weights are (1 + ln tf) · ln(1 + 4 / df), so ln 3 = 1.0986 for a word of two articles,
ln(7/3) = 0.8473 for port, and 1.6931 · 1.0986 = 1.8601 where it is said twice. Words
of one article are no keywords. At unit length:
  a  fire 1.8601, port 0.8473, / 2.0440        →  fire 0.9100, port 0.4145
  b  fire 1.0986, port 0.8473, / 1.3874        →  fire 0.7919, port 0.6107
  c  law, vote 1.0986, port 0.8473, / 1.7697   →  law, vote 0.6208, port 0.4788
  d  vote 1.8601, law 1.0986, / 2.1603         →  vote 0.8610, law 0.5085
"""


def method(**changes: Any) -> NewsLens:  # noqa: ANN401 - any parameter
    given = {"keywords": 3, "shared": 2, "merge": 1.0, "whole": False}
    return NewsLens(Settings(), **{**given, **changes})


def settle(
    lens: NewsLens,
    documents: Sequence[Document],
    story: Mapping[str, str | None] | None = None,
) -> Mapping[str, str | None]:
    turn = Turn(
        end=datetime(2024, 3, 4, tzinfo=UTC),
        documents={each.id: each for each in documents},
        new=[each for each in documents if each.id not in (story or {})],
        story=story or {},
        memory=Memory(),
        next_story=9 if story else 1,
    )
    return lens.settle(turn)[0]


def test_the_worked_example_has_the_keywords_computed_by_hand() -> None:
    rows = keyword_rows(filtered_rows(WORKED, rare=2), keywords=2)

    # columns: fire, law, port, vote; c keeps law and vote and loses port
    assert rows.toarray().round(4).tolist() == [
        [0.91, 0.0, 0.4145, 0.0],
        [0.7919, 0.0, 0.6107, 0.0],
        [0.0, 0.6208, 0.0, 0.6208],
        [0.0, 0.5085, 0.0, 0.861],
    ]


def test_the_worked_example_has_the_edges_counted_by_hand() -> None:
    rows = keyword_rows(filtered_rows(WORKED, rare=2), keywords=3)

    assert shared_keywords(rows, 1).toarray().tolist() == [
        [2, 2, 1, 0],
        [2, 2, 1, 0],
        [1, 1, 3, 2],
        [0, 0, 2, 2],
    ]
    assert shared_keywords(rows, 2).toarray().tolist() == [
        [2, 2, 0, 0],
        [2, 2, 0, 0],
        [0, 0, 3, 2],
        [0, 0, 2, 2],
    ]


def test_the_worked_example_is_two_stories_until_their_keywords_are_alike() -> None:
    # a + b = fire 1.7019, port 1.0252, length 1.9868; c + d = law 1.1293,
    # vote 1.4818, port 0.4788, length 1.9236. They have port in common:
    # cos = 1.0252 · 0.4788 / (1.9868 · 1.9236) = 0.1284
    apart = {"a": "s000001", "b": "s000001", "c": "s000002", "d": "s000002"}

    assert settle(method(merge=0.13), WORKED) == apart
    assert settle(method(merge=0.128), WORKED) == dict.fromkeys("abcd", "s000001")


def test_of_equally_good_keywords_the_first_in_the_alphabet_are_kept() -> None:
    rows = filtered_rows([document("a", "z y x"), document("b", "x y z")])

    assert keyword_rows(rows, 2).indices.tolist() == [0, 1, 0, 1]


def test_an_article_that_shares_too_few_keywords_is_a_story_of_its_own() -> None:
    far = document("e", "port rain")

    found = settle(method(), [*WORKED, far])

    assert found["e"] not in {found["a"], found["c"]}


def test_the_next_window_is_linked_through_the_articles_it_shares() -> None:
    known = {"b": "s000004", "c": "s000007"}

    found = settle(method(), WORKED, known)

    assert found == {"a": "s000004", "b": "s000004", "c": "s000007", "d": "s000007"}


def test_with_sentence_vectors_the_same_edges_weigh_the_cosines() -> None:
    edges, rows = method(dense=True).draw(WORKED)

    # a · b = 0.8, c · d = 0.8; a and c, with cosine 0, share one keyword only
    assert edges.toarray().round(6).tolist() == [
        [1, 0.8, 0, 0],
        [0.8, 1, 0, 0],
        [0, 0, 1, 0.8],
        [0, 0, 0.8, 1],
    ]
    assert not isinstance(rows, sparse.csr_array)
    assert rows.tolist() == [each.vector.tolist() for each in WORKED]


def test_with_sentence_vectors_communities_are_merged_by_their_means() -> None:
    # a + b = (1.8, 0.6), c + d = (0.6, 1.8): cos = 2.16 / 3.6 = 0.6
    apart = settle(method(dense=True, merge=0.61), WORKED)
    joined = settle(method(dense=True, merge=0.59), WORKED)

    assert (len(set(apart.values())), len(set(joined.values()))) == (2, 1)


def test_an_edge_between_opposite_sentence_vectors_is_none() -> None:
    said = [document("a", "x y"), document("b", "x y", (-1.0, 0.0))]

    edges, _ = method(dense=True).draw(said)

    assert edges.toarray().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("system", [SYSTEM, PSE])
def test_both_variants_keep_the_contract(system: System) -> None:
    check_discoverer(lambda: system.make(Settings(), ENCODER))


def test_a_state_of_the_other_variant_is_refused() -> None:
    lens = SYSTEM.make(Settings(), ENCODER, merge=0.5)
    frozen = lens.freeze(lens.begin())

    with pytest.raises(StateError, match="with other settings"):
        PSE.make(Settings(), ENCODER, merge=0.5).thaw(frozen)


@pytest.mark.parametrize("name", ["keywords", "shared"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "3", True, None])
def test_a_number_of_keywords_must_be_a_whole_one(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=rf"{name} must be a whole number.*got "):
        method(**{name: value})


def test_more_shared_keywords_than_there_are_is_refused() -> None:
    with pytest.raises(ConfigError, match="shared must not be more than keywords"):
        method(keywords=2, shared=3)
