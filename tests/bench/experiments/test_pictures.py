from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.arrays import Matrix
from ustory.core.errors import MissingExtraError
from ustory_bench.experiments.pictures import (
    label,
    nearest_share,
    panels,
    points,
    project,
    shortened,
)


def two_heaps(size: int) -> Matrix:
    noise = np.random.default_rng(0).normal(0, 0.05, (2 * size, 8))
    return (np.repeat(np.eye(8)[:2], size, axis=0) + noise).astype(np.float32)


@pytest.mark.parametrize("size", [3, 20])
def test_what_is_near_stays_near_in_the_plane(size: int) -> None:
    pytest.importorskip("sklearn", reason="t-SNE comes with the extra bench")

    places = np.array(project(two_heaps(size), seed=0))

    one, other = places[:size], places[size:]
    between = np.linalg.norm(one[:, None] - other[None, :], axis=2).min()
    inside = np.linalg.norm(one - one.mean(axis=0), axis=1).max()
    assert places.shape == (2 * size, 2)
    assert between > inside


def test_the_same_rows_give_the_same_picture() -> None:
    pytest.importorskip("sklearn", reason="t-SNE comes with the extra bench")
    rows = two_heaps(12)

    assert project(rows, seed=3) == project(rows.copy(), seed=3)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_picture_of_very_few_rows_is_drawn_too(size: int) -> None:
    places = project(np.eye(3, dtype=np.float32)[:size], seed=0)

    assert len(places) == size
    assert np.isfinite(places).all()


def test_without_scikit_learn_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.manifold", None)

    with pytest.raises(MissingExtraError, match="pip install ustory-bench"):
        project(two_heaps(12), seed=0)


def test_the_nearest_row_of_another_owner_decides() -> None:
    rows = np.array([[1, 0], [1, 0], [0.9, 0.1], [0, 1]], dtype=np.float32)

    # rows 0 and 1 are one owner's: the nearest of others is row 2, of their story
    assert nearest_share(rows, [0, 0, 0, 1], [0, 0, 1, 2]) == 1
    # of four rows, only row 2 is nearest to one of the other story
    assert nearest_share(rows, [0, 0, 1, 1], [0, 1, 2, 3]) == pytest.approx(3 / 4)
    assert nearest_share(rows, [0, 1, 2, 3], range(4)) == 0


@given(st.text(max_size=80), st.integers(4, 60))
def test_a_shortened_text_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    short = shortened(text, limit)

    assert len(short) <= limit
    if len(" ".join(text.split())) <= limit:
        assert short == " ".join(text.split())
    else:
        assert short.endswith(" …")


def test_a_label_brings_no_markup_into_a_figure() -> None:
    assert label("<b>Bold</b> & plain") == "&lt;b&gt;Bold&lt;/b&gt; &amp; plain"


def test_each_panel_has_its_axes_and_its_title() -> None:
    layout = panels(["one", "two", "three"])

    assert [note["text"] for note in layout["annotations"]] == ["one", "two", "three"]
    boxes = [
        (*layout[f"xaxis{n}"]["domain"], *layout[f"yaxis{n}"]["domain"])
        for n in ("", "2", "3")
    ]
    assert all(0 <= edge <= 1 for box in boxes for edge in box)
    assert boxes[0][1] < boxes[1][0]
    assert boxes[2][3] < boxes[0][2]


def test_points_of_the_same_places_stay_there_when_a_panel_is_zoomed() -> None:
    shared, apart = panels(["one", "two"], same_places=True), panels(["one", "two"])

    assert (shared["xaxis2"]["matches"], shared["yaxis2"]["matches"]) == ("x", "y")
    assert not any("matches" in apart[f"{letter}axis2"] for letter in "xy")


def test_a_group_is_told_by_colour_and_symbol_and_is_once_in_the_legend() -> None:
    first = points([[0, 1]], ["t"], "name", 2)
    second = points([[0, 1]], ["t"], "name", 2, panel=1)
    other = points([[0, 1]], ["t"], "name", 3)

    assert first["meta"] == {"colour": 2}
    assert first["marker"]["symbol"] != other["marker"]["symbol"]
    assert (first["showlegend"], second["showlegend"]) == (True, False)
    assert (second["xaxis"], second["yaxis"]) == ("x2", "y2")
