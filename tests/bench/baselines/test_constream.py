"""ConStream: the worked example, what fades, who joins, who is replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError, StateError
from ustory.core.settings import Settings
from ustory.testing import TinyEncoder, check_discoverer
from ustory_bench.baselines.constream import PSE, SYSTEM, ConStream, Memory, Parameters
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.droplets import (
    Background,
    Droplet,
    History,
    sentence_space,
    word_space,
)
from ustory_bench.baselines.windowed import Turn
from ustory_bench.system import Parameter, System

WORKED: dict[str, Any] = {
    "score": 1.0, "half_life": 1.0, "expected": 0.5, "spread": 0.1, "trust": 1.0,
}  # fmt: skip


def document(
    name: str,
    day: float,
    vector: Sequence[float] = (),
    words: Mapping[str, int] | None = None,
) -> Document:
    return Document(
        id=name,
        pane=int(day),
        day=day,
        words=words or {},
        pairs={},
        title={},
        lead={},
        names={},
        vector=np.array(vector, dtype=np.float32),
    )


def settle(
    method: ConStream,
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


def sentences(**changes: Any) -> ConStream:  # noqa: ANN401
    return ConStream(Settings(), Parameters(**{**WORKED, **changes}), dim=2)


A = document("a", 0, (1, 0))
B = document("b", 1, (0.8, 0.6))
C = document("c", 1, (0, 1))


def test_the_worked_example() -> None:
    story, memory = settle(sentences(), [A, B, C])
    # A is alone. B: cos = 0.8, and the lent history wants 0.5 - 1 · 0.1 = 0.4.
    # The droplet is then DF1 = 2^-1 · (1, 0) + (0.8, 0.6) = (1.3, 0.6).
    # C: cos = 0.6 / √(1.69 + 0.36) = 0.6 / 1.43178 = 0.41906. The history is {0.8}
    # and one lent article: μ = (0.8 + 0.5) / 2 = 0.65,
    # σ² = (0.64 + 0.25 + 0.01) / 2 - 0.65² = 0.0275, σ = 0.16583;
    # 0.41906 < 0.65 - 0.16583 = 0.48417: an outlier.
    assert story == {"a": "s000001", "b": "s000001", "c": "s000002"}
    first, second = memory.droplets.values()
    assert first.sums.tolist() == pytest.approx([1.3, 0.6])
    assert first.weight == 1.5  # 2^-1 + 1
    assert first.last == 1
    assert first.history.total == pytest.approx(0.8)
    assert (second.sums.tolist(), second.weight) == ([0, 1], 1)


def test_a_higher_standard_score_lets_more_articles_join() -> None:
    # 0.65 - 2 · 0.16583 = 0.31834 < 0.41906
    story, memory = settle(sentences(score=2.0), [A, B, C])
    assert set(story.values()) == {"s000001"}
    assert memory.droplets["s000001"].history.articles == 2


def test_words_are_compared_by_faded_idf() -> None:
    flood = document("a", 0, words={"flood": 1, "river": 1})
    vote = document("b", 0, words={"flood": 1, "vote": 1})
    background = Background().after([flood, vote], half_life=30)
    space = word_space(background, [flood, vote], [], title=1)
    axes, values = space.point(flood)
    row = np.zeros(3)
    row[axes] = values
    # idf: ln(1 + 2/2) = 0.69315 for flood, ln(1 + 2/1) = 1.09861 for the others;
    # cos = 0.48045 / (0.48045 + 1.20695) = 0.28473
    assert space.norm(row) == pytest.approx(1)
    assert space.inner(space.point(vote), row) == pytest.approx(0.28473, abs=1e-5)


def test_words_of_the_title_weigh_more() -> None:
    plain = document("a", 0, words={"flood": 1, "river": 1})
    titled = replace(plain, title={"river": 1})
    space = word_space(Background().after([plain], half_life=30), [plain], [], title=2)
    # all idf are ln 2: (1, 1) and (1, 2), divided by their lengths and by ln 2
    assert space.point(plain)[1].tolist() == pytest.approx([1.0201, 1.0201], rel=1e-4)
    assert space.point(titled)[1].tolist() == pytest.approx([0.6452, 1.2904], rel=1e-4)


def test_the_background_fades_and_forgets() -> None:
    before = Background().after([document("a", 0, words={"flood": 3})], half_life=2)
    after = before.after([document("b", 2, words={"vote": 1})], half_life=2)
    assert after.words == {"flood": 0.5, "vote": 1}
    assert after.articles == 1.5
    later = after.after([document("c", 3, words={"cup": 1})], half_life=2)
    assert list(later.words) == ["vote", "cup"]


def test_a_late_article_does_not_turn_the_background_back() -> None:
    late = [document("b", 1, words={"vote": 1})]
    after = Background(articles=4, day=9).after(late, half_life=2)
    assert (after.articles, after.day) == (5, 9)


@given(st.permutations(range(5)))
def test_the_order_of_arrival_does_not_change_what_a_droplet_holds(
    order: list[int],
) -> None:
    days = [0.0, 0.5, 1.0, 2.5, 4.0]
    angles = [0.0, 0.3, 0.1, 0.5, 0.2]
    articles = [
        document(f"a{i}", days[i], (np.cos(angles[i]), np.sin(angles[i])))
        for i in range(5)
    ]
    method = sentences(expected=-1.0)
    _, straight = settle(method, articles)
    _, shuffled = settle(method, [articles[i] for i in order])
    [expected], [found] = straight.droplets.values(), shuffled.droplets.values()
    assert found.sums.tolist() == pytest.approx(expected.sums.tolist())
    assert found.weight == pytest.approx(expected.weight)
    assert found.last == expected.last == 4


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.floats(-3, 3))
def test_a_history_knows_mean_and_deviation(seen: list[float], score: float) -> None:
    history = History()
    for similarity in seen:
        history = history.and_(History.of(1, similarity, 0))
    expected = np.mean(seen) + score * np.std(seen)
    assert history.at(score) == pytest.approx(float(expected), abs=1e-6)


def test_a_droplet_survives_its_space_but_for_what_has_faded_away() -> None:
    sums = np.array([0.5, 2, 1e-5])
    droplet = Droplet(
        words=("flood", "river", "town"),
        sums=sums, weight=1, last=0, history=History(),
    )  # fmt: skip
    new = [document("a", 0, words={"vote": 1})]
    space = word_space(Background().after(new, half_life=1), new, [droplet], title=1)
    row = space.row(droplet)
    assert row.tolist() == [0, *sums]
    words, kept = space.sums(row)
    assert (words, kept.tolist()) == (("flood", "river"), [0.5, 2])
    assert sentence_space(2).sums(sums) == ((), sums)


def test_an_outlier_joins_when_there_is_no_room_and_all_are_active() -> None:
    story, memory = settle(sentences(droplets=1, idle=2.0), [A, C])
    assert set(story.values()) == {"s000001"}
    assert memory.droplets["s000001"].weight == 1.5


def test_an_outlier_takes_the_place_of_the_longest_inactive() -> None:
    north, south = document("n", 0.5, (0, 1)), document("s", 2, (0, -1))
    method = sentences(droplets=2, idle=1.0)
    story, memory = settle(method, [A, north, south])
    assert story == {"a": "s000001", "n": "s000002", "s": "s000003"}
    assert list(memory.droplets) == ["s000002", "s000003"]


def test_a_droplet_goes_with_the_last_article_of_its_story() -> None:
    method = sentences()
    _, memory = settle(method, [A])
    again, _ = settle(method, [document("z", 9, (1, 0))], {"q": "s000001"}, memory)
    assert again["z"] == "s000001"
    gone, after = settle(method, [document("z", 9, (1, 0))], {"q": "s000002"}, memory)
    assert gone["z"] == "s000009"
    assert list(after.droplets) == [gone["z"]]


def test_a_quiet_slide_changes_nothing() -> None:
    method = sentences()
    story, memory = settle(method, [A])
    assert settle(method, [], story, memory) == (story, memory)


def test_an_article_without_words_is_its_own_story() -> None:
    method = ConStream(Settings(), Parameters())
    articles = [document("a", 0), document("b", 0, words={"flood": 1})]
    story, _ = settle(method, [*articles, document("c", 1)])
    assert len(set(story.values())) == 3
    alone, memory = settle(method, [document("a", 0)])
    assert alone == {"a": "s000001"}
    assert memory.droplets["s000001"].words == ()


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=["words", "sentences"])
def test_it_keeps_the_contract(system: System) -> None:
    check_discoverer(lambda: system.make(Settings(), TinyEncoder()))


def test_a_frozen_state_of_the_other_variant_is_refused() -> None:
    words = SYSTEM.make(Settings(), TinyEncoder())
    same = {name: SYSTEM.parameters[name] for name in PSE.parameters}
    vectors = PSE.make(Settings(), TinyEncoder(), **same)
    with pytest.raises(StateError, match="other settings"):
        vectors.thaw(words.freeze(words.begin()))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("score", -0.1, "at least 0 and finite, got -0.1; it is a standard score"),
        ("score", float("nan"), "finite, got nan"),
        ("half_life", 0, "days until an article counts half"),
        ("droplets", 0, "at least 1"),
        ("droplets", 2.5, "a whole number, got 2.5"),
        ("idle", -1, "may be replaced"),
        ("expected", -2, "a cosine similarity"),
        ("spread", -0.1, "a standard deviation"),
        ("trust", 0, "the lent history"),
        ("background", float("inf"), "finite, got inf"),
        ("title", 0, "in the title"),
        ("half_life", "3", "a number, got '3'"),
        ("spread", True, "a number, got True"),
    ],
)
def test_a_bad_parameter_is_refused_in_words(
    name: str, value: Parameter, words: str
) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be .*{words}"):
        SYSTEM.make(Settings(), TinyEncoder(), **{name: value})
