"""Ids last: a story goes on where most of it is, and no id is there twice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from tests.reference import links as plain
from ustory.links.ids import carried_on


def new_ids(first: int = 900) -> Callable[[], str]:
    numbers = count(first)
    return lambda: f"s{next(numbers):06d}"


@st.composite
def regroupings(draw: st.DrawFn) -> tuple[list[list[str]], dict[str, str]]:
    """Draw articles in groups, and the stories that some of them had."""
    articles = [f"a{i:02d}" for i in range(draw(st.integers(0, 14)))]
    group = {article: draw(st.integers(0, 4)) for article in articles}
    before = {a: draw(st.sampled_from(["", "s0", "s1", "s2", "s3"])) for a in articles}
    found = [[a for a in articles if group[a] == number] for number in range(5)]
    return (
        sorted(one for one in found if one),
        {article: story for article, story in before.items() if story},
    )


@given(regroupings())
def test_stories_are_those_of_the_rule(
    given_groups: tuple[list[list[str]], dict[str, str]],
) -> None:
    groups, before = given_groups

    found = carried_on(groups, before, new_ids())

    expected, _ = plain.carried_on(groups, before, 900)
    assert found == expected


@given(regroupings())
def test_no_two_groups_have_one_id_and_no_group_has_two(
    given_groups: tuple[list[list[str]], dict[str, str]],
) -> None:
    groups, before = given_groups

    found = carried_on(groups, before, new_ids())

    ids = [{found.get(article) for article in group} for group in groups]
    assert all(len(names) == 1 for names in ids)
    told = [name for names in ids for name in names if name is not None]
    assert len(told) == len(set(told))


@given(regroupings())
def test_where_nothing_changed_no_id_changes(
    given_groups: tuple[list[list[str]], dict[str, str]],
) -> None:
    groups, before = given_groups
    first = carried_on(groups, before, new_ids())

    assert carried_on(groups, first, new_ids(990)) == first


def test_a_lone_article_has_no_story_and_two_make_one() -> None:
    assert carried_on([["a"]], {}, new_ids()) == {}
    assert carried_on([["a", "b"]], {}, new_ids(7)) == {"a": "s000007", "b": "s000007"}


def test_the_last_article_of_a_story_keeps_it() -> None:
    assert carried_on([["a"]], {"a": "s1"}, new_ids()) == {"a": "s1"}


def test_an_article_that_falls_out_of_its_story_has_none() -> None:
    before = dict.fromkeys("abc", "s1")

    found = carried_on([["a", "b"], ["c"]], before, new_ids())

    assert found == {"a": "s1", "b": "s1"}


def test_of_two_that_become_one_the_older_goes_on() -> None:
    before = {"a": "s1", "b": "s1", "c": "s2", "d": "s2", "e": "s2"}

    assert set(carried_on([list("abcde")], before, new_ids()).values()) == {"s1"}


def test_unless_the_older_is_much_the_smaller() -> None:
    before = {"a": "s1", "b": "s2", "c": "s2", "d": "s2"}

    assert set(carried_on([list("abcd")], before, new_ids()).values()) == {"s2"}


def test_of_a_story_that_parts_the_larger_half_keeps_the_id() -> None:
    before = dict.fromkeys("abcde", "s1")

    found = carried_on([["a", "b"], ["c", "d", "e"]], before, new_ids(5))

    assert found == {
        **dict.fromkeys("ab", "s000005"),
        **dict.fromkeys("cde", "s1"),
    }
