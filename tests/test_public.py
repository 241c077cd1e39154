"""What `import ustory` gives, and what it costs."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import ustory


def test_every_public_name_is_there() -> None:
    assert len(ustory.__all__) == 14
    for name in ustory.__all__:
        assert getattr(ustory, name) is not None
    assert set(ustory.__all__) <= set(dir(ustory))
    assert ustory.__version__ == version("ustory")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ustory.nothing


def test_importing_ustory_imports_nothing_heavy() -> None:
    heavy = {"numpy", "scipy", "numba"}
    code = f"import sys, ustory; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
