"""Calls into compiled packages: whatever they raise becomes a `PackageError`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ustory.core.errors import PackageError, UStoryError

NOT_OF_THE_PACKAGE = (
    KeyboardInterrupt,
    SystemExit,
    GeneratorExit,
    MemoryError,
    UStoryError,
)
"""Errors that are not due to the package; they pass through unchanged."""


@contextmanager
def guarded(package: str) -> Iterator[None]:
    """Turn what a package raises into a PackageError that names it.

    A panic of Rust arrives as a BaseException, which `except Exception` lets pass: it
    would end the calling thread.

    >>> with guarded("a package"):
    ...     raise ValueError("no such letter")
    Traceback (most recent call last):
    ...
    ustory.core.errors.PackageError: a package failed: ValueError: no such letter
    """
    try:
        yield
    except NOT_OF_THE_PACKAGE:
        raise
    except BaseException as error:
        raise PackageError(package, error) from error
