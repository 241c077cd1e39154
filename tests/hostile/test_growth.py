"""The measure of growth itself: it passes what is linear and fails what is not."""

from __future__ import annotations

import re

import pytest

from tests.hostile.growth import check_growth

_QUADRATIC = re.compile(r"[ \t]*\n\s*")


def test_linear_work_passes() -> None:
    costs = check_growth(lambda text: text.split(), lambda size: "ab " * (size // 3))
    assert [cost.size for cost in costs][-1] == 1 << 20


def test_work_whose_time_is_a_square_fails_before_the_largest_size() -> None:
    def count_pairs(text: str) -> int:
        return sum(1 for _ in range((len(text) // 100) ** 2))

    with pytest.raises(AssertionError, match="grows with the power"):
        check_growth(count_pairs, lambda size: "x" * size)


def test_a_pattern_that_backtracks_over_blanks_fails() -> None:
    with pytest.raises(AssertionError, match=r"grows with|waiting for"):
        check_growth(lambda text: _QUADRATIC.sub("\n", text), lambda size: " " * size)


def test_work_that_takes_too_much_memory_fails() -> None:
    with pytest.raises(AssertionError, match="MiB"):
        check_growth(
            lambda text: bytearray(b"x" * len(text)) * 300, lambda size: "x" * size
        )


def test_work_that_lets_no_other_thread_have_a_turn_fails() -> None:
    def hold(text: str) -> int:
        return sum(range(len(text) * 40))

    with pytest.raises(AssertionError, match="keep other threads waiting"):
        check_growth(hold, lambda size: "x" * size)
