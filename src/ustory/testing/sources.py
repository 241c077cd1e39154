"""The contract of a source, as code that anyone can run against their own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from ustory.core.article import Article
from ustory.core.protocols import Arrival, Source


def check_source(make_source: Callable[[], Source]) -> None:
    """Raise AssertionError, saying what is wrong, if a source breaks its contract.

    `make_source` returns the same source anew each time, with at least two articles
    and no bad record; a handful is enough, because it is read once per article.
    """
    arrivals = list(make_source().read(None))
    _require(
        len(arrivals) >= 2,
        f"a source to check must give at least two articles, this gave {len(arrivals)}",
    )
    _require(
        make_source().name == make_source().name and bool(make_source().name),
        "the name must be the same each time, and not empty",
    )
    for arrival in arrivals:
        check_article(arrival.article)
    _check_cursors(arrivals)
    _check_reading(make_source, arrivals)


def check_article(article: Article) -> None:
    """Raise AssertionError if an article is not what every source must give."""
    _require(isinstance(article, Article), f"not an Article: {article!r}")
    where = f"article {article.id!r}"
    _require(isinstance(article.id, str) and bool(article.id), f"{where}: empty id")
    _check_time(article.published_at, f"{where}: published_at")
    if article.fetched_at is not None:
        _check_time(article.fetched_at, f"{where}: fetched_at")
    for name in ("title", "text"):
        _require(isinstance(getattr(article, name), str), f"{where}: {name} is no text")
    _require(bool(article.title or article.text), f"{where}: neither title nor text")
    for name in ("url", "lang", "source", "label"):
        value = getattr(article, name)
        _require(
            value is None or (isinstance(value, str) and bool(value)),
            f"{where}: {name} must be text or None, not {value!r}",
        )
    _require(
        isinstance(article.authors, tuple)
        and all(isinstance(author, str) and author for author in article.authors),
        f"{where}: authors must be a tuple of names, not {article.authors!r}",
    )


def _check_time(moment: datetime, what: str) -> None:
    _require(
        isinstance(moment, datetime) and moment.utcoffset() == timedelta(0),
        f"{what} must be an aware time in UTC, not {moment!r}",
    )


def _check_cursors(arrivals: list[Arrival]) -> None:
    cursors = [arrival.cursor for arrival in arrivals]
    for cursor in cursors:
        _require(isinstance(cursor, str), f"a cursor must be text, not {cursor!r}")
    _require(
        len(set(cursors)) == len(cursors), f"the cursors are not distinct: {cursors}"
    )


def _check_reading(make_source: Callable[[], Source], arrivals: list[Arrival]) -> None:
    source = make_source()
    for reading in ("first", "second"):
        _require(
            list(source.read(None)) == arrivals,
            f"the {reading} reading of a source gives other articles",
        )
    for position, arrival in enumerate(arrivals, start=1):
        _require(
            list(make_source().read(arrival.cursor)) == arrivals[position:],
            f"behind the cursor {arrival.cursor!r} come other articles than before",
        )


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)
