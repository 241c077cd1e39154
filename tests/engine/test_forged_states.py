"""A state is data: one that was forged is refused in a sentence, and never a crash."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.fuzzing import SETTINGS, Base, base_of
from tests.engine.mutations import changed, closed, opened, refused, sealed
from ustory.core.errors import StateError
from ustory.engine.online import Engine
from ustory.engine.snapshot.columns import Columns
from ustory.engine.snapshot.states import thaw
from ustory.testing import TinyEncoder

ROOT = Path(__file__).parents[2]
FEW = 300
MANY = 100_000


@pytest.fixture(scope="module")
def links() -> Base:
    """Return a state of mode links."""
    return base_of(SETTINGS[0])


@pytest.fixture(scope="module")
def paper() -> Base:
    """Return a state of mode paper."""
    return base_of(SETTINGS[1])


@pytest.fixture(scope="module")
def gists() -> Base:
    """Return a state of mode links with gists in several languages."""
    return base_of(SETTINGS[2])


def test_the_states_have_everything_that_is_checked(
    links: Base, paper: Base, gists: Base
) -> None:
    state, _, _ = thaw(links.frozen, "here")
    assert state.link.copies
    assert len(state.link.links)
    assert len(state.link.archive)
    assert state.stories
    other, _, _ = thaw(paper.frozen, "here")
    assert other.unassigned
    assert other.standing is not None
    third, _, _ = thaw(gists.frozen, "here")
    assert len(third.link.gists.languages) > 2
    assert {"gist", "carried_names"} <= set(third.link.links.evidence)
    for article in third.link.articles.values():
        assert {"gist", "carried_names"} <= set(article.columns)
    for base, settings in zip((links, paper, gists), SETTINGS, strict=False):
        engine = Engine(settings, TinyEncoder())
        after, _ = engine.advance(engine.thaw(base.frozen), base.slide)
        assert engine.thaw(engine.freeze(after)).end == base.slide.end


LINKS = [
    "state.link.articles.value.terms.int32",
    "state.link.articles.value.tf.int32",
    "state.link.articles.value.lead.int32",
    "state.link.articles.value.lead_tf.int32",
    "state.link.articles.value.serial",
    "state.link.articles.value.pane",
    "state.link.copies.key",
    "state.link.copies.value",
    "state.link.links.older.int64",
    "state.link.links.newer.int64",
    "state.documents.df.int32",
    "state.documents.panes.value.terms.int32",
    "state.documents.panes.value.articles",
    "state.stories.value.panes.value.terms.int32",
    "state.stories.value.panes.value.tf.int32",
    "state.vocabulary.keys.int64",
    "state.records.value.pane",
    "state.days.key",
]
PAPER = [
    "state.unassigned.value.terms.int32",
    "state.unassigned.value.tf.int32",
    "state.unassigned.value.cells.int32",
    "state.unassigned.value.sentence.int32",
    "state.unassigned.value.count.int32",
    "state.unassigned.value.pane",
    "state.standing.articles.value",
    "state.standing.verdicts.best.int64",
    "state.standing.verdicts.runner_up.int64",
    "state.standing.themes.terms.int32",
]


def widened(column: Any, value: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - an array
    """Return the numbers as wide as their array is, the last replaced."""
    wide = column.astype(np.int32 if column.dtype.itemsize < 4 else column.dtype)
    wide.reshape(-1)[-1] = value(np.iinfo(wide.dtype))
    return wide


@pytest.mark.parametrize("name", [*LINKS, *PAPER])
@pytest.mark.parametrize(
    "value", [lambda i: i.max, lambda i: i.min, lambda _: -7], ids=["max", "min", "-7"]
)
def test_a_number_beyond_what_it_counts_is_refused(
    name: str, value: Callable[[Any], Any], links: Base, paper: Base
) -> None:
    base = links if name in LINKS else paper
    forged = changed(base.frozen, name, lambda column: widened(column, value))

    with refused():
        thaw(forged, "news.state")


def test_fewer_counts_than_terms_are_refused(links: Base) -> None:
    head, columns = opened(links.frozen)
    name = "state.link.articles.value.tf"
    columns[f"{name}.int32"] = columns[f"{name}.int32"][:-1]
    columns[f"{name}.shape"][-1, 0] -= 1

    with refused("terms and tf must be equally long"):
        thaw(closed(head, columns), "news.state")


@pytest.mark.parametrize(
    "name",
    [
        "state.link.articles.value.vector.float32",
        "state.link.links.evidence.value.float64",
        "state.link.background.df.float64",
        "state.link.meanings.squares.float64",
        "state.link.gaps.same.float64",
        "state.link.archive.profiles.value.weights.float32",
        "state.stories.value.panes.value.vectors.float64",
        "state.days.value",
    ],
)
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_a_number_that_is_none_is_refused(name: str, value: float, links: Base) -> None:
    def put(column: Any) -> Any:  # noqa: ANN401 - an array
        wide = column.astype(np.float32 if column.dtype == np.float16 else column.dtype)
        wide[-1] = value
        return wide

    with refused():
        thaw(changed(links.frozen, name, put), "news.state")


def test_true_is_no_other_number(links: Base) -> None:
    def put(column: Any) -> Any:  # noqa: ANN401 - an array
        column.view(np.uint8)[0] = 7
        return column

    with refused("neither true nor false"):
        thaw(
            changed(links.frozen, "state.link.articles.value.in_title.bool", put),
            "news.state",
        )


def swapped(columns: Columns, name: str) -> None:
    """Exchange the first two numbers of a column."""
    columns[name][[0, 1]] = columns[name][[1, 0]]


@pytest.mark.parametrize(
    "name",
    [
        "state.link.articles.value.terms.int32",
        "state.link.articles.value.serial",
        "state.link.links.newer.int64",
        "state.documents.panes.key",
        "state.documents.panes.value.terms.int32",
        "state.days.key",
    ],
)
def test_what_is_out_of_order_is_refused(name: str, links: Base) -> None:
    head, columns = opened(links.frozen)
    if name.endswith("newer.int64"):
        columns[name] = columns[name][::-1].copy()
    else:
        swapped(columns, name)

    with refused():
        thaw(closed(head, columns), "news.state")


def test_an_engine_refuses_a_forged_snapshot_too(links: Base) -> None:
    name = "state.link.articles.value.terms.int32"
    forged = changed(links.frozen, name, lambda c: widened(c, lambda i: i.max))

    with pytest.raises(StateError, match="the frozen state does not hold together"):
        Engine(SETTINGS[0], TinyEncoder()).thaw(forged)


def headed(columns: object, body: bytes = b"") -> bytes:
    head = {"about": {}, "written": {"method": 1, "version": "1"}, "columns": columns}
    return sealed(json.dumps(head).encode() + b"\n" + body)


@pytest.mark.parametrize(
    "payload",
    [
        b'"x"\n',
        b"7\n",
        b"null\n",
        b'{"columns": "abc"}\n',
        b'{"columns": [1, 2]}\n',
        b"[" * 200_000 + b"\n",
        b'{"columns":' * 200_000 + b"\n",
        b"9" * 10_000 + b"\n",
        b'{"columns": {"a": ["<i8", [1' + b"0" * 400 + b"]]}}\n",
    ],
    ids=lambda payload: payload[:24].decode(),
)
def test_a_second_line_that_no_state_has_is_refused(payload: bytes) -> None:
    with refused():
        thaw(sealed(payload), "news.state")


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        ("<i8", [30_000_000, 0]),
        ("<i8", [0, 30_000_000]),
        ("<i8", [2**62]),
        ("<i8", [-1]),
        ("<i8", [True]),
        ("<i8", "ab"),
        ("<i8", 3),
        ("<i8", []),
        ("<i8", [0, 1, 1]),
        ("O", [1]),
        ("<U4", [1]),
        ("V8", [1]),
        (7, [1]),
        (["<i8"], [1]),
    ],
)
def test_a_column_of_no_size_or_kind_is_refused_at_once(
    dtype: object, shape: object
) -> None:
    data = headed({"state.end.known": [dtype, shape]}, b"12345678")
    tracemalloc.start()
    try:
        with refused():
            thaw(data, "news.state")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_rows_without_columns_take_no_memory(links: Base) -> None:
    head, columns = opened(links.frozen)
    shape = columns["state.link.meanings.squares.shape"]
    shape[0] = (10**12, 0)
    columns["state.link.meanings.squares.float64"] = np.zeros(0)

    with refused():
        thaw(closed(head, columns), "news.state")


def test_sizes_that_wrap_around_are_refused(links: Base) -> None:
    def put(column: Any) -> Any:  # noqa: ANN401 - an array
        wide = column.astype(np.int64)
        wide[:2] = 2**62
        return wide

    with refused("beyond all bounds|must have"):
        thaw(
            changed(links.frozen, "state.records.value.sentences.size", put),
            "news.state",
        )


def test_bytes_behind_the_last_column_are_refused(links: Base) -> None:
    with refused("more after the last column"):
        thaw(sealed(links.frozen.partition(b"\n")[2] + b"x"), "news.state")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("window", [10**18]),
        ("window", []),
        ("window", ["7"]),
        ("keywords", 10**12),
        ("seed_restarts", 10**12),
        ("encoder", None),
    ],
)
def test_settings_that_nobody_has_are_refused(
    name: str, value: object, paper: Base
) -> None:
    head, columns = opened(paper.frozen)
    head["settings"][name] = value

    with refused():
        thaw(closed(head, columns), "news.state")


@pytest.mark.parametrize("value", [None, [], "x", 7])
def test_an_extra_that_is_no_table_is_refused(value: object, paper: Base) -> None:
    head, columns = opened(paper.frozen)
    head["extra"] = value

    with refused():
        thaw(closed(head, columns), "news.state")


def fuzzed(first: int, last: int) -> dict[str, int]:
    """Return what a process of its own made of so many mutated states."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.fuzzing", str(first), str(last)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    last_words = done.stderr.splitlines()[-3:]
    assert done.returncode == 0, f"ended with {done.returncode} at {last_words}"
    failed = [line for line in done.stderr.splitlines() if line.startswith("FAILED")]
    assert not failed, failed[:5]
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


def check_clean(counts: dict[str, int]) -> None:
    assert set(counts) <= {
        *("refused", "accepted, went on", "accepted, its slide refused", "peak_mb"),
    }
    assert counts["peak_mb"] < 300


def test_some_hundred_mutated_states_are_refused_or_go_on() -> None:
    counts = fuzzed(0, FEW)

    assert counts["refused"] > FEW / 2
    assert counts["accepted, went on"] > FEW / 50
    check_clean(counts)


@pytest.mark.slow
@pytest.mark.timeout(7_200)
def test_a_hundred_thousand_mutated_states_are_refused_or_go_on() -> None:
    for first in range(0, MANY, 10_000):
        check_clean(fuzzed(first, first + 10_000))
