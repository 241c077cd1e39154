"""Dates that cannot be right: they neither move a stream on nor keep an article out."""

from __future__ import annotations

from dataclasses import replace
from datetime import MAXYEAR, datetime, timedelta
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ustory.core.spans import EPOCH

AGREE = 3
"""Articles in a row that are far ahead: then the stream has a gap."""

LONG_AGO = timedelta(days=3_653)
"""Ten years: news of a stream is not so much older than what came before it."""

LONGEST_GAP = timedelta(days=90)
"""A stream that ends with one or two articles after such a gap may well be right."""

_DAY = timedelta(days=1)


def is_years_off(claim: datetime, now: datetime, window: timedelta) -> bool:
    """Say whether a date would be of the window in another year: a slip of the year.

    >>> from datetime import UTC
    >>> now, week = datetime(2024, 1, 3, tzinfo=UTC), timedelta(days=7)
    >>> [is_years_off(datetime(y, 1, 2, tzinfo=UTC), now, week) for y in (2024, 2023)]
    [False, True]
    """
    if now - claim <= window:
        return False
    years = range(now.year - 1, min(now.year + 1, MAXYEAR) + 1)
    return any(
        -_DAY <= now - _in_year(claim, year) <= window
        for year in years
        if year > claim.year
    )


def _in_year(moment: datetime, year: int) -> datetime:
    day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
    return moment.replace(year=year, day=day)


class Published(Protocol):
    """An article, or what stands for one: a dataclass with a date."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def published_at(self) -> datetime:
        """When it says it was published."""
        ...


Each = TypeVar("Each", bound=Published)


class OddDates(Generic[Each]):
    """Articles on their way into slides. Mutable.

    One that is dated more than a window beyond what came before waits until others
    agree; if the stream goes back to where it was, its date is wrong. So is a date of
    long ago, or of the right day in a wrong year. Such an article counts as published
    when it came. Articles that come in order keep their dates, whatever their gaps.
    """

    def __init__(self, window: timedelta, newest: datetime | None = None) -> None:
        """`newest` is the newest date so far, None at the start of a stream."""
        self._window = window
        self._newest = newest
        self._held: list[Each] = []
        self.redated = 0
        """Articles whose date was replaced."""

    @property
    def pending(self) -> tuple[Each, ...]:
        """The articles that wait until others agree."""
        return tuple(self._held)

    def push(self, article: Each) -> list[Each]:
        """Take in an article and return those whose dates are settled, in order."""
        if article.published_at.utcoffset() is None:
            return [article]  # it is refused where slides are cut
        if self._newest is None:
            return self._begin(article)
        if article.published_at - self._newest > self._window:
            self._held.append(article)
            return self._release() if len(self._held) == AGREE else []
        back = [self._redated(held) for held in self._held]
        self._held = []
        return [*back, self._settled(article)]

    def flush(self) -> list[Each]:
        """Return the articles that still wait, at the end of a stream."""
        if self._newest is None:
            return self._release()
        newest = self._newest
        held, self._held = self._held, []
        found = []
        for article in held:
            if article.published_at - newest > LONGEST_GAP:
                found.append(self._redated(article))
            else:
                found.append(self._settled(article))
        return found

    def moment(self, claim: datetime) -> datetime:
        """Return when a new text with a claimed date came, as far as can be told."""
        if self._newest is None or claim.utcoffset() is None:
            return claim
        return self._newest if claim - self._newest > self._window else claim

    def _begin(self, article: Each) -> list[Each]:
        """Take in one of the first articles, until two of them agree."""
        self._held.append(article)
        dates = [held.published_at for held in self._held]
        near = [
            (one, other)
            for i, one in enumerate(dates)
            for other in dates[i + 1 :]
            if abs(one - other) <= self._window
        ]
        if not near:
            return self._release() if len(self._held) == AGREE else []
        held, self._held = self._held, []
        self._newest = min(near[0])
        found = []
        for each in held:
            if each.published_at - self._newest > self._window:
                found.append(self._redated(each))
            else:
                found.append(self._settled(each))
        return found

    def _release(self) -> list[Each]:
        """Return the articles that wait, with the dates that they have."""
        held, self._held = self._held, []
        dates = [article.published_at for article in held]
        if dates:
            self._newest = max([*dates, self._newest or dates[0]])
        return held

    def _settled(self, article: Each) -> Each:
        assert self._newest is not None
        claim, newest = article.published_at, self._newest
        is_wrong = claim == EPOCH or newest - claim > LONG_AGO
        if newest - claim > self._window and (
            is_wrong or is_years_off(claim, newest, self._window)
        ):
            return self._redated(article)
        self._newest = max(newest, claim)
        return article

    def _redated(self, article: Each) -> Each:
        assert self._newest is not None
        self.redated += 1
        return replace(article, published_at=self._newest)
