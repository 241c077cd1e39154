"""Names are as many as asked for, and no two are alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ustory_bench.simulate import names
from ustory_bench.simulate.vocabulary import build_vocabulary


@pytest.mark.parametrize("make", [names.surnames, names.places, names.firms])
@pytest.mark.parametrize("count", [1, 500, 60_000])
def test_there_are_enough_names_and_no_two_alike(
    make: Callable[[int], list[str]], count: int
) -> None:
    made = make(count)

    assert len(made) == len(set(made)) == count
    assert all(name.isalpha() and name.istitle() for name in made)


def test_sources_differ() -> None:
    assert len(set(names.papers(60))) == 60


def test_more_stories_have_more_names_to_choose_from() -> None:
    assert build_vocabulary(10_000).size > build_vocabulary(10).size + 10_000
