"""A part is known by what it was made of, unless somebody made it themselves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ustory.core.registry import made_of, recipe_of
from ustory.encode import load_encoder
from ustory.testing import TinyEncoder
from ustory.text import load_pipeline


def test_parts_made_by_name_can_be_made_again(tmp_path: Path) -> None:
    file = tmp_path / "vectors.db"

    assert recipe_of(load_pipeline("fast")) == ("fast",)
    assert recipe_of(load_encoder("tiny")) == ("tiny", None)
    assert recipe_of(load_encoder("tiny", file)) == ("tiny", file)


def test_parts_that_were_given_cannot() -> None:
    assert recipe_of(TinyEncoder()) is None


def test_parts_that_cannot_be_looked_up_are_left_alone() -> None:
    @dataclass
    class Mutable:
        number: int

    part = Mutable(1)

    assert made_of(part, "mutable") is part
    assert recipe_of(part) is None
