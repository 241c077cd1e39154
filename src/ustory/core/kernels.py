"""The door to numba, for loops that are compiled.

numba keeps compiled loops in files beside the source. Such a file names the classes
of the arguments, and reading it fails after one was renamed or moved. A file that
cannot be read is treated like one that is not there: the loop is compiled again.
"""

from __future__ import annotations

from typing import Any

from numba import carray, njit, types
from numba.core.caching import IndexDataCacheFile

__all__ = ["carray", "njit", "types"]

# mypy: disable-error-code="attr-defined"
_CACHE_FILE: Any = IndexDataCacheFile
_read_index = _CACHE_FILE._load_index


def _read_index_or_nothing(file: Any) -> Any:  # noqa: ANN401 - numba names no types
    try:
        return _read_index(file)
    except (AttributeError, ImportError):
        return {}


_CACHE_FILE._load_index = _read_index_or_nothing
