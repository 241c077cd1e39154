"""The nearest by meaning are what a plain search finds, in any order and threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tests.reference import near as plain
from ustory.core.arrays import Indices
from ustory.core.threads import THREADS_VARIABLE
from ustory.links import near_vectors
from ustory.links.near_lists import LENGTH, Whole, list_count, made_lists, signatures
from ustory.links.near_vectors import LIMITS, NearLimits, nearest, quantised

FEW = NearLimits(near=2, read=3)
"""So that a handful of articles is a large window."""


def pairs(
    rows: Whole, group: Sequence[int] | Indices, new: int, limits: NearLimits = LIMITS
) -> list[tuple[int, int]]:
    newer, older = nearest(rows, np.asarray(group, dtype=np.int64), new, limits)
    return list(zip(newer.tolist(), older.tolist(), strict=True))


def unit(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    found: NDArray[np.floating] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def clustered(rows: int, seed: int, stories: int = 40, dim: int = 64) -> Whole:
    """Return vectors in stories that overlap."""
    draw = np.random.default_rng(seed)
    middle = draw.normal(size=(stories, dim))
    spread = draw.normal(size=(rows, dim))
    return quantised(unit(middle[draw.integers(stories, size=rows)] + 0.8 * spread))


def subjects_and_stories(rows: int, seed: int) -> Whole:
    """Return vectors of articles in stories of some subjects, as news has them."""
    draw = np.random.default_rng(seed)
    subjects = draw.normal(size=(30, 128))
    stories = 0.8 * draw.normal(size=(300, 128)) + subjects[draw.integers(30, size=300)]
    articles = 1.3 * draw.normal(size=(rows, 128))
    return quantised(unit(stories[draw.integers(300, size=rows)] + articles))


@st.composite
def windows(draw: st.DrawFn) -> tuple[Whole, list[int], int]:
    """Return few vectors with many ties, copies and zeros; languages; how many new."""
    number = st.integers(-3, 3)
    row = st.lists(number, min_size=5, max_size=5)
    some = draw(st.lists(row, min_size=1, max_size=40))
    again = draw(st.lists(st.sampled_from(some), max_size=10))
    raw = np.array([*some, *again], dtype=np.float64)
    length = np.linalg.norm(raw, axis=1, keepdims=True)
    rows = quantised(np.divide(raw, length, out=np.zeros_like(raw), where=length > 0))
    count = len(rows)
    group = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    return rows, group, draw(st.integers(0, count))


@given(windows())
def test_a_small_window_is_searched_as_told(case: tuple[Whole, list[int], int]) -> None:
    rows, group, new = case

    assert pairs(rows, group, new) == plain.nearest(rows.tolist(), group, new)


@given(windows(), st.integers(1, 4), st.integers(1, 6))
def test_a_large_window_is_searched_as_told(
    case: tuple[Whole, list[int], int], near: int, read: int
) -> None:
    rows, group, new = case
    limits = NearLimits(near=near, read=read)

    found = pairs(rows, group, new, limits)

    assert found == plain.nearest(rows.tolist(), group, new, limits)


@pytest.mark.parametrize("seed", range(3))
def test_lists_of_overlapping_stories_are_searched_as_told(seed: int) -> None:
    rows, limits = clustered(150, seed, 8, 12), NearLimits(near=4, read=10)
    rows[::3] = 0
    group = (np.arange(150) % 4 == 0).astype(np.int64)
    whole = pairs(rows, group, 60, NearLimits(near=4))

    found = pairs(rows, group, 60, limits)

    assert found == plain.nearest(rows.tolist(), group.tolist(), 60, limits)
    assert found != whole, "the lists are read in full, so this shows nothing of them"


@pytest.mark.parametrize("chunk", [1, 7, 64])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_blocks_and_threads_change_nothing(
    monkeypatch: pytest.MonkeyPatch, chunk: int, threads: str
) -> None:
    rows, limits = clustered(300, 1, 8), NearLimits(near=5, read=40)
    group = np.arange(300) % 2
    expected = pairs(rows, group, 120, limits)

    monkeypatch.setenv(THREADS_VARIABLE, threads)
    monkeypatch.setattr(near_vectors, "_CHUNK", chunk)
    monkeypatch.setattr(near_vectors, "_TOGETHER", chunk)
    with threadpool_limits(1):
        assert pairs(rows, group, 120, limits) == expected


@pytest.mark.parametrize("limits", [LIMITS, NearLimits(near=8, read=60)])
def test_the_order_of_older_articles_changes_nothing(limits: NearLimits) -> None:
    rows, group = clustered(400, 2), np.arange(400) % 3
    order = np.append(np.random.default_rng(0).permutation(250), np.arange(250, 400))
    before = pairs(rows, group, 150, limits)

    after = pairs(rows[order], group[order], 150, limits)

    assert len(set(signatures(rows).tolist())) == len(rows)
    assert sorted((int(order[n]), int(order[o])) for n, o in after) == before


def test_float32_adds_up_what_rows_have_in_common_exactly() -> None:
    draw = np.random.default_rng(0)
    rows = quantised(unit(draw.normal(size=(120, 512))).astype(np.float16))
    rows = np.concatenate([rows, -rows[:50], rows[:1], quantised(np.eye(512)[:3])])
    whole = rows.astype(np.int64)
    products = whole @ whole.T
    rounding = LENGTH * (1 + 2**-11) + np.sqrt(512) / 2

    assert np.sqrt((whole**2).sum(axis=1).max()) <= rounding < 4096
    assert np.abs(products).max() < 2**24
    # any part of a product is bounded too: the sums of all that is above or below 0
    assert (np.abs(whole) @ np.abs(whole).T).max() < 2**24
    for share in (1, 3, 64, 512):
        parts = [
            rows[:, low : low + share].astype(np.float32)
            @ rows[:, low : low + share].astype(np.float32).T
            for low in range(0, 512, share)
        ]
        assert np.array_equal(sum(parts), products)


def test_the_longest_row_that_is_allowed_is_still_exact() -> None:
    long, short = [4095, 90, 8, 4], [4095, 90, 8, 5]
    assert sum(each**2 for each in long) < 2**24
    rows = np.array([long, short, long], dtype=np.int16)

    assert pairs(rows, [0, 0, 0], 1, NearLimits(near=1)) == [(2, 1)]


@pytest.mark.parametrize("worst", [4096, 32767, -32768])
def test_a_row_that_is_too_long_to_be_exact_is_refused(worst: int) -> None:
    rows = np.zeros((3, 8), dtype=np.int16)
    rows[1, 3] = worst

    with pytest.raises(ValueError, match="not unit rows times 2048"):
        pairs(rows, [0, 0, 0], 1)


def test_of_copies_the_first_to_arrive_are_nearest() -> None:
    rows = np.repeat(quantised(np.eye(4)[:1]), 200, axis=0)

    assert pairs(rows, [0] * 200, 1) == [(199, older) for older in range(32)]
    assert pairs(rows, [0] * 200, 60, FEW) == [
        (newer, older) for newer in range(140, 200) for older in range(2)
    ]


def test_no_more_is_read_than_the_limit_of_a_list_that_has_all() -> None:
    rows, limits = np.repeat(quantised(np.eye(4)[:1]), 200, axis=0), NearLimits(read=3)

    assert pairs(rows, [0] * 200, 60, limits) == [
        (newer, older) for newer in range(140, 200) for older in range(3)
    ]
    assert pairs(rows, [0] * 200, 1, limits) == [(199, older) for older in range(32)]


@pytest.mark.parametrize("limits", [LIMITS, FEW])
def test_an_empty_text_is_near_nothing(limits: NearLimits) -> None:
    rows = np.zeros((50, 8), dtype=np.int16)
    assert pairs(rows, [0] * 50, 30, limits) == []

    rows[[4, 45]] = quantised(np.eye(8)[:1])
    assert pairs(rows, [0] * 50, 30, limits) == [(45, 4)]


def test_own_language_and_the_others_are_told_apart() -> None:
    rows = np.repeat(quantised(np.eye(4)[:1]), 9, axis=0)
    group = [7, 7, 7, 3, 3, 3, 5, 5, 7]

    assert pairs(rows, group, 1, NearLimits(near=2)) == [(8, 0), (8, 1), (8, 3), (8, 4)]
    assert pairs(rows, [7] * 9, 1, NearLimits(near=2)) == [(8, 0), (8, 1)]


@pytest.mark.parametrize("limits", [LIMITS, FEW])
def test_windows_without_old_or_new_articles(limits: NearLimits) -> None:
    rows, none = clustered(20, 3, 2, 8), np.zeros((0, 8), dtype=np.int16)
    group = [0] * 20

    assert pairs(none, [], 0, limits) == []
    assert pairs(rows, group, 0, limits) == []
    assert pairs(rows[:1], group[:1], 1, limits) == []
    assert pairs(rows, group, 20, limits) == plain.nearest(
        rows.tolist(), group, 20, limits
    )


def test_pairs_below_the_floor_are_none() -> None:
    angle = np.array([0.34, 0.36])
    older = np.column_stack([angle, np.sqrt(1 - angle**2)])
    rows = quantised(np.concatenate([older, [[1.0, 0.0]]]))

    assert pairs(rows, [0, 0, 0], 1) == [(2, 1)]


def test_fewer_vectors_than_lists_leave_lists_empty() -> None:
    rows = np.repeat(quantised(np.eye(3)), 40, axis=0)

    with ThreadPoolExecutor(1) as workers:
        lists = made_lists(rows, workers)

    assert list_count(len(rows)) > len(lists.centres) == 3
    assert np.bincount(lists.place).tolist() == [40, 40, 40]


@pytest.mark.parametrize("languages", [1, 4])
def test_lists_find_nearly_all_that_are_nearest(languages: int) -> None:
    rows, new = subjects_and_stories(6_000, 4), 400
    group = np.arange(6_000) % languages
    limits, whole = NearLimits(read=500), NearLimits(read=6_000)
    with threadpool_limits(1):
        true = nearest(rows, group, new, whole)
        found = nearest(rows, group, new, limits)

    hit = np.isin(true[0] * 6_000 + true[1], found[0] * 6_000 + found[1])
    own = group[true[0]] == group[true[1]]
    assert hit[own].mean() >= 0.95
    assert languages == 1 or hit[~own].mean() >= 0.95
