"""A SQLite file that was cut is refused in words, at any length."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.builders import fill
from ustory.core.errors import StateError
from ustory.store import Store
from ustory.store.upkeep import check


@pytest.mark.parametrize("part", [0.05, 0.3, 0.5, 0.8, 0.9])
def test_a_file_that_was_cut_is_refused_or_found_damaged(
    tmp_path: Path, part: float
) -> None:
    file = tmp_path / "a.db"
    store = Store.open(str(file))
    fill(store, slides=6)
    store.close()
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(StateError, match=r"damaged.*ustory db restore"):
        opened_and_checked(file)


def opened_and_checked(file: Path) -> None:
    """Open a file and look at all of it; what is found is raised."""
    store = Store.open(str(file))
    try:
        problems = check(store)
    finally:
        store.close()
    if problems:
        raise StateError(f"{problems[0]} is damaged; see `ustory db restore`")
