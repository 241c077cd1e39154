"""The four strategies of Sec. 6.3 on an article of two sentences, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.paper.building import article
from ustory.core.arrays import Matrix, SentenceVectors
from ustory.core.settings import REPRESENTATIONS, Settings
from ustory.paper.embedding.article import Hits
from ustory.paper.embedding.story import Embedder
from ustory.window.unassigned import Batch

BATCH = Batch([article("a", 0, {"flood": 1}, {"rescue": 1})])
"""Two sentences, the first two axes."""
TEXTS = {"a": ("Flood came.", "Rescue came.")}
HALVES = [[1.0, 3.0]]
"""The second sentence is three times as relevant."""


class Listening:
    """Remembers what it was asked to encode; all rows are the last axis."""

    name = "listening"
    dim = 4

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return the last axis for every sentence."""
        self.asked += sentences
        return np.tile(np.eye(4, dtype=np.float16)[3], (len(sentences), 1))


def represent(
    settings: Settings, relevance: Sequence[Sequence[float]]
) -> tuple[Matrix, list[str]]:
    """Return the representations of the article, and what was encoded for them."""
    encoder = Listening()
    # each sentence has one word, and the word's weight is the sentence's relevance
    weights = np.array(relevance)
    row, entry = np.nonzero(weights)
    sizes = np.bincount(row, minlength=len(weights))
    hits = Hits(
        np.zeros(len(weights), dtype=np.int64),
        np.concatenate([[0], np.cumsum(sizes)]),
        entry,
        weights[row, entry],
    )
    found = Embedder(settings, encoder, TEXTS).represent(BATCH, hits)
    return found, encoder.asked


@pytest.mark.parametrize(
    ("representation", "vector", "text"),
    [
        ("ThemSentMean", [0.25, 0.75, 0, 0], []),
        ("ThemSentConc", [0, 0, 0, 1], ["Rescue came. Flood came."]),
        ("IndSentMean", [0.5, 0.5, 0, 0], []),
        ("IndSentConc", [0, 0, 0, 1], ["Flood came. Rescue came."]),
    ],
)
def test_each_strategy(
    representation: str, vector: list[float], text: list[str]
) -> None:
    found, asked = represent(
        Settings(mode="paper", representation=representation), HALVES
    )

    assert found.tolist() == [vector]
    assert found.dtype == np.float32
    assert asked == text


@pytest.mark.parametrize(
    ("representation", "vector", "text"),
    [
        ("ThemSentMean", [0, 1, 0, 0], []),
        ("ThemSentConc", [0, 0, 0, 1], ["Rescue came."]),
        ("IndSentMean", [1, 0, 0, 0], []),
        ("IndSentConc", [0, 0, 0, 1], ["Flood came."]),
    ],
)
def test_one_sentence_is_the_most_thematic_or_the_first(
    representation: str, vector: list[float], text: list[str]
) -> None:
    settings = Settings(mode="paper", representation=representation, sentences=1)

    found, asked = represent(settings, HALVES)

    assert found.tolist() == [vector]
    assert asked == text


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_without_theme_every_strategy_is_the_plain_mean(representation: str) -> None:
    settings = Settings(mode="paper", representation=representation, theme_aware=False)

    found, asked = represent(settings, HALVES)

    assert found.tolist() == [[0.5, 0.5, 0, 0]]
    assert asked == []


@pytest.mark.parametrize(
    ("representation", "second"),
    [("ThemSentMean", [1, 0, 0, 0]), ("ThemSentConc", [0, 0, 0, 1])],
)
def test_an_article_without_a_keyword_falls_back_to_its_plain_mean(
    representation: str, second: list[float]
) -> None:
    settings = Settings(mode="paper", representation=representation)

    found, _ = represent(settings, [[0.0, 0.0], [1.0, 0.0]])

    assert found.tolist() == [[0.5, 0.5, 0, 0], second]


def test_a_text_that_two_stories_ask_for_is_encoded_once() -> None:
    settings = Settings(mode="paper", representation="ThemSentConc")

    found, asked = represent(settings, [[1.0, 2.0], [1.0, 3.0], [3.0, 1.0]])

    assert len(found) == 3
    assert asked == ["Rescue came. Flood came.", "Flood came. Rescue came."]


@pytest.mark.parametrize(
    ("changes", "thematic", "plain_sum"),
    [
        ({}, True, True),
        ({"sentences": 2}, True, False),
        ({"representation": "ThemSentConc"}, True, False),
        ({"representation": "IndSentMean"}, False, False),
        ({"theme_aware": False}, False, False),
    ],
)
def test_which_representations_depend_on_the_theme(
    changes: dict[str, object], thematic: bool, plain_sum: bool
) -> None:
    embedder = Embedder(Settings(mode="paper").with_(changes), Listening(), TEXTS)

    assert (embedder.is_thematic, embedder.is_plain_sum) == (thematic, plain_sum)
