"""Compares states to the last bit, without the code that writes them down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ustory.links.archive import Archive
from ustory.window.vocabulary import Vocabulary


def assert_same(one: Any, other: Any, where: str = "state") -> None:  # noqa: ANN401 - anything in a state
    """Fail, naming the place, unless two values are equal in value, type and order."""
    if is_dataclass(one):
        assert type(one) is type(other), where
        for field in (field for field in fields(one) if field.name != "buffers"):
            here, there = (getattr(value, field.name) for value in (one, other))
            assert_same(here, there, f"{where}.{field.name}")
    elif isinstance(one, Mapping):
        assert list(one) == list(other), where
        for key, value in one.items():
            assert_same(value, other[key], f"{where}[{key!r}]")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        assert one.tobytes() == other.tobytes(), where
    elif isinstance(one, Archive):
        assert_same(one.profiles, other.profiles, f"{where}.profiles")
    elif isinstance(one, Vocabulary):
        assert list(one.words) == list(other.words), where
        assert_same(one.keys, other.keys, f"{where}.keys")
    else:
        assert type(one) is type(other), where
        assert one == other, where
