"""Addresses are of one process: whatever has them finds them anew in another."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ustory.core.arrays import Indices
from ustory.links.article import LinkedArticle
from ustory.window.summary import PaneSummary
from ustory.window.unassigned import Batch, UnassignedArticle, UnpickledBatch


def ints(*numbers: int) -> Indices:
    return np.array(numbers, dtype=np.int32)


def unassigned() -> UnassignedArticle:
    return UnassignedArticle(
        id="a",
        pane=3,
        terms=ints(4, 9),
        tf=ints(2, 1),
        cells=ints(2, 1),
        sentence=ints(0, 1, 1),
        count=ints(1, 1, 1),
        vectors=np.eye(2, 4, dtype=np.float32),
    )


def linked() -> LinkedArticle:
    return LinkedArticle(
        id="a",
        serial=7,
        pane=3,
        day=3.5,
        source="Wire",
        terms=ints(4, 9),
        tf=ints(2, 1),
        in_title=np.array([True, False]),
        cells=ints(2, 1),
        sentence=ints(0, 1, 1),
        count=ints(1, 1, 1),
        lead=ints(0),
        lead_tf=ints(2),
        vector=np.ones(4, dtype=np.float32),
    )


def test_an_article_that_travelled_reads_its_own_arrays() -> None:
    before = unassigned()
    after = pickle.loads(pickle.dumps(before, protocol=5))

    assert (after.id, after.pane, after.length) == ("a", 3, 3)
    for name in ("terms", "tf", "cells", "sentence", "count", "vectors"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    names = ("terms", "tf", "cells", "sentence", "count")
    places = [getattr(after, name).ctypes.data for name in names]
    assert after.buffers == (2, *places, 2, after.vectors.ctypes.data)
    assert after.buffers != before.buffers


def test_a_linked_article_and_a_pane_read_their_own_arrays() -> None:
    pane = PaneSummary(2, ints(1, 5), ints(3, 4), np.ones(4), 7)
    for before in (linked(), pane):
        after = pickle.loads(pickle.dumps(before, protocol=5))

        assert after.length == before.length
        assert after.buffers == (2, after.terms.ctypes.data, after.tf.ctypes.data)
        assert after.buffers != before.buffers


def several() -> Batch:
    """Return articles of different lengths, one of them without terms."""
    silent = replace(
        unassigned(),
        id="c",
        terms=ints(),
        tf=ints(),
        cells=ints(),
        sentence=ints(),
        count=ints(),
    )
    other = UnassignedArticle(
        id="b",
        pane=4,
        terms=ints(1, 4, 8),
        tf=ints(1, 2, 2),
        cells=ints(1, 1, 2),
        sentence=ints(0, 4, 2, 3),
        count=ints(1, 2, 1, 1),
        vectors=np.ones((5, 4), dtype=np.float32),
    )
    return Batch([unassigned(), silent, other, replace(unassigned(), id="d")])


def test_a_batch_travels_as_columns() -> None:
    batch, columns = several(), list[pickle.PickleBuffer]()

    pickled = pickle.dumps(batch, protocol=5, buffer_callback=columns.append)
    after = pickle.loads(pickled, buffers=columns)

    assert isinstance(after, UnpickledBatch)
    assert len(columns) < 3 * len(batch)  # six arrays an article otherwise
    assert [(a.id, a.pane) for a in after.articles] == [
        ("a", 3),
        ("c", 3),
        ("b", 4),
        ("d", 3),
    ]
    for one, two in zip(batch.articles, after.articles, strict=True):
        for name in ("terms", "tf", "cells", "sentence", "count", "vectors"):
            np.testing.assert_array_equal(getattr(two, name), getattr(one, name))
            assert getattr(two, name).dtype == getattr(one, name).dtype
    assert len(pickle.loads(pickle.dumps(Batch([])))) == 0


def test_columns_that_travelled_are_read_where_they_lie() -> None:
    batch = several()

    after = pickle.loads(pickle.dumps(batch, protocol=5))

    assert (len(after), after.dim) == (4, 4)
    assert after.buffers[0, 1] == after.terms.ctypes.data
    assert after.buffers[2, 7] == after.vectors.ctypes.data + 4 * 4 * 4
    for row in (0, 2, 3):  # articles are views of the same columns
        assert after.buffers[row].tolist() == list(after.articles[row].buffers)
    assert after.buffers[1, 0] == 0
    for name in ("pane", "terms", "tf", "entry_start", "article", "cells"):
        np.testing.assert_array_equal(getattr(after, name), getattr(batch, name))
    for name in ("cell_start", "sentence", "count", "sentence_start", "vectors"):
        np.testing.assert_array_equal(getattr(after, name), getattr(batch, name))


def test_a_batch_that_travelled_can_travel_on() -> None:
    batch = several()

    after = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(batch))))

    for name in ("pane", "terms", "sentence", "vectors"):
        np.testing.assert_array_equal(getattr(after, name), getattr(batch, name))


def test_a_batch_travels_without_what_it_found_out() -> None:
    batch = Batch([unassigned()])
    assert batch.buffers.shape == (1, 8)

    after = pickle.loads(pickle.dumps(batch))

    assert after.buffers[0].tolist() == list(after.articles[0].buffers)


@pytest.mark.parametrize(
    "change",
    [
        {"tf": ints(2)},
        {"cells": ints(2)},
        {"cells": ints(2, 2)},
        {"cells": ints(-1, 4)},
        {"count": ints(1, 1)},
        {"sentence": ints(0, 1, 2)},
        {"sentence": ints(0, 1, -1)},
    ],
    ids=str,
)
def test_an_article_whose_arrays_do_not_fit_is_never_made(
    change: dict[str, Any],
) -> None:
    """Compiled loops read as far as the other arrays say."""
    with pytest.raises(ValueError, match="of an article"):
        replace(unassigned(), **change)


def test_terms_without_a_count_are_never_read() -> None:
    """The loops would read what lies behind the counts in memory."""
    with pytest.raises(ValueError, match="2 terms cannot have 1 frequencies"):
        replace(linked(), tf=ints(2))
    with pytest.raises(ValueError, match="2 terms cannot have 3 frequencies"):
        PaneSummary(1, ints(4, 9), ints(2, 1, 1), np.zeros(4), 3)


@pytest.mark.parametrize(
    "sizes",
    [
        (ints(3), ints(3), ints(2)),
        (ints(2), ints(4), ints(2)),
        (ints(2), ints(3), ints(9)),
    ],
)
def test_a_batch_that_arrives_in_pieces_that_do_not_fit_is_refused(
    sizes: tuple[Indices, Indices, Indices],
) -> None:
    one = unassigned()
    columns = (ints(3), one.terms, one.tf, one.cells, one.count)

    assert len(
        UnpickledBatch(
            ["a"], (ints(2), ints(3), ints(2)), columns, one.sentence, one.vectors
        )
    )
    with pytest.raises(ValueError, match="do not fit each other"):
        UnpickledBatch(["a"], sizes, columns, one.sentence, one.vectors)
