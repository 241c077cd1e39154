from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ustory.cli.explain import ExplainedArticle
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


def explained(**changes: object) -> ExplainedArticle:
    values = {f.name: getattr(JOINED, f.name) for f in fields(JOINED)} | changes
    decision = ThemeDecision(**values)
    record = Record(
        id="a",
        pane=0,
        published_at=MOMENT,
        title="Title",
        sentences=tuple(f"Sentence {n}." for n in range(len(decision.weights))),
    )
    return ExplainedArticle(article=record, decision=decision, names={})


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
