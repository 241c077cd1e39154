"""A run that has to compile says so once; one that has not says nothing."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import gc
from typing import Any

from numba import njit
from numba.core import event

from ustory.cli.compiling import compilation_listener


def _twice(number: Any) -> Any:  # noqa: ANN401 - two kinds are compiled
    return 2 * number


def test_compilation_is_announced_once() -> None:
    said: list[str] = []
    kernel: Any = njit(_twice)

    with event.install_listener("numba:compile", compilation_listener(said.append)):
        assert kernel(3) == 6
        assert kernel(4.0) == 8.0

    (notice,) = said
    assert notice.startswith("compiling for this machine: once, about")
    assert gc.isenabled()


def test_what_is_compiled_already_is_not_announced() -> None:
    said: list[str] = []
    kernel: Any = njit(_twice)
    kernel(3)

    with event.install_listener("numba:compile", compilation_listener(said.append)):
        assert kernel(5) == 10

    assert said == []
