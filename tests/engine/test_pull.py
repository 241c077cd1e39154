"""How likely an article is of its story, from its links with the story's texts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.engine.pull import (
    NUMBER,
    PLACED,
    SAME_TEXT,
    SHARE,
    STRONGEST,
    Pull,
    belonging,
    with_same_text,
)
from ustory.links.pairing import MAX_LINKS_PER_ARTICLE

likely = st.floats(0.05, 1.0)
pulls = st.builds(
    lambda probability, linked, more: Pull("s1", probability, linked, linked + more),
    likely,
    st.integers(1, 60),
    st.integers(0, 200),
)


def test_two_articles_with_a_link_are_likely_of_the_story_they_make() -> None:
    found = belonging(Pull("s1", 0.9, linked=1, texts=1))

    # -2.75 + half of ln(0.9 / 0.1) + half of ln 1 + 3.5 · 1/1 = 1.8486
    assert PLACED + STRONGEST * math.log(9) + SHARE == pytest.approx(1.8486, abs=1e-4)
    assert found == pytest.approx(1 / (1 + math.exp(-1.8486)), abs=1e-4)


def test_an_article_that_hangs_on_two_of_twenty_texts_is_less_likely_of_them() -> None:
    # -2.75 + 1.0986 + half of ln 2 + 3.5 · 2/20 = -0.9548
    found = belonging(Pull("s1", 0.9, linked=2, texts=20))

    assert found == pytest.approx(1 / (1 + math.exp(0.9548)), abs=1e-4)
    assert found < belonging(Pull("s1", 0.9, linked=2, texts=2))


@given(pull=pulls)
def test_it_is_a_probability_and_never_certain(pull: Pull) -> None:
    assert 0 < belonging(pull) < 1


@given(pull=pulls, other=likely)
def test_likelier_links_make_it_likelier(pull: Pull, other: float) -> None:
    low, high = sorted([pull.probability, other])
    weak = Pull("s1", low, pull.linked, pull.texts)
    strong = Pull("s1", high, pull.linked, pull.texts)

    assert belonging(weak) <= belonging(strong)


@given(pull=pulls)
def test_one_more_link_with_the_same_texts_makes_it_likelier(pull: Pull) -> None:
    more = Pull("s1", pull.probability, pull.linked + 1, max(pull.texts, 1))

    assert belonging(more) > belonging(pull)


def test_a_story_of_more_texts_than_an_article_may_link_counts_as_so_many() -> None:
    most = MAX_LINKS_PER_ARTICLE

    assert belonging(Pull("s1", 0.9, most, most)) == belonging(
        Pull("s1", 0.9, most, 9 * most)
    )


def test_the_same_text_is_a_link_and_a_text_more() -> None:
    known = Pull("s1", 0.4, linked=2, texts=3, links={"a": 0.5, "b": 0.3})

    found = with_same_text(known, ["c", "d"])

    assert (found.linked, found.texts) == (3, 4)
    assert found.links == {"c": 1.0, "d": 1.0}
    odds = PLACED + STRONGEST * math.log(SAME_TEXT / (1 - SAME_TEXT))
    odds += NUMBER * math.log(3) + SHARE * 3 / 4
    assert belonging(found) == pytest.approx(1 / (1 + math.exp(-odds)))
