"""The engine does what the paper says: slide by slide, number by number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits

from tests.reference.records import total_terms
from tests.reference.reference import RefDecision, Reference
from tests.reference.strategies import (
    ENCODER,
    VARIANTS,
    Run,
    cut,
    runs,
    stream,
    variant,
)
from ustory.core.story import Event, LinkDecision, ThemeDecision
from ustory.engine import paper_mode as blocks
from ustory.engine.explain import decision_on
from ustory.engine.online import Engine
from ustory.engine.state import State

TOLERANCE = 1e-5


def assert_same_run(run: Run) -> None:
    engine, reference = Engine(run.settings, ENCODER), Reference(run.settings, ENCODER)
    state = engine.begin()
    for slide in run.slides:
        state, events = engine.advance(state, slide)
        reference.advance(slide.end, slide.articles)
        assert dict(engine.assignments(state)) == reference.assignment
        assert [_plain(event) for event in events] == reference.events
        assert state.too_late == reference.too_late
        for article, expected in reference.decision.items():
            found = decision_on(state, article, run.settings.sentences)
            assert found is not None
            assert_same_decision(found, expected)
        assert_summaries_suffice(state, reference)


def _plain(event: Event) -> tuple[str, str, tuple[str, ...]]:
    return event.kind, event.story, event.articles


def assert_same_decision(
    found: LinkDecision | ThemeDecision, expected: RefDecision
) -> None:
    assert isinstance(found, ThemeDecision)
    assert (found.story, found.how) == (expected.story, expected.how)
    assert (found.best, found.runner_up) == (expected.best, expected.runner_up)
    if expected.best is None:
        return
    assert found.stories == expected.stories
    for name in ("similarity", "cosine", "divergence", "margin", "log_odds"):
        assert getattr(found, name) == pytest.approx(
            getattr(expected, name), abs=TOLERANCE
        ), name
    assert found.confidence == pytest.approx(expected.confidence, rel=TOLERANCE)
    assert found.weights == pytest.approx(expected.weights, abs=TOLERANCE)


def assert_summaries_suffice(state: State, reference: Reference) -> None:
    """Theorem 1: the panes hold what all the (frozen) articles would give."""
    assert list(state.stories) == list(reference.stories)
    for name, members in reference.stories.items():
        summary = state.stories[name]
        assert list(summary.panes) == sorted({member.pane for member in members})
        for pane, part in summary.panes.items():
            inside = [member for member in members if member.pane == pane]
            assert part.articles == len(inside)
            np.testing.assert_allclose(
                part.vectors, sum(m.vector for m in inside), atol=TOLERANCE
            )
            terms = {
                state.vocabulary.term(int(term)): int(count)
                for term, count in zip(part.terms, part.tf, strict=True)
            }
            assert terms == dict(total_terms(inside))


@limits(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs())
def test_any_stream_with_any_settings(run: Run) -> None:
    assert_same_run(run)


@pytest.mark.slow
@limits(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs())
def test_many_more_streams_with_any_settings(run: Run) -> None:
    assert_same_run(run)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_each_part_of_the_method(name: str, seed: int) -> None:
    settings = variant(name)
    arrived = stream(seed, [6, 9, 4, 0, 8, 5], topics=4)
    assert_same_run(Run(settings, cut(arrived, settings, trailing=4)))


@pytest.mark.parametrize("name", VARIANTS)
def test_blocks_change_no_part_of_the_method(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "ARTICLES_PER_BLOCK", 4)
    settings = variant(name)
    arrived = stream(3, [9, 8, 10, 7], topics=4)
    assert_same_run(Run(settings, cut(arrived, settings, trailing=1)))


def test_the_streams_are_worth_comparing() -> None:
    """Stories are born, grow and expire, and articles wait, in the streams above."""
    settings = variant("plain")
    reference = Reference(settings, ENCODER)
    kinds: list[str] = []
    waiting = 0
    slides = cut(stream(1, [6, 9, 4, 0, 8, 5], topics=4), settings, trailing=4)
    for slide in slides:
        reference.advance(slide.end, slide.articles)
        kinds += [kind for kind, _, _ in reference.events]
        waiting += len(reference.unassigned)
    assert {"born", "grew", "expired"} <= set(kinds)
    assert waiting
