"""Where articles lie in time: panes by duration, and panes by number of articles."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from tests.reference.records import Placed, place
from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


class PanesByTime:
    """Panes are stretches of the calendar, counted from the epoch (Sec. 5.4)."""

    def __init__(self, settings: Settings) -> None:
        assert isinstance(settings.pane_size, timedelta)
        assert isinstance(settings.window, timedelta)
        self.size = settings.pane_size
        self.kept = settings.window // self.size
        self.oldest = 0
        self.too_late = 0

    def take(self, end: datetime, articles: Sequence[PreparedArticle]) -> list[Placed]:
        """Return the articles of the window, and move it on to `end` (exclusive)."""
        newest = -((_EPOCH - end) // self.size) - 1  # the last pane that begins before
        self.oldest = newest - self.kept + 1
        taken: list[Placed] = []
        for prepared in articles:
            pane = min((prepared.article.published_at - _EPOCH) // self.size, newest)
            if pane < self.oldest:
                self.too_late += 1
            else:
                taken.append(place(prepared, pane, pane * self.size / _DAY))
        return taken


class PanesByNumber:
    """Panes hold equally many articles each (docs/decisions/0003).

    A pane's time is that of its newest article and never goes back.
    """

    def __init__(self, settings: Settings) -> None:
        assert isinstance(settings.pane_size, int)
        assert isinstance(settings.window, int)
        self.size = settings.pane_size
        self.kept = settings.window // self.size
        self.newest = -1
        self.time = float("-inf")
        self.oldest = 0
        self.too_late = 0

    def take(self, _end: datetime, articles: Sequence[PreparedArticle]) -> list[Placed]:
        """Return all the articles, filled into new panes in order of (time, id)."""
        waiting = sorted(articles, key=lambda p: (p.article.published_at, p.article.id))
        taken: list[Placed] = []
        while waiting:
            inside, waiting = waiting[: self.size], waiting[self.size :]
            self.newest += 1
            newest = max(prepared.article.published_at for prepared in inside)
            self.time = max(self.time, (newest - _EPOCH) / _DAY)
            taken += [place(prepared, self.newest, self.time) for prepared in inside]
        self.oldest = self.newest - self.kept + 1
        return [article for article in taken if article.pane >= self.oldest]


def panes_of(settings: Settings) -> PanesByTime | PanesByNumber:
    """Return the kind of panes that the settings ask for."""
    if isinstance(settings.window, int):
        return PanesByNumber(settings)
    return PanesByTime(settings)
