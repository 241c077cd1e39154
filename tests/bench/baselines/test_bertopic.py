from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from math import cos, radians, sin

import numpy as np
import pytest

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.testing import TinyEncoder, check_discoverer
from ustory.testing.parts import DAY, START, count_words
from ustory_bench.baselines.bertopic import SYSTEM, written
from ustory_bench.baselines.document import document_of
from ustory_bench.system import Parameter

SETTINGS, ENCODER = Settings(), TinyEncoder()

_absent = pytest.mark.skipif(
    find_spec("bertopic") is None, reason="needs BERTopic: ustory-bench[bertopic]"
)


def needs_bertopic(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that fits models: slow, and skipped where BERTopic is not."""
    marked: Callable[..., None] = pytest.mark.slow(_absent(test))
    return marked


def article(name: str, day: float, degrees: float, text: str) -> PreparedArticle:
    """Return an article whose vector points to `degrees` on the circle."""
    angle = radians(degrees)
    return PreparedArticle(
        article=Article(id=name, published_at=START + day * DAY, title=text),
        sentences=(text,),
        counts=count_words((text,) if text else ()),
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


def two_stories(day: int) -> list[PreparedArticle]:
    """Return three articles on a flood, three on a vote, and one on neither."""
    floods = [article(f"a{day}{n}", day, n, "flood in velm") for n in range(3)]
    votes = [article(f"b{day}{n}", day, 90 + n, "senate vote") for n in range(3)]
    return [*floods, *votes, article(f"x{day}", day, 225, "cup final")]


@needs_bertopic
def test_topics_are_stories_and_the_far_article_has_none() -> None:
    # vectors within 2 degrees of each other, 88 degrees between the two topics and
    # 133 to the last article: HDBSCAN keeps the two dense groups and calls it noise
    (found,) = follow([two_stories(0)], outliers=None)

    assert found["a00"] == found["a01"] == found["a02"] == "s000001"
    assert found["b00"] == found["b01"] == found["b02"] == "s000002"
    assert found["x0"] is None


@needs_bertopic
def test_an_outlier_joins_the_nearest_topic_that_is_near_enough() -> None:
    # the stories are 38 degrees apart and x is 45 from the nearer: it leaves the tree
    # first and is noise; from the middle of the vote it is 46, cos 46 = 0.695
    floods = [article(f"a{n}", 0, n, "flood in velm") for n in range(3)]
    votes = [article(f"b{n}", 0, 40 + n, "senate vote") for n in range(3)]
    slides = [[*floods, *votes, article("x", 0.5, 87, "harbour law")]]

    (near,) = follow(slides, outliers=0.69)
    (far,) = follow(slides, outliers=0.71)

    assert near["x"] == near["b0"] is not None
    assert far["x"] is None


@needs_bertopic
def test_a_story_keeps_its_id_through_windows_that_share_no_article() -> None:
    told = follow([two_stories(day) for day in range(8)])

    assert "a00" not in told[-1]
    assert told[-1]["a70"] == told[0]["a00"]
    assert told[-1]["b70"] == told[0]["b00"]


@needs_bertopic
def test_windows_large_enough_for_umap_are_clustered_the_same_way_twice() -> None:
    slides = [two_stories(day) for day in range(4)]

    once = follow(slides, components=5, neighbors=15)

    assert once == follow(slides, components=5, neighbors=15)
    assert once[-1]["a00"] == once[-1]["a30"] is not None
    assert once[-1]["a00"] != once[-1]["b30"]


@needs_bertopic
def test_a_window_with_too_few_articles_has_no_story() -> None:
    (found,) = follow([two_stories(0)[:2]])

    assert set(found.values()) == {None}


@needs_bertopic
def test_articles_without_words_are_clustered_too() -> None:
    slides = [[article(f"a{n}", 0, 30 * (n // 3), "") for n in range(6)]]

    assert len(follow(slides)[0]) == 6


@needs_bertopic
def test_it_keeps_the_contract() -> None:
    check_discoverer(lambda: SYSTEM.make(SETTINGS, ENCODER))


def test_a_document_is_written_with_every_word_as_often_as_it_is_said() -> None:
    document = document_of(article("a", 0, 0, "old town old bridge"), 0)

    assert written(document) == "<article> bridge old old town </article>"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("min_cluster_size", 1, "a whole number of at least 2, got 1"),
        ("min_samples", 0, "a whole number of at least 1, got 0"),
        ("components", -1, "a whole number of at least 0, got -1"),
        ("components", 2.0, "a whole number of at least 0, got 2.0"),
        ("neighbors", 1, "a whole number of at least 2, got 1"),
        ("outliers", 1.5, "from 0 to 1, or left out, got 1.5"),
        ("outliers", True, "from 0 to 1, or left out, got True"),
        ("outliers", "0.5", "from 0 to 1, or left out, got '0.5'"),
        ("outliers", float("nan"), "from 0 to 1, or left out, got nan"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_refused_in_words(
    name: str, value: Parameter, words: str
) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be {words}"):
        SYSTEM.make(SETTINGS, ENCODER, **{name: value})


def test_without_bertopic_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "bertopic", None)

    with pytest.raises(
        MissingExtraError, match=r"pip install 'ustory-bench\[bertopic\]'"
    ):
        SYSTEM.make(SETTINGS, ENCODER)
