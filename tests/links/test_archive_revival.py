"""A new story takes an old one's id only where it truly goes on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.links.running import linked
from ustory.links.archive import Archive
from ustory.links.article import LinkedArticle
from ustory.links.evidence.meaning import Meanings
from ustory.links.revival import (
    EVEN,
    REVIVED,
    Present,
    Revival,
    asleep,
    level,
    revived,
    without_story,
)
from ustory.window.vocabulary import Vocabulary

TERMS = 60
VOCABULARY = Vocabulary(
    [f"w{i:02d}" for i in range(TERMS)], np.arange(TERMS, dtype=np.int64) << 32
)
IDF = np.where(np.isin(np.arange(TERMS), range(20, 23)), 0.3, 1.0)
"""The first three terms of the flood are those of every flood."""

STRIKE, FLOOD, TRIAL = range(10), range(20, 30), range(40, 50)


def group(
    subject: Sequence[int], day: float, first: int = 100, articles: int = 2
) -> list[LinkedArticle]:
    """Return articles that share their subject's terms, and have one each alone."""
    return [
        linked(first + i, dict.fromkeys([*subject, 50 + (first + i) % 10], 1), day)
        for i in range(articles)
    ]


def archived(*subjects: Sequence[int], last: float = 0.0) -> Archive:
    """Return an archive of stories s0, s1 ... of two articles each."""
    serial = count(step=2)
    gone = [
        (f"s{number}", article)
        for number, subject in enumerate(subjects)
        for article in group(subject, last, next(serial))
    ]
    return Archive().after_leaving(gone, IDF, VOCABULARY)


def present(
    awake: Sequence[str] = (), least: float = REVIVED, meanings: Meanings | None = None
) -> Present:
    return Present(
        idf=IDF,
        vocabulary=VOCABULARY,
        meanings=meanings,
        window=7.0,
        awake=awake,
        least=least,
    )


def only(found: dict[int, Revival]) -> Revival:
    (revival,) = found.values()
    return revival


def test_a_story_that_goes_on_after_three_weeks_is_the_old_one() -> None:
    found = revived(
        [group(TRIAL, 21.0), group(FLOOD, 21.0)], archived(STRIKE, FLOOD), present()
    )

    assert list(found) == [1]
    assert (found[1].story, found[1].slept) == ("s1", 21.0)
    assert found[1].probability >= REVIVED


def test_a_waiting_article_may_go_on_an_old_story() -> None:
    alone = group(FLOOD, 21.0, articles=1)

    assert only(revived([alone], archived(STRIKE, FLOOD), present())).story == "s1"


def test_a_story_of_the_same_subject_but_other_names_is_a_new_one() -> None:
    another = group([*range(20, 23), *range(30, 37)], 21.0, 105)

    assert revived([another], archived(FLOOD), present()) == {}


def test_a_story_that_is_awake_is_not_revived() -> None:
    fresh = [group(FLOOD, 21.0)]

    assert revived(fresh, archived(STRIKE, FLOOD), present(awake=["s1"])) == {}


def test_two_new_stories_do_not_go_on_the_same_old_one() -> None:
    fresh = [group(FLOOD, 21.0, 110), group(FLOOD, 21.0, 100)]

    assert list(revived(fresh, archived(STRIKE, FLOOD), present())) == [1]


def test_nothing_is_revived_from_an_empty_archive() -> None:
    assert revived([group(FLOOD, 21.0)], Archive(), present()) == {}


@given(st.floats(7.0, 1000.0), st.floats(1.01, 10.0))
def test_the_longer_a_story_slept_the_less_likely_it_goes_on(
    days: float, longer: float
) -> None:
    soon, late = (
        only(
            revived([group(FLOOD, day)], archived(STRIKE, FLOOD), present(least=1e-9))
        ).probability
        for day in (days, days * longer)
    )

    assert soon > late


def test_the_odds_halve_as_the_sleep_doubles() -> None:
    odds = []
    for day in (14.0, 28.0):
        found = revived([group(FLOOD, day)], archived(FLOOD), present(least=1e-9))
        odds.append(only(found).probability / (1 - only(found).probability))

    assert odds[0] == pytest.approx(2 * odds[1])
    assert asleep(3.0, 7.0) == 0.0


def test_the_more_stories_are_in_the_archive_the_more_it_takes() -> None:
    few, many = archived(FLOOD), archived(FLOOD, *[STRIKE] * 40)

    likely = [
        only(revived([group(FLOOD, 14.0)], archive, present(least=1e-9))).probability
        for archive in (few, many)
    ]

    assert likely[0] > likely[1]


def test_only_groups_with_a_new_article_and_no_story_are_looked_at() -> None:
    articles = {f"a{i}": linked(i, {0: 1}) for i in range(6)}
    groups = [["a0"], ["a1", "a4"], ["a2", "a5"], ["a3"]]

    assert without_story(groups, articles, {"a1": "s0"}, since=3) == [2, 3]


def test_short_articles_have_to_be_more_alike() -> None:
    long, short = ([linked(0, dict.fromkeys(range(n), 1))] for n in (40, 20))

    assert level(long) == pytest.approx(1.5 * EVEN)
    assert level(short) == pytest.approx(2 * EVEN)


def test_another_meaning_speaks_against_a_revival() -> None:
    old = [("s0", article) for article in group(FLOOD, 0.0, 0, 1)]
    archive = Archive().after_leaving(old, IDF, VOCABULARY)
    every = [linked(i, {0: 1}) for i in range(4)]
    known = Meanings().after(every, 21.0)
    same, other = (
        only(
            revived(
                [group(FLOOD, 21.0, first, 1)],
                archive,
                present(least=1e-9, meanings=known),
            )
        ).probability
        for first in (100, 102)  # vectors follow the number: 0 and 100 have the same
    )

    assert same > other


@given(
    st.lists(st.sampled_from([STRIKE, FLOOD, TRIAL, range(15, 25)]), max_size=5),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_new_stories_changes_nothing(
    subjects: list[range], random: Random
) -> None:
    fresh = [group(s, 14.0, 100 + 10 * i) for i, s in enumerate(subjects)]
    shuffled = random.sample(fresh, len(fresh))
    archive = archived(STRIKE, FLOOD, TRIAL)

    one, other = (
        {groups[place][0].id: r for place, r in revived(groups, archive, now).items()}
        for groups, now in ((fresh, present()), (shuffled, present()))
    )

    assert one == other
    assert len({revival.story for revival in one.values()}) == len(one)
