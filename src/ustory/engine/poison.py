"""Finds the articles that make a slide fail, so that it can go on without them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ustory.core.article import Article
from ustory.core.errors import (
    MissingExtraError,
    StateError,
    WorkerError,
    error_text,
)
from ustory.core.spans import EPOCH

STOP_REQUESTS = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""Requests to end the program; they are not failures."""

UNRELATED_ERRORS = (
    *STOP_REQUESTS,
    StateError,
    MissingExtraError,
    WorkerError,
    MemoryError,
    OSError,
    sqlite3.Error,
)
"""Errors that no article causes: the database, the disk, the machine."""

MAX_POISONED = 20
"""Readable articles of a slide that may fail; with more, another cause is likely."""

CONTROL = Article(
    id="control", published_at=EPOCH, title="Rain", text="It rained. Boats came."
)
"""A readable article: if it fails, no article is to blame."""


@dataclass(frozen=True, slots=True)
class Poison:
    """An article that makes its slide fail, and how."""

    article: Article
    reason: str


Attempt = Callable[[Sequence[Article]], object]
"""A step that takes articles, and raises if one of them is poison."""


def find_poison(
    articles: Sequence[Article], read: Attempt, compute: Attempt
) -> list[Poison]:
    """Return the articles without which `compute` succeeds; [] if none is to blame.

    First those that cannot be read alone, then those with which the others fail.
    Deterministic if the attempts are. Errors that no article causes, such as a full
    disk, are raised.
    """
    if _failure(read, [CONTROL]) or _failure(compute, []):
        return []
    found = _unreadable(articles, read)
    named = {poison.article.id for poison in found}
    good = [article for article in articles if article.id not in named]
    for _ in range(MAX_POISONED + 1):
        reason = _failure(compute, good)
        if reason is None:
            return found
        size = _shortest(good, compute)
        if _failure(compute, good[:size]) is None:  # it may have been the machine, once
            return []
        found.append(Poison(good.pop(size - 1), reason))
    return []


def _unreadable(articles: Sequence[Article], read: Attempt) -> list[Poison]:
    """Return those that cannot be read, by bisection."""
    reason = _failure(read, articles)
    if reason is None or not articles:
        return []
    if len(articles) == 1:
        again = _failure(read, articles)  # it may have been the machine, once
        return [Poison(articles[0], again)] if again else []
    half = len(articles) // 2
    return [*_unreadable(articles[:half], read), *_unreadable(articles[half:], read)]


def _shortest(articles: Sequence[Article], compute: Attempt) -> int:
    """Return a number of articles that fails although one fewer succeeds."""
    good, bad = 0, len(articles)
    while bad - good > 1:
        middle = (good + bad) // 2
        if _failure(compute, articles[:middle]):
            bad = middle
        else:
            good = middle
    return bad


def _failure(attempt: Attempt, articles: Sequence[Article]) -> str | None:
    """Return how an attempt fails, None if it succeeds."""
    try:
        attempt(articles)
    except UNRELATED_ERRORS:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic is no Exception
        return error_text(error)
    return None
