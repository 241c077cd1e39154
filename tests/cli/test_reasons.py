from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.cli.reasons import Explanation
from ustory.core.settings import Settings
from ustory.core.story import ThemeDecision
from ustory.engine.state import Record

MOMENT = datetime(2024, 3, 5, tzinfo=UTC)
JOINED = ThemeDecision(
    story="s1",
    how="assigned",
    decided_at=MOMENT,
    best="s1",
    similarity=0.54,
    cosine=0.9,
    divergence=0.6,
    runner_up="s2",
    margin=0.44,
    confidence=0.4,
    log_odds=0.7,
    stories=12,
    keywords={"quake": 3, "bay": 5},
    weights=(0.5, 0.0, 0.5),
)


def explained(**changes: object) -> Explanation:
    values = {f.name: getattr(JOINED, f.name) for f in fields(JOINED)} | changes
    decision = ThemeDecision(**values)
    record = Record(
        id="a",
        pane=0,
        published_at=MOMENT,
        title="Title",
        sentences=tuple(f"Sentence {n}." for n in range(len(decision.weights))),
    )
    return Explanation(
        article=record,
        decision=decision,
        live={"s1": "Quake in the bay"},
        gone={"s2": "Quake on the ridge"},
        settings=Settings(mode="paper"),
    )


def test_a_joined_story_is_told_with_its_parts_and_its_rival() -> None:
    assert explained().reasons() == [
        "It joined story s1, “Quake in the bay” in the slide that ended "
        "2024-03-05T00:00:00Z.",
        "Of 12 stories, this story is the most similar: 0.54 = 0.90 (meaning of the "
        "sentences on the theme) × 0.60 (balance of the theme's keywords).",
        "It shares 2 of the 10 theme keywords: bay (5), quake (3).",
        "That clearly passes the bar for joining: ln(conf/γ) is +0.70, and an article "
        "joins from 0 upwards.",
        "Next is story s2, “Quake on the ridge” (since expired), with a similarity of "
        "0.10: far behind, by 0.44.",
    ]


@pytest.mark.parametrize(
    ("log_odds", "words"),
    [
        (0.7, "That clearly passes"),
        (0.2, "That passes"),
        (0.0, "That just passes"),
        (-0.05, "That just misses"),
        (-0.3, "That misses"),
        (-2.0, "That clearly misses"),
    ],
)
def test_the_distance_to_the_bar_is_a_word(log_odds: float, words: str) -> None:
    assert any(r.startswith(words) for r in explained(log_odds=log_odds).reasons())


def test_an_article_that_waits_is_told_what_came_nearest() -> None:
    place, nearest, *_ = explained(story=None, how="waiting").reasons()

    assert place.startswith(
        "No story has it yet, as of the slide that ended 2024-03-05"
    )
    assert nearest.startswith("Of 12 stories, story s1, “Quake in the bay” is the most")


def test_an_article_without_any_likeness_says_so() -> None:
    nothing = {"story": None, "how": "waiting", "best": None, "weights": ()}

    assert explained(**nothing).reasons()[1] == (
        "None of the 12 live stories has a theme keyword in common with it."
    )
    assert explained(**nothing, stories=0).reasons()[1] == (
        "There was no story to compare it with."
    )


def test_a_story_it_started_and_no_rival() -> None:
    reasons = explained(how="seeded", runner_up=None).reasons()

    assert reasons[0].startswith("It helped to start story s1")
    assert reasons[-1] == "No other story has a theme keyword in common with it."


@given(st.lists(st.floats(0, 1), max_size=20))
def test_most_and_least_relevant_sentences_are_ranked_and_never_the_same(
    weights: list[float],
) -> None:
    most, least = explained(weights=tuple(weights)).sentences()

    assert len(most) <= 3
    assert len(least) <= 3
    assert len(most) + len(least) == min(len(weights), 6)
    assert not set(most) & set(least)
    ranked = [weights[number] for number in (*most, *least)]
    assert ranked == sorted(ranked, reverse=True)
    others = set(range(len(weights))) - set(most) - set(least)
    assert all(ranked[2] >= weights[n] >= ranked[3] for n in others)
