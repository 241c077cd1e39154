"""Algorithm 1 on a stream worked by hand, and what holds on any stream."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget

from tests.reference.records import summarise
from tests.reference.reference import Reference
from tests.reference.section4 import story_vector
from tests.reference.strategies import ENCODER, Run, prepare, runs
from ustory.core.article import Article, PreparedArticle
from ustory.core.settings import Settings
from ustory.text.counting import count_terms

FLOOD, VOTE, GOAL = ["flood", "rescue"], ["vote", "count"], ["goal", "match"]
FIRST = datetime(2024, 2, 28, tzinfo=UTC)
HAND = Settings(
    mode="paper",
    window=timedelta(days=2),
    slide=timedelta(days=1),
    min_articles=2,
    temperature=2.0,
    divergence="js",
    seed_steps=0,
)


def told(name: str, day: int, words: list[str], row: list[float]) -> PreparedArticle:
    """Return an article of one sentence, at noon of a day."""
    at = FIRST + timedelta(days=day, hours=12)
    return PreparedArticle(
        article=Article(id=name, published_at=at, title=" ".join(words)),
        sentences=(" ".join(words),),
        counts=count_terms([words]),
        vectors=np.array([row], dtype=np.float16),
    )


def after(days: int) -> Reference:
    """Return the reference after so many days of the stream worked out below."""
    x, y, z = [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]
    stream = [
        told("a1", 0, FLOOD, x),
        told("a2", 0, FLOOD, x),
        told("b1", 0, VOTE, y),
        told("b2", 0, VOTE, y),
        told("a3", 1, FLOOD, x),
        told("a4", 1, ["flood"], [0.6, 0.8, 0]),
        told("c1", 1, GOAL, z),
        told("c2", 2, GOAL, z),
    ]
    late = told("b0", -1, VOTE, y)
    reference = Reference(HAND)
    for day in range(days):
        begin, end = FIRST + timedelta(days=day), FIRST + timedelta(days=day + 1)
        new = [p for p in stream if begin <= p.article.published_at < end]
        reference.advance(end, [*new, late] if day == 2 else new)
    return reference


def test_first_day_two_seeds_become_two_stories() -> None:
    # k = 4/2 = 2. Copies are at distance 0, others at 1: any start finds {a}, {b}.
    # Each theme is its three terms in equal shares: cosine 1, divergence 1, sim 1.
    # n = 0 + 2: conf = e²/(e² + 1) = 0.880797 ≥ γ = 0.75; ln(0.880797/0.75) = 0.160754
    reference = after(1)

    assert reference.assignment == {
        "a1": "s000001",
        "a2": "s000001",
        "b1": "s000002",
        "b2": "s000002",
    }
    assert reference.events == [
        ("born", "s000001", ("a1", "a2")),
        ("born", "s000002", ("b1", "b2")),
    ]
    decision = reference.decision["b1"]
    assert (decision.how, decision.best) == ("seeded", "s000002")
    assert decision.confidence == pytest.approx(0.880797, abs=1e-6)
    assert decision.log_odds == pytest.approx(0.160754, abs=1e-6)
    np.testing.assert_array_equal(reference.stories["s000002"][0].vector, [0, 1, 0])


def test_second_day_one_joins_and_k_of_one_sweeps_nothing_together() -> None:
    # a3 is as the flood: sim 1 among n = 2, assigned.
    # a4 has P = (1, 0, 0) against (1, 1, 1)/3, M = (4, 1, 1)/6:
    #   JSD = (log2(3/2) + (1/3)·log2(1/2) + (2/3)·log2(2))/2 = 0.459148
    #   sim = 0.6 · 0.540852 = 0.324511; conf = 1.913669/2.913669 = 0.656790
    #   ln(0.656790/0.75) = −0.132709: waiting.
    # Then k = ⌊2/2⌋ = 1 puts a4 and c1 together: theme flood, goal, match, goal match.
    #   a4: P = (1, 0, 0, 0), Q = 1/4 each: JSD = 0.548795, so sim ≤ 0.451205, and
    #   among n = 2 + 1: conf ≤ 2.465538/(2.465538 + 1.913669 + 1) = 0.458346
    #   < γ = 1 − (2/3)² = 0.555556. c1 alone is less than M: no story.
    reference = after(2)

    assert reference.assignment["a3"] == "s000001"
    assert sorted(reference.unassigned) == ["a4", "c1"]
    assert reference.events == [("grew", "s000001", ("a3",))]
    decision = reference.decision["a4"]
    assert (decision.story, decision.best, decision.stories) == (None, "s000001", 2)
    assert decision.divergence == pytest.approx(0.540852, abs=1e-6)
    # float16 keeps 0.6 and 0.8 to three digits
    assert decision.similarity == pytest.approx(0.324511, abs=2e-4)
    assert decision.margin == decision.similarity
    assert decision.log_odds == pytest.approx(-0.132709, abs=2e-4)
    assert reference.decision["c1"].best is None


def test_third_day_a_story_expires_and_another_is_born() -> None:
    # The window is days 1 and 2: b1, b2 leave, the flood keeps a3; b0 is too late.
    # k = ⌊3/2⌋ = 1: {a4, c1, c2}; flood, goal, match, goal match are (1, 2, 2, 2)/7
    # c1: P = (0, 1, 1, 1)/3, JSD = 0.075396; times 1, 1, 2 and δ_C = 1, so E_C|a is
    #   along (0.6, 0.8, 0) + (1 + e⁻¹)·z: cosine 1.367879/√(1 + 1.871094) = 0.807280
    #   sim = 0.807280 · 0.924604 = 0.746414; n = 1 + 1: conf = 0.816502 ≥ 0.75
    # c2: along e⁻¹·(0.6, 0.8, 0) + (1 + e⁻¹)·z: cosine 0.965686, sim 0.892877, stays
    # a4: cosine 0.590169, JSD = 0.689392, sim = 0.183311; 0.324511 to the flood:
    #   conf = 1.442853/(1.442853 + 1.913669) = 0.429866 < 0.75, leaves
    reference = after(3)

    assert reference.assignment == {
        "a3": "s000001",
        "a4": None,
        "c1": "s000003",
        "c2": "s000003",
    }
    assert reference.too_late == 1
    assert reference.events == [
        ("expired", "s000002", ()),
        ("born", "s000003", ("c1", "c2")),
    ]
    first, second = reference.decision["c1"], reference.decision["c2"]
    assert first.divergence == pytest.approx(0.924604, abs=1e-6)
    # the row of a4 is a little shorter than 1 in float16
    assert first.similarity == pytest.approx(0.746414, abs=2e-4)
    assert first.confidence == pytest.approx(0.816502, abs=2e-4)
    assert second.cosine == pytest.approx(0.965686, abs=2e-4)


def test_all_seeds_of_a_slide_compete_with_each_other() -> None:
    # three pairs: n = 0 + 3, conf = e²/(e² + 2) = 0.786986, γ = 1 − (2/3)² = 0.555556
    reference = Reference(HAND)
    topics = {"a": FLOOD, "b": VOTE, "c": GOAL}
    articles = [
        told(f"{name}{copy}", 0, words, [float(name == other) for other in topics])
        for name, words in topics.items()
        for copy in (1, 2)
    ]

    reference.advance(FIRST + timedelta(days=1), articles)

    assert list(reference.stories) == ["s000001", "s000002", "s000003"]
    decision = reference.decision["c2"]
    assert decision.stories == 3
    assert decision.confidence == pytest.approx(0.786986, abs=1e-6)
    assert decision.log_odds == pytest.approx(math.log(0.786986 / 0.555556), abs=1e-5)


def test_a_seed_competes_with_the_live_stories_its_articles_were_near() -> None:
    # d1 and d2 are 0.324511 near the flood, as a4 above, and wait; as a seed they are
    # one with their theme, sim 1. n = 2 live + 1 seed, nothing shared with the vote:
    # conf = e²/(e² + e^(2·0.324511) + 1) = 0.717194 ≥ γ = 0.555556
    reference = after(1)
    words, row = [*GOAL, "flood"], [0.6, 0, 0.8]

    reference.advance(
        FIRST + timedelta(days=2), [told(f"d{n}", 1, words, row) for n in (1, 2)]
    )

    assert reference.events == [("born", "s000003", ("d1", "d2"))]
    decision = reference.decision["d1"]
    assert (decision.how, decision.runner_up) == ("seeded", "s000001")
    assert decision.confidence == pytest.approx(0.717194, abs=2e-4)
    assert decision.margin == pytest.approx(1 - 0.324511, abs=2e-4)


def test_without_stories_seeds_come_first_and_the_rest_may_join_them() -> None:
    # M = 3, k = ⌊6/3⌋ = 2: four copies, and two at cosine 0.8, too few for a seed.
    # The four are a story (sim 1); the two then are 0.8 near it, their words the same:
    # conf = e^1.6/(e^1.6 + 1) = 0.832018 ≥ 0.75
    reference = Reference(HAND.with_({"min_articles": 3}))
    near = [told(f"e{n}", 0, FLOOD, [0.8, 0.6, 0]) for n in range(2)]
    same = [told(f"a{n}", 0, FLOOD, [1, 0, 0]) for n in range(4)]

    reference.advance(FIRST + timedelta(days=1), [*near, *same])

    everyone = ("a0", "a1", "a2", "a3", "e0", "e1")
    assert reference.events == [("born", "s000001", everyone)]
    assert reference.decision["a0"].how == "seeded"
    assert reference.decision["e0"].how == "assigned"
    assert reference.decision["e0"].confidence == pytest.approx(0.832018, abs=2e-4)


def of_two_seeds() -> list[PreparedArticle]:
    """Return three copies, and three articles of one direction and other words each."""
    same = [told(f"a{n}", 0, FLOOD, [1, 0, 0]) for n in range(3)]
    apart = [VOTE, GOAL, ["wage", "rail"]]
    return [*same, *(told(f"b{n}", 0, w, [0, 1, 0]) for n, w in enumerate(apart))]


@pytest.mark.parametrize(("members", "stories"), [("sure", 1), ("all", 2)])
def test_all_members_of_a_seed_stay_if_the_settings_say_so(
    members: str, stories: int
) -> None:
    # M = 3, k = ⌊6/3⌋ = 2. b0, b1 and b2 have three of their nine even keywords each:
    # JSD = (log2(3/2) + (1/3)·log2(1/2) + (2/3)·log2(2))/2 = 0.459148, cosine 1
    # conf = e^1.081704/(e^1.081704 + 1) = 0.746817 < 0.75: not sure
    changes = {"min_articles": 3, "seed_members": members}
    reference = Reference(HAND.with_(changes))

    reference.advance(FIRST + timedelta(days=1), of_two_seeds())

    assert len(reference.stories) == stories
    if members == "all":
        decision = reference.decision["b1"]
        assert (decision.story, decision.how) == ("s000002", "seeded")
        assert decision.log_odds == pytest.approx(math.log(0.746817 / 0.75), abs=1e-5)


def test_a_member_without_a_keyword_stays_as_its_plain_mean() -> None:
    # N = 3: of nine even terms the first in the alphabet are count, goal, goal match,
    # and b2 has none of them: sim 0, conf = 1/(1 + 1), ln(0.5/0.75) = −0.405465
    changes = {"min_articles": 3, "seed_members": "all", "keywords": 3}
    reference = Reference(HAND.with_(changes))

    reference.advance(FIRST + timedelta(days=1), of_two_seeds())

    decision = reference.decision["b2"]
    assert (decision.story, decision.similarity) == ("s000002", 0.0)
    assert decision.log_odds == pytest.approx(-0.405465, abs=1e-6)
    last = reference.stories["s000002"][2]
    assert (last.id, last.vector.tolist()) == ("b2", [0, 1, 0])


def test_where_all_members_stay_a_single_seed_makes_no_story() -> None:
    # n = 3 < 2M = 4: k = 1 would put the flood and the goal into one story
    reference = Reference(HAND.with_({"seed_members": "all"}))
    flood = [told(f"a{n}", 0, FLOOD, [1, 0, 0]) for n in range(2)]

    reference.advance(
        FIRST + timedelta(days=1), [*flood, told("c", 0, GOAL, [0, 0, 1])]
    )

    assert not reference.stories


@budget(max_examples=25, deadline=None)
@given(runs())
def test_the_order_of_arrival_within_a_slide_does_not_matter(run: Run) -> None:
    forwards = Reference(run.settings, ENCODER)
    backwards = Reference(run.settings, ENCODER)
    for slide in run.slides:
        forwards.advance(slide.end, slide.articles)
        backwards.advance(slide.end, slide.articles[::-1])

        assert forwards.assignment == backwards.assignment
        assert forwards.events == backwards.events


@budget(max_examples=25, deadline=None)
@given(runs())
def test_every_article_of_the_window_is_in_one_story_or_waits(run: Run) -> None:
    reference = Reference(run.settings, ENCODER)
    told_of: set[str] = set()
    for slide in run.slides:
        reference.advance(slide.end, slide.articles)
        told_of |= {name for _, _, names in reference.events for name in names}

        inside = {m.id: s for s, ms in reference.stories.items() for m in ms}
        expected = {name: inside.get(name) for name in reference.window}
        assert reference.assignment == expected
        assert set(reference.window) == set(inside) | set(reference.unassigned)
        assert set(inside) <= told_of
        assert list(reference.stories) == sorted(reference.stories)


@budget(max_examples=25, deadline=None)
@given(runs())
def test_theorem_1_a_summary_tells_what_the_articles_tell(run: Run) -> None:
    reference = Reference(run.settings, ENCODER)
    for slide in run.slides:
        reference.advance(slide.end, slide.articles)
    for story in reference.stories.values():
        times = {member.pane: member.time for member in story}
        panes = summarise(story)
        weight = {pane: math.exp(times[pane] - max(times.values())) for pane in panes}
        vectors = sum(weight[pane] * panes[pane].vectors for pane in panes)
        articles = sum(weight[pane] * panes[pane].articles for pane in panes)

        seen = story_vector(story, max(times.values()), 1.0)

        np.testing.assert_allclose(vectors / articles, seen, atol=1e-12)


def test_a_window_by_number_keeps_the_newest_panes_and_their_latest_time() -> None:
    reference = Reference(Settings(mode="paper", window=4, slide=2, min_articles=3))
    hours = [(30, 6), (20, 7), (48, 1)]
    for turn, pair in enumerate(hours):
        articles = [
            prepare(f"{turn}{hour}", FIRST + timedelta(hours=hour), [FLOOD])
            for hour in pair
        ]
        reference.advance(FIRST + timedelta(days=9), articles)

    # pane 0 (6, 30) left; pane 1 (7, 20) may not be older than 30; pane 2 is (1, 48)
    held = {a.id: (a.pane, a.time) for a in reference.window.values()}
    start = (FIRST - datetime(1970, 1, 1, tzinfo=UTC)).days
    assert held == {
        "17": (1, start + 1.25),
        "120": (1, start + 1.25),
        "21": (2, start + 2.0),
        "248": (2, start + 2.0),
    }


def test_a_window_by_time_clamps_the_future_and_drops_what_is_too_late() -> None:
    reference = Reference(
        Settings(mode="paper", window=timedelta(days=2), min_articles=9)
    )
    hours = (-25, -24, 0, 23, 24, 99)
    articles = [
        prepare(f"{hour}h", FIRST + timedelta(hours=hour), [FLOOD]) for hour in hours
    ]

    reference.advance(FIRST + timedelta(days=1), articles)

    # panes of a day; the window is the day of FIRST and the one before
    today = (FIRST - datetime(1970, 1, 1, tzinfo=UTC)).days
    held = {a.id: (a.pane, a.time) for a in reference.window.values()}
    assert held == {
        "-24h": (today - 1, today - 1.0),
        "0h": (today, today),
        "23h": (today, today),
        "24h": (today, today),
        "99h": (today, today),
    }
    assert reference.too_late == 1
