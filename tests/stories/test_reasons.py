"""A decision of either mode in words: where, by what, and why not another story."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from ustory.core.story import LinkDecision, ThemeDecision
from ustory.service.to_json import plain
from ustory.stories.reasons import (
    ReasonPlace,
    Reasons,
    StoryLabel,
    decision_from,
    reasons_of,
)
from ustory.web.pages.why import figures_of

MOMENT = datetime(2024, 3, 5, tzinfo=UTC)
THEME = ThemeDecision(
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
LINKS = LinkDecision(
    story="s1",
    how="assigned",
    decided_at=MOMENT,
    best="s1",
    runner_up="s2",
    probability=0.8,
    margin=0.7,
    evidence={"words": 3.2, "meaning": -2.0},
    keywords={"a": 1, "b": 3},
    links={"x": 0.8},
    stories=7,
)
NAMES = {
    "s1": StoryLabel("Quake in the bay", "live", ("a", "b", "c", "d")),
    "s2": StoryLabel("Quake on the ridge", "expired", ("c", "e")),
}


def reasons(
    decision: LinkDecision | ThemeDecision,
    terms: frozenset[str] | None = None,
    **changes: Any,  # noqa: ANN401 - fields of decisions
) -> Reasons:
    changed = replace(decision, **changes)
    place = ReasonPlace(changed.story, changed.how, changed.decided_at)
    return reasons_of(place, changed, NAMES, terms)


def test_a_decision_by_theme_is_explained_by_its_parts_and_its_rival() -> None:
    assert reasons(THEME).texts == [
        "It joined story s1, “Quake in the bay” in the slide that ended 5 March 2024, "
        "00:00 UTC.",
        "This story is the most similar of 12 stories: the sentences on its theme are "
        "near in meaning, and its keywords are used somewhat as the story does. The "
        "similarity is 0.54 = 0.90 (meaning of the sentences on the theme) × 0.60 "
        "(balance of the theme's keywords).",
        "That clearly passes the bar for joining. ln(conf/γ) is +0.70, and an article "
        "joins from 0 upwards.",
        "It has 2 of the story's keywords: bay (5) and quake (3).",
        "Next is story s2, “Quake on the ridge” (since expired): a similarity of 0.10 "
        "against 0.54, far behind.",
    ]


def test_a_decision_by_links_is_explained_by_its_links_and_its_evidence() -> None:
    assert reasons(LINKS).texts == [
        "It joined story s1, “Quake in the bay” in the slide that ended 5 March 2024, "
        "00:00 UTC.",
        "It very likely belongs to this story, by its 1 link with articles of it. The "
        "probability is 80 %; linked articles: x (80 %).",
        "This is by words very likely and by meaning unlikely. In log-odds: words "
        "+3.2, meaning -2.0.",
        "It has 2 of the story's keywords: b (3) and a (1).",
        "Next is story s2, “Quake on the ridge” (since expired): 10 % against 80 %, "
        "far behind.",
    ]


@pytest.mark.parametrize("decision", [THEME, LINKS])
def test_a_decision_that_the_archive_keeps_has_the_same_reasons(
    decision: LinkDecision | ThemeDecision,
) -> None:
    names = [each.name for each in fields(decision)]
    record = plain({name: getattr(decision, name) for name in names})
    found = decision_from({**record, "copy_of": None, "confidence": 0.4})
    assert found is not None
    assert type(found) is type(decision)
    assert reasons(found).texts == reasons(decision).texts


def test_a_place_without_a_decision_has_no_evidence() -> None:
    assert decision_from({"story": "s1", "how": "moved", "confidence": 0.4}) is None
    found = reasons_of(ReasonPlace("s1", "moved"), None, NAMES)
    assert found.texts == ["It was moved to story s1, “Quake in the bay”."]


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
    texts = reasons(THEME, log_odds=log_odds).texts
    assert any(text.startswith(words) for text in texts)


@pytest.mark.parametrize("decision", [THEME, LINKS])
def test_an_article_that_waits_names_the_story_that_is_closest(
    decision: LinkDecision | ThemeDecision,
) -> None:
    found = reasons(decision, story=None, how="waiting")

    assert found.texts[0].startswith(
        "It is in no story yet, as of the slide that ended 5 March 2024, 00:00 UTC."
    )
    assert found.texts[1] == "Closest is story s1, “Quake in the bay”."
    assert [each.story for each in found.place] == [None, "s1"]
    assert "hat story" in found.texts[2]


def test_a_probability_that_was_too_low_is_said_to_be() -> None:
    found = reasons(LINKS, story=None, how="waiting", probability=0.2)
    assert "not enough to join" in found.evidence[0].words


def test_an_article_without_any_likeness_says_so() -> None:
    nothing: dict[str, Any] = {"story": None, "how": "waiting", "best": None}

    assert reasons(THEME, **nothing).texts[1] == (
        "None of the 12 live stories has a theme keyword in common with it."
    )
    assert reasons(THEME, **nothing, stories=0).texts[1] == (
        "There was no story to compare it with."
    )
    assert reasons(LINKS, **nothing).texts[1] == (
        "No article of the window is linked with it."
    )
    assert not figures_of(replace(LINKS, **nothing))


def test_a_story_it_started_and_no_rival() -> None:
    found = reasons(THEME, how="seeded", runner_up=None).texts

    assert found[0].startswith("It helped to start story s1")
    assert found[-1] == "No other story has a theme keyword in common with it."
    linked = reasons(LINKS, runner_up=None).texts
    assert linked[-1] == "No other story has an article that is linked with it."


def test_a_runner_up_that_is_ahead_is_not_said_to_be_behind() -> None:
    (rival,) = reasons(LINKS, margin=-0.1).rival

    assert "behind" not in rival.after
    assert "90 % against 80 %" in rival.after


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("late", "older than the window"),
        ("wordless", "no sentence"),
        ("set-aside", "set aside"),
    ],
)
def test_an_article_that_no_slide_took_says_why(how: str, words: str) -> None:
    (text,) = reasons_of(ReasonPlace(None, how), None, NAMES).texts
    assert words in text


def test_an_article_whose_slide_is_still_to_come_says_so() -> None:
    place = ReasonPlace(None, "waiting", waiting=True, copy_of="a-7")
    slide, copy = reasons_of(place, None, NAMES).texts
    assert "slide is still to come" in slide
    assert copy == "Its text is a copy of article a-7."


def test_shared_keywords_are_counted_for_both_stories() -> None:
    _, shared = reasons(LINKS, frozenset({"a", "b", "c"})).rival
    assert shared.words == (
        "It has 1 of that story's keywords, such as “c”, and 3 of this one's."
    )
    _, none = reasons(LINKS, frozenset({"a"})).rival
    assert "none" in none.words


def test_the_numbers_of_a_decision_lean_for_and_against_it() -> None:
    bars = [each.bar for each in figures_of(LINKS) if each.bar is not None]
    assert bars[0] > 0 > bars[1]
    assert figures_of(THEME)[0].value == "0.54"


def test_an_article_that_waits_says_until_when_and_judges_no_story() -> None:
    due = datetime(2024, 3, 7, 12, tzinfo=UTC)
    place = ReasonPlace(None, "waiting", waiting=True, due=due)

    [said] = reasons_of(place, None, NAMES).texts

    assert said == (
        "It waits: its slide is still to come and ends 7 March 2024, 12:00 UTC. No "
        "story was looked at yet."
    )
