"""New stories go on as the old ones that they share most articles with."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ustory.service.recompute import heirs, same_stories

PLACES = st.dictionaries(st.integers(0, 30).map(str), st.sampled_from("stuvwx"))


def test_a_story_that_keeps_most_of_its_articles_keeps_its_id() -> None:
    old = dict.fromkeys("abcde", "s1") | dict.fromkeys("fgh", "s2")
    new = dict.fromkeys("abcd", "n1") | dict.fromkeys("efgh", "n2")
    assert same_stories(old, new) == {"n1": "s1", "n2": "s2"}


def test_a_story_that_fell_apart_goes_on_as_its_largest_part() -> None:
    old = dict.fromkeys("abcde", "s1")
    new = dict.fromkeys("abc", "n2") | dict.fromkeys("de", "n1")
    assert same_stories(old, new) == {"n2": "s1"}
    assert heirs(old, new) == {"s1": "n2"}


def test_of_equals_the_lower_id_counts() -> None:
    old = dict.fromkeys("ab", "s1") | dict.fromkeys("cd", "s2")
    new = dict.fromkeys("abcd", "n1")
    assert same_stories(old, new) == {"n1": "s1"}
    assert heirs(old, new) == {"s1": "n1", "s2": "n1"}


def test_a_story_whose_articles_are_in_none_has_no_heir() -> None:
    assert heirs({"a": "s1"}, {"b": "n1"}) == {}


@given(PLACES, PLACES)
def test_no_id_is_given_twice_and_a_majority_of_both_decides(
    old: dict[str, str], new: dict[str, str]
) -> None:
    found = same_stories(old, new)
    assert len(set(found.values())) == len(found)
    for before in set(old.values()):
        for after in set(new.values()):
            mine = {a for a in old if old[a] == before and a in new}
            theirs = {a for a in new if new[a] == after and a in old}
            both = len(mine & theirs)
            if 2 * both > len(mine) and 2 * both > len(theirs):
                assert found[after] == before
