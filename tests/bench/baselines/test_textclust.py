"""TextClust: river's model, its stories, and that nothing of it is lost."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.settings import Settings
from ustory.testing import TinyEncoder, check_discoverer
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.textclust import SYSTEM, Memory, TextClust, observation
from ustory_bench.baselines.windowed import Turn
from ustory_bench.system import Parameter

TextClustOfRiver = pytest.importorskip(
    "river.cluster", reason="needs river: pip install ustory-bench"
).TextClust


def document(name: str, day: float, words: str) -> Document:
    said = words.split()
    return Document(
        id=name,
        pane=int(day),
        day=day,
        words={word: said.count(word) for word in sorted(set(said))},
        pairs={},
        title={},
        lead={},
        names={},
        vector=np.zeros(2, dtype=np.float32),
    )


def settle(
    method: TextClust,
    documents: Sequence[Document],
    story: Mapping[str, str | None] | None = None,
    memory: Memory | None = None,
) -> tuple[Mapping[str, str | None], Memory]:
    known = story or {}
    turn = Turn(
        end=datetime(2024, 3, 4, tzinfo=UTC),
        documents={each.id: each for each in documents},
        new=documents,
        story=known,
        memory=memory or Memory(),
        next_story=9 if known else 1,
    )
    return method.settle(turn)


def make(**changes: Any) -> TextClust:  # noqa: ANN401
    given_ = {"radius": 0.3, "fading_factor": 1.0, "tgap": 1.0, "words": 9}
    return TextClust(Settings(), **{**given_, **changes})


FLOOD = document("a", 19000, "flood river")
VOTE = document("b", 19000.5, "flood vote")


def test_the_worked_example() -> None:
    story, memory = settle(make(), [FLOOD, VOTE])
    # One micro-cluster, so idf = 1 + ln(1/1) = 1 of flood and river; vote is in no
    # cluster and does not count: 1 - 1 / (√1 · √2) = 0.29289 < 0.3
    assert story == {"a": "s000001", "b": "s000001"}
    [cluster] = memory.clusters.values()
    # half a day has faded 2^-0.5 = 0.70711 of the first article
    assert cluster.words == pytest.approx(
        {"flood": 1.70711, "river": 0.70711, "vote": 1}, rel=1e-5
    )
    assert cluster.n == 2


def test_an_article_farther_than_the_radius_starts_a_story() -> None:
    story, memory = settle(make(radius=0.29), [FLOOD, VOTE])
    assert story == {"a": "s000001", "b": "s000002"}
    assert [cluster.story for cluster in memory.clusters.values()] == [*story.values()]


def test_the_story_of_a_merged_micro_cluster_goes_on_in_the_older() -> None:
    method = make(radius=0.7, fading_factor=0.1)
    river = document("a", 19000, "flood river " * 2)
    vote = document("b", 19000.5, "vote law " * 2)
    story, memory = settle(method, [river, vote])
    assert story == {"a": "s000001", "b": "s000002"}
    # both are half of it: it joins the older, which is then close to the other,
    # and a day has gone by since the last clean-up
    both = document("c", 19001, "flood river vote law " * 3)
    told, after = settle(method, [both], story, memory)
    assert set(told.values()) == {"s000001"}
    assert [cluster.story for cluster in after.clusters.values()] == ["s000001"]


def test_a_micro_cluster_that_lost_its_story_takes_that_of_the_merged() -> None:
    method = make(radius=0.7, fading_factor=0.1)
    river = document("a", 19000, "flood river " * 2)
    vote = document("b", 19000.5, "vote law " * 2)
    _, memory = settle(method, [river, vote])
    both = document("c", 19001, "flood river vote law " * 3)
    # the first article has left the window, and its story with it
    told, _ = settle(method, [both], {"b": "s000002"}, memory)
    assert told["b"] == told["c"]
    assert told["b"] != "s000001"


def test_a_story_outlives_the_micro_cluster_that_has_faded() -> None:
    method = make()
    story, memory = settle(method, [FLOOD])
    told, after = settle(method, [document("z", 19006, "cup final")], story, memory)
    assert told == {"a": "s000001", "z": "s000009"}
    assert [cluster.story for cluster in after.clusters.values()] == ["s000009"]


def test_a_late_article_counts_as_of_now() -> None:
    method = make()
    story, memory = settle(method, [FLOOD])
    _, after = settle(method, [document("z", 18999, "flood river")], story, memory)
    [cluster] = after.clusters.values()
    assert cluster.words == {"flood": 2, "river": 2}
    assert cluster.time == 19000


def test_an_article_without_words_has_no_story() -> None:
    story, memory = settle(make(), [document("a", 19000, "")])
    assert story == {"a": None}
    assert memory.clusters == {}


def test_a_quiet_slide_changes_nothing() -> None:
    story, memory = settle(make(), [FLOOD])
    assert settle(make(), [], story, memory) == (story, memory)


def test_the_most_telling_words_are_used() -> None:
    plain = document("a", 0, "b b b a c d")
    titled = replace(plain, title={"d": 1}, lead={"c": 1, "d": 1})
    assert observation(plain, 2) == {"a": 1, "b": pytest.approx(1 + log(3))}
    # three of each: three in the text, or one that is in the title and the lead too
    assert observation(titled, 2) == pytest.approx({"b": 1 + log(3), "d": 1 + log(3)})


texts = st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), texts), min_size=1, max_size=12))
def test_a_model_rebuilt_for_each_article_is_the_one_that_went_on(
    arrivals: list[tuple[float, str]],
) -> None:
    articles, day = [], 19000.0
    for number, (gap, words) in enumerate(arrivals):
        day += gap
        articles.append(document(f"a{number:02}", day, words))
    method = make(radius=0.5, fading_factor=0.3)
    story: Mapping[str, str | None] = {}
    memory = Memory()
    for article in articles:
        turn = Turn(
            end=datetime(2024, 3, 4, tzinfo=UTC),
            documents={},
            new=[article],
            story=story,
            memory=memory,
            next_story=len(story) + 1,
        )
        story, memory = method.settle(turn)
    model = TextClustOfRiver(radius=0.5, fading_factor=0.3, tgap=1.0)
    for article in articles:
        model.learn_one(observation(article, 9), t=article.day)
    assert {key: one.weight for key, one in memory.clusters.items()} == {
        key: one.weight for key, one in model.micro_clusters.items()
    }
    assert [one.words for one in memory.clusters.values()] == [
        {word: cell["tf"] for word, cell in one.tf.items()}
        for one in model.micro_clusters.values()
    ]


def test_it_keeps_the_contract() -> None:
    check_discoverer(lambda: SYSTEM.make(Settings(), TinyEncoder()))


def test_without_river_the_install_command_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "river.cluster", None)
    with pytest.raises(MissingExtraError, match="pip install ustory-bench"):
        make()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("radius", 0, "above 0 and at most 1.0, got 0; it is the cosine distance"),
        ("radius", 1.01, "at most 1.0, got 1.01"),
        ("radius", float("nan"), "got nan"),
        ("radius", "near", "a number, got 'near'"),
        ("fading_factor", 0, "a weight halves"),
        ("tgap", -1, "the days between two clean-ups"),
        ("tgap", True, "a number, got True"),
        ("words", 0, "a whole number above 0, got 0"),
        ("words", 1.5, "a whole number above 0, got 1.5"),
    ],
)
def test_a_bad_parameter_is_refused_in_words(
    name: str, value: Parameter, words: str
) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be .*{words}"):
        SYSTEM.make(Settings(), TinyEncoder(), **{name: value})
