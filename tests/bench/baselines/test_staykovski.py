"""Staykovski et al.: the worked example, edges by cosine, filters, both vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from ustory.core.errors import ConfigError, StateError
from ustory.core.settings import Settings
from ustory.testing import TinyEncoder, check_discoverer
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.staykovski import (
    PSE,
    SYSTEM,
    Staykovski,
    build_dense,
    build_sparse,
)
from ustory_bench.baselines.topic_graph import Memory
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
    document("c", "law vote port", (0.6, 0.8)),
    document("d", "vote vote law", (0.0, 1.0)),
)
"""Four articles. In two of them: fire, law, vote; in three: port; the rest in one.

Weights are (1 + ln tf) · ln(1 + 4 / df): 1.0986 for a word of two articles, 1.8601
where it is said twice, 0.8473 for port. Without the words of one article, at unit
length:
  a  fire 0.9100, port 0.4145          c  law, vote 0.6208, port 0.4788
  b  fire 0.7919, port 0.6107          d  vote 0.8610, law 0.5085
"""


def method(**changes: Any) -> Staykovski:  # noqa: ANN401 - any parameter
    given = {"edge": 0.25, "merge": 1.0, "rare": 2, "common": 1.0, "whole": False}
    return build_sparse(Settings(), ENCODER, **{**given, **changes})


def dense(**changes: Any) -> Staykovski:  # noqa: ANN401 - any parameter
    given = {"edge": 0.7, "merge": 1.0, "whole": False}
    return build_dense(Settings(), ENCODER, **{**given, **changes})


def edges(drawn: Staykovski) -> list[list[float]]:
    table = drawn.draw(WORKED)[0].toarray().astype(np.float64)
    rounded: list[list[float]] = table.round(3).tolist()
    return rounded


def settle(
    graph: Staykovski, story: Mapping[str, str | None] | None = None
) -> Mapping[str, str | None]:
    turn = Turn(
        end=datetime(2024, 3, 4, tzinfo=UTC),
        documents={each.id: each for each in WORKED},
        new=[each for each in WORKED if each.id not in (story or {})],
        story=story or {},
        memory=Memory(),
        next_story=9 if story else 1,
    )
    return graph.settle(turn)[0]


def test_the_worked_example_has_the_edges_computed_by_hand() -> None:
    # a·b = 0.9100 · 0.7919 + 0.4145 · 0.6107 = 0.974
    # c·d = 0.6208 · (0.8610 + 0.5085) = 0.850
    # b·c = 0.6107 · 0.4788 = 0.292, through port; a·c = 0.4145 · 0.4788 = 0.198
    assert edges(method(edge=0.25)) == [
        [1, 0.974, 0, 0],
        [0.974, 1, 0.292, 0],
        [0, 0.292, 1, 0.850],
        [0, 0, 0.850, 1],
    ]
    assert edges(method(edge=0.19))[0] == [1, 0.974, 0.198, 0]
    assert edges(method(edge=0.3))[1] == [0.974, 1, 0, 0]


def test_the_worked_example_is_two_communities_though_it_is_connected() -> None:
    # Weights 0.974, 0.292 and 0.850, m = 2.116; the ends in {a, b} weigh 2.240,
    # those in {c, d} 1.993. Apart: Q = 1.824 / 2.116 − (2.240² + 1.993²) / 4.233²
    # = 0.862 − 0.502 = 0.360; together it is 0.
    found = settle(method(edge=0.25))

    assert found == {"a": "s000001", "b": "s000001", "c": "s000002", "d": "s000002"}


def test_communities_are_merged_from_the_cosine_of_their_centroids_on() -> None:
    # a + b = fire 1.7019, port 1.0252, length 1.9868; c + d = law 1.1293,
    # vote 1.4818, port 0.4788, length 1.9236; cos = 0.4909 / 3.8218 = 0.1284
    apart = settle(method(merge=0.13))
    joined = settle(method(merge=0.128))

    assert (len(set(apart.values())), len(set(joined.values()))) == (2, 1)


def test_without_its_common_words_the_graph_falls_apart() -> None:
    found = edges(method(edge=0.01, common=0.5))  # port is in three of four

    assert found == [
        [1, 1, 0, 0],
        [1, 1, 0, 0],
        [0, 0, 1, 0.968],  # c is (1, 1) / √2 now: 0.7071 · (0.8610 + 0.5085)
        [0, 0, 0.968, 1],
    ]


def test_words_of_one_article_make_it_less_like_the_others() -> None:
    assert edges(method(rare=1))[0][1] < edges(method(rare=2))[0][1]


def test_the_next_window_is_linked_through_the_articles_it_shares() -> None:
    found = settle(method(), {"b": "s000004", "c": "s000007"})

    assert found == {"a": "s000004", "b": "s000004", "c": "s000007", "d": "s000007"}


def test_with_sentence_vectors_edges_are_cosines_of_their_means() -> None:
    # a·b = 0.8, b·c = 0.48 + 0.48 = 0.96, c·d = 0.8, a·c = b·d = 0.6, a·d = 0
    assert edges(dense(edge=0.7)) == [
        [1, 0.8, 0, 0],
        [0.8, 1, 0.96, 0],
        [0, 0.96, 1, 0.8],
        [0, 0, 0.8, 1],
    ]


@pytest.mark.parametrize("system", [SYSTEM, PSE])
def test_both_variants_keep_the_contract(system: System) -> None:
    check_discoverer(lambda: system.make(Settings(), ENCODER))


def test_a_state_of_the_other_variant_is_refused() -> None:
    sparse, other = method(), dense(edge=0.25)

    with pytest.raises(StateError, match="with other settings"):
        other.thaw(sparse.freeze(sparse.begin()))


@pytest.mark.parametrize("name", ["edge", "common"])
@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), "0.2", True, None])
def test_what_is_no_number_from_nothing_to_one_is_refused(
    name: str, value: object
) -> None:
    with pytest.raises(ConfigError, match=rf"{name} must be .*got .*it is the"):
        method(**{name: value})


@pytest.mark.parametrize("value", [0, 1.5, "2", True, None])
def test_how_rare_a_word_may_be_is_a_whole_number(value: object) -> None:
    with pytest.raises(ConfigError, match=r"rare must be a whole number.*got "):
        method(rare=value)
