"""Gists and names that no encoder gave are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engine.fuzzing import SETTINGS, Base, base_of
from tests.engine.mutations import changed, closed, opened, refused
from ustory.engine.snapshot.states import thaw


@pytest.fixture(scope="module")
def gists() -> Base:
    """Return a state of mode links with gists in several languages."""
    return base_of(SETTINGS[2])


COLUMNS = "state.link.articles.value.columns.value"


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        (f"{COLUMNS}.int16", 0, -1),  # the language of the first gist
        (f"{COLUMNS}.int16", slice(1, 40), 4_000),  # longer than any unit vector
        (f"{COLUMNS}.int64", slice(0, 2), 7),  # names, which ascend
        (f"{COLUMNS}.shape", (0, 0), 0),  # no gist, not even a language
        ("state.link.gists.languages.int64", 0, 2**15),
        ("state.link.gists.languages.int64", 0, -1),
        ("state.link.gists.articles.float64", 0, np.nan),
        ("state.link.gists.articles.float64", 0, -1.0),
        ("state.link.gists.total.float64", (0,), np.inf),
        ("state.link.gists.total.float64", (0,), 1e9),
    ],
)
def test_a_gist_that_no_encoder_gave_is_refused(
    name: str,
    place: Any,  # noqa: ANN401 - an index
    value: float,
    gists: Base,
) -> None:
    def put(column: Any) -> Any:  # noqa: ANN401 - an array
        wide = column.astype(np.int64) if column.dtype.kind in "iu" else column
        wide[place] = value
        return wide.astype(column.dtype) if column.dtype == np.int16 else wide

    with refused():
        thaw(changed(gists.frozen, name, put), "news.state")


def test_fewer_means_than_languages_are_refused(gists: Base) -> None:
    head, columns = opened(gists.frozen)
    columns["state.link.gists.articles.shape"][0, 0] -= 1
    columns["state.link.gists.articles.float64"] = columns[
        "state.link.gists.articles.float64"
    ][:-1]

    with refused("languages and articles must be equally long"):
        thaw(closed(head, columns), "news.state")
