from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from math import cos, radians, sin

import numpy as np
import pytest

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.testing import TinyEncoder, check_discoverer
from ustory.testing.parts import DAY, START, count_words
from ustory_bench.baselines.hdbscan import SYSTEM, cosine_distances, labelled_groups
from ustory_bench.system import Parameter

SETTINGS, ENCODER = Settings(), TinyEncoder()


@pytest.fixture
def _needs_scikit_learn() -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn: ustory-bench")


needs_scikit_learn = pytest.mark.usefixtures("_needs_scikit_learn")


def article(name: str, day: float, degrees: float) -> PreparedArticle:
    """Return an article whose vector points to `degrees` on the circle."""
    angle = radians(degrees)
    return PreparedArticle(
        article=Article(id=name, published_at=START + day * DAY, title=name),
        sentences=(name,),
        counts=count_words((name,)),
        vectors=np.array([[cos(angle), sin(angle)]], dtype=np.float32),
    )


def follow(
    slides: Sequence[Sequence[PreparedArticle]], **changes: Parameter
) -> Sequence[Mapping[str, str | None]]:
    """Return the assignments after each daily slide."""
    discoverer = SYSTEM.make(SETTINGS, ENCODER, **changes)
    state, told = discoverer.begin(), []
    for day, articles in enumerate(slides):
        end = START + (day + 1) * DAY
        state, _ = discoverer.advance(state, Slide(end=end, articles=articles))
        told.append(dict(discoverer.assignments(state)))
    return told


TWO_STORIES = [
    article("a0", 0.1, 0),
    article("a1", 0.1, 1),
    article("a2", 0.1, 2),
    article("b0", 0.1, 90),
    article("b1", 0.1, 91),
    article("x", 0.1, 200),
]
"""Three articles within 2 degrees, two within 1, and one 109 degrees from all."""


@needs_scikit_learn
def test_dense_articles_are_stories_and_the_far_one_is_noise() -> None:
    # Distances are 1 - cos of the angles. Cutting the tree from the top, x leaves
    # first, at 1 - cos 109 = 1.33 (density 1/1.33 = 0.75); the rest splits at
    # 1 - cos 88 = 0.965 (density 1.04) into the a's and the b's, which hold until
    # 1 - cos 1 = 0.00015 (density 6566). Stability, the sum over articles of how
    # much density they stayed for: whole window 0.75 + 5 · 1.04 = 5.9; the b's
    # 2 · (6566 - 1.04) = 13130, the a's half as much again. The parts win.
    (found,) = follow([TWO_STORIES])

    assert found["x"] is None
    assert found["a0"] == found["a1"] == found["a2"] == "s000001"
    assert found["b0"] == found["b1"] == "s000002"


@needs_scikit_learn
def test_a_story_smaller_than_the_smallest_cluster_is_noise() -> None:
    (found,) = follow([TWO_STORIES], min_cluster_size=3, single=True)

    assert found["b0"] is None
    assert found["a0"] == found["a1"] == found["a2"] is not None


@needs_scikit_learn
def test_all_of_a_window_is_one_story_only_where_that_is_allowed() -> None:
    near = TWO_STORIES[:2]

    (one,) = follow([near], single=True)
    (none,) = follow([near], single=False)

    assert set(one.values()) == {"s000001"}
    assert set(none.values()) == {None}


@needs_scikit_learn
def test_a_story_keeps_its_id_through_windows_that_share_no_article() -> None:
    slides = [
        [article(f"a{day}{n}", day, n) for n in range(2)]
        + [article(f"b{day}{n}", day, 90 + n) for n in range(2)]
        for day in range(9)
    ]

    told = follow(slides)

    assert "a00" not in told[-1]
    assert told[-1]["a80"] == told[0]["a00"]
    assert told[-1]["b80"] == told[0]["b00"]


@needs_scikit_learn
def test_what_is_left_is_clustered_anew_when_articles_leave() -> None:
    # once the first a has left, the other is alone and noise
    votes = [article(f"b{n}", 1.1, 90 + n) for n in range(2)]
    slides = [[article("a0", 0.1, 0)], [article("a1", 1.1, 1), *votes]]
    slides += [[]] * 6

    told = follow(slides)

    assert told[1]["a1"] == told[6]["a1"] is not None
    assert told[7].keys() == {"a1", "b0", "b1"}
    assert told[7]["a1"] is None
    assert told[7]["b0"] == told[1]["b0"]


@needs_scikit_learn
def test_a_window_with_too_few_articles_has_no_story() -> None:
    (one,) = follow([TWO_STORIES[:1]])
    (few,) = follow([TWO_STORIES[:3]], min_samples=4)

    assert one == {"a0": None}
    assert set(few.values()) == {None}


@needs_scikit_learn
def test_copies_of_one_article_are_one_story() -> None:
    copies = [article(f"a{n}", 0.1, 0) for n in range(5)]

    (found,) = follow([[*copies, *TWO_STORIES[3:]]])

    assert {found[copy.article.id] for copy in copies} == {"s000001"}
    assert found["b0"] == "s000002"


@needs_scikit_learn
def test_it_keeps_the_contract() -> None:
    check_discoverer(lambda: SYSTEM.make(SETTINGS, ENCODER))


def test_distances_are_one_minus_cosine() -> None:
    rows = np.array([[1, 0], [0.6, 0.8], [-1, 0]], dtype=np.float32)

    np.testing.assert_allclose(
        cosine_distances(rows), [[0, 0.4, 2], [0.4, 0, 1.6], [2, 1.6, 0]], atol=1e-7
    )
    assert not cosine_distances(rows).diagonal().any()


def test_groups_are_in_the_order_of_their_first_article() -> None:
    labels = np.array([2, -1, 0, 2, 0])

    assert labelled_groups(list("abcde"), labels) == [["a", "d"], ["c", "e"]]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("min_cluster_size", 1, "whole number of at least 2, got 1"),
        ("min_cluster_size", 2.5, "whole number of at least 2, got 2.5"),
        ("min_cluster_size", True, "whole number of at least 2, got True"),
        ("min_samples", 0, "whole number of at least 1, got 0"),
        ("min_samples", None, "whole number of at least 1, got None"),
        ("selection", "best", "one of eom, leaf; got 'best'"),
        ("single", 1, "true or false, got 1"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_refused_in_words(
    name: str, value: Parameter, words: str
) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be (a )?{words}"):
        SYSTEM.make(SETTINGS, ENCODER, **{name: value})


def test_without_scikit_learn_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)

    with pytest.raises(MissingExtraError, match="pip install ustory-bench"):
        SYSTEM.make(SETTINGS, ENCODER)
