"""Copies of one text are found, stand behind the first of them, and vote once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.links.running import linked
from ustory.links.article import LinkedArticle
from ustory.links.copies import (
    COPIED,
    SHORT,
    find_copies,
    handed_on,
    independent,
    with_copies,
)
from ustory.links.graph import Links

LONG = 100
GROUPS = st.dictionaries(st.integers(6, 20), st.integers(0, 5), max_size=10)
"""Copies with the original of each."""


def text(serial: int, first: int, last: int, *other: int) -> LinkedArticle:
    """Return an article with the terms from `first` to before `last`, and others."""
    return linked(serial, dict.fromkeys([*range(first, last), *other], 1))


def versions(texts: Sequence[tuple[int, float, int]]) -> list[LinkedArticle]:
    """Return articles of given texts, cut to a share, and with some terms of their own.

    Texts have no term in common.
    """
    return [
        text(
            serial,
            1000 * which,
            1000 * which + int(LONG * share),
            *range(100_000 + 100 * serial, 100_000 + 100 * serial + edits),
        )
        for serial, (which, share, edits) in enumerate(texts)
    ]


VERSIONS = st.lists(
    st.tuples(st.integers(0, 3), st.floats(0.5, 1.0), st.integers(0, 5)),
    min_size=1,
    max_size=12,
)


def links(*pairs: tuple[int, int]) -> Links:
    older, newer = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    value = np.arange(len(pairs), dtype=np.float64)
    evidence = {"words": value, "meaning": -value}
    return Links(older=older, newer=newer, evidence=evidence, gap=value / 2)


def test_the_same_text_is_a_copy_of_the_first() -> None:
    articles = [text(4, 0, 50), text(5, 200, 250), text(7, 0, 50), text(9, 0, 50)]

    assert find_copies(articles, 4, {}) == {7: 4, 9: 4}


def test_a_text_cut_to_its_beginning_is_a_copy_whichever_came_first() -> None:
    whole, beginning = (0, 200), (0, 40)

    assert find_copies([text(0, *whole), text(1, *beginning)], 2, {}) == {1: 0}
    assert find_copies([text(0, *beginning), text(1, *whole)], 2, {}) == {1: 0}


@pytest.mark.parametrize(("shared", "copied"), [(85, True), (60, False)])
def test_a_text_is_a_copy_while_most_of_it_is_the_same(
    shared: int, copied: bool
) -> None:
    others = [text(i, 10_000 * i, 10_000 * i + 100) for i in range(2, 12)]
    edited = text(20, 0, shared, *range(5000, 5100 - shared))

    found = find_copies([text(0, 0, 100), *others, edited], 1, {})

    assert found == ({20: 0} if copied else {})
    assert 0.60 < COPIED < 0.85


def test_terms_that_all_articles_have_make_no_copy() -> None:
    """A notice under every article of a source is three quarters of short ones."""
    notice = range(75)
    articles = [
        text(i, 1000 * (i + 1), 1000 * (i + 1) + 25, *notice) for i in range(30)
    ]

    assert find_copies(articles, 30, {}) == {}


def test_of_titles_alone_only_equal_ones_are_copies() -> None:
    title = text(0, 0, SHORT // 2)
    same, longer = text(1, 0, SHORT // 2), text(2, 0, SHORT // 2 + 1)

    assert find_copies([title, same], 2, {}) == {1: 0}
    assert find_copies([title, longer], 2, {}) == {}


def test_a_text_in_which_words_repeat_is_no_copy_of_one_that_has_them_once() -> None:
    once = linked(0, {**dict.fromkeys(range(30), 1), **dict.fromkeys(range(50, 80), 5)})
    often = linked(1, dict.fromkeys(range(30), 9))

    assert find_copies([once, often], 2, {}) == {}


def test_articles_without_terms_are_no_copies() -> None:
    assert find_copies([linked(0, {}), linked(1, {})], 2, {}) == {}
    assert find_copies([], 0, {}) == {}


def test_small_changes_do_not_lead_from_one_text_to_another() -> None:
    steps = [text(i, 20 * i, 20 * i + 100) for i in range(5)]

    found = find_copies(steps, 5, {})

    assert found == {1: 0, 3: 2}


def test_a_text_made_of_two_joins_the_one_it_is_most_like() -> None:
    both = text(2, 0, 100, *range(1000, 1060))

    found = find_copies([text(0, 1000, 1060), text(1, 0, 100), both], 3, {})

    assert found == {2: 1}


def test_an_excerpt_joins_the_text_it_is_most_of() -> None:
    long, short = text(0, 0, 200), text(1, 0, 60, *range(3000, 3040))

    assert find_copies([long, short, text(2, 0, 50)], 3, {}) == {2: 1}


@given(VERSIONS, st.data())
@settings(deadline=None)
def test_one_slide_or_many_find_the_same_copies(
    texts: list[tuple[int, float, int]], data: st.DataObject
) -> None:
    articles = versions(texts)
    at_once = find_copies(articles, len(articles), {})
    cut = data.draw(st.integers(0, len(articles)))

    before = find_copies(articles[:cut], cut, {})

    assert find_copies(articles, len(articles) - cut, before) == at_once


@given(VERSIONS)
@settings(deadline=None)
def test_every_copy_points_to_an_older_article_that_is_no_copy_of_its_text(
    texts: list[tuple[int, float, int]],
) -> None:
    found = find_copies(versions(texts), len(texts), {})

    assert all(copy > original for copy, original in found.items())
    assert not set(found.values()) & set(found)
    assert all(texts[copy][0] == texts[original][0] for copy, original in found.items())


@given(VERSIONS, st.permutations(range(4)))
@settings(deadline=None)
def test_numbers_of_terms_do_not_matter(
    texts: list[tuple[int, float, int]], order: list[int]
) -> None:
    renamed = [(order[which], share, edits) for which, share, edits in texts]

    assert find_copies(versions(texts), len(texts), {}) == find_copies(
        versions(renamed), len(texts), {}
    )


def test_the_oldest_copy_takes_the_place_of_an_original_that_left() -> None:
    here = np.array([2, 3, 5, 8])

    copies, left = handed_on(
        {3: 1, 5: 1, 8: 2}, links((0, 1), (1, 2), (1, 4), (2, 3)), here
    )

    assert copies == {5: 3, 8: 2}
    assert list(zip(left.older.tolist(), left.newer.tolist(), strict=True)) == [
        (2, 3),
        (2, 3),
    ]


def test_a_link_handed_on_says_what_it_said() -> None:
    _, left = handed_on({9: 1}, links((0, 2), (1, 2), (2, 3)), np.array([2, 3, 9]))

    assert (left.older.tolist(), left.newer.tolist()) == ([2, 2], [3, 9])
    assert left.evidence["words"].tolist() == [2.0, 1.0]
    assert left.evidence["meaning"].tolist() == [-2.0, -1.0]
    assert left.gap.tolist() == [1.0, 0.5]


@given(GROUPS, st.sets(st.integers(0, 20)))
def test_copies_stay_together_when_articles_leave(
    copies: Mapping[int, int], here: set[int]
) -> None:
    left, _ = handed_on(copies, Links(), np.array(sorted(here), dtype=np.int64))

    def together(groups: Mapping[int, int]) -> set[frozenset[int]]:
        first = {serial: groups.get(serial, serial) for serial in range(21)}
        return {
            frozenset(s for s in here if first[s] == name) for name in first.values()
        } - {frozenset()}

    assert together(left) == together(copies)
    assert all(original < copy for copy, original in left.items())
    assert {*left, *left.values()} <= here
    assert not set(left.values()) & set(left)


@given(GROUPS, st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)))
def test_leaving_one_by_one_or_at_once_is_the_same(
    copies: Mapping[int, int], first: set[int], second: set[int]
) -> None:
    half = np.array(sorted(first), dtype=np.int64)
    end = np.array(sorted(first & second), dtype=np.int64)

    step, _ = handed_on(copies, Links(), half)

    assert handed_on(step, Links(), end)[0] == handed_on(copies, Links(), end)[0]


def test_groups_of_originals_get_their_copies() -> None:
    articles = {f"a{i}": linked(i, {}) for i in range(5)}

    grouped = with_copies([["a0", "a3"], ["a1"]], articles, {2: 1, 4: 0})

    assert grouped == [["a0", "a4", "a3"], ["a1", "a2"]]


def test_a_copy_is_no_independent_source() -> None:
    named = [replace(linked(i, {}), source=s) for i, s in enumerate("ABCA")]

    assert independent(named, {}) == 3
    assert independent(named, {1: 0, 2: 0}) == 1
    assert independent(named, {2: 1}) == 2


def test_articles_of_unnamed_sources_count_each() -> None:
    unnamed = [linked(i, {}) for i in range(4)]

    assert independent(unnamed, {3: 1}) == 3
    assert independent([], {}) == 0


def test_a_group_counts_by_its_first_article_that_is_given() -> None:
    named = [replace(linked(i, {}), source=s) for i, s in enumerate("ABB")]

    assert independent(named[1:], {1: 0, 2: 0}) == 1
    assert independent(named, {1: 0}) == independent(named[::-1], {1: 0}) == 2
