"""One outlet counts in a group as a few articles do, however many it has there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.stories.test_heat import linked
from ustory.links.outlets import FULL, outlets, shares


def test_all_articles_of_an_outlet_together_count_as_a_few() -> None:
    group = np.array([0] * 300 + [0] * 5 + [1] * 2)
    outlet = np.array([7] * 300 + list(range(5)) + [7] * 2)

    found = shares(group, outlet)

    assert found[:300].sum() == pytest.approx(FULL)
    assert found[300:].tolist() == [1.0] * 7


def test_few_articles_of_an_outlet_count_in_full() -> None:
    for many in (0, 1, FULL):
        same = np.zeros(many, dtype=np.int64)
        assert shares(same, same).tolist() == [1.0] * many


def test_an_outlet_is_one_however_it_writes_its_name() -> None:
    names = ["News", " news", "", "", "Other"]
    found = outlets([linked(str(i), i, name) for i, name in enumerate(names)])

    assert found.tolist() == [0, 0, 2, 3, 4]
