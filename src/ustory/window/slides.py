"""Cuts a stream of articles into slides, the quiet ones included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ustory.core.article import Article
from ustory.core.errors import InputError
from ustory.core.settings import Settings
from ustory.core.spans import EPOCH
from ustory.window.panes import Calendar

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class RawSlide:
    """The articles that arrived in one slide, as they came; `end` is exclusive."""

    end: datetime
    articles: tuple[Article, ...] = ()
    corrections: tuple[Article, ...] = ()
    """New texts of articles of earlier slides."""


def quiet_ends(
    calendar: Calendar, start: datetime, busy: datetime, now: datetime
) -> Iterator[datetime]:
    """Yield the ends of the slides from `start` to `now` in which nothing came.

    Quiet slides count while the window may hold articles, because stories expire in
    them. `busy` is the end of the last slide with articles; once the window has
    passed it, the slides that follow are passed over.
    """
    window = timedelta(microseconds=calendar.window)
    while start < busy + window and (end := calendar.next_end(start)) <= now:
        yield end
        start = end


class Slicer:
    """Cuts a stream into slides, holding the articles of one slide at a time.

    Windows by time have calendar slides, aligned to the epoch in UTC; windows by
    number have a slide for every S articles. `after` is where an earlier run
    stopped. Mutable: it remembers the slide that is still open.
    """

    def __init__(self, settings: Settings, after: datetime | None = None) -> None:
        calendar = Calendar.of(settings)
        if calendar is not None:
            self._cutter: _ByTime | _ByNumber = _ByTime(calendar, after)
        else:
            assert isinstance(settings.slide, int)
            self._cutter = _ByNumber(settings.slide, after)

    @property
    def pending(self) -> tuple[Article, ...]:
        """The articles of the slide that is still open."""
        return tuple(self._cutter.pending)

    def push(self, article: Article) -> list[RawSlide]:
        """Take in an article and return the slides that it closes.

        The article's own slide stays open. A late article joins the open slide:
        the engine knows whether its pane is still in the window.
        """
        if article.published_at.utcoffset() is None:
            raise InputError(
                "bad-date",
                f"a publication date needs a time zone; article {article.id!r} has "
                f"{article.published_at.isoformat()}: give it one, UTC for example",
                file="stream",
                line=0,
            )
        return self._cutter.push(article)

    def correct(self, article: Article) -> list[RawSlide]:
        """Take in a new text of an article and return the slides that it closes.

        In the slide that is open it takes the place of the old text, and the date of
        before stays; else it is one of the corrections of that slide.
        """
        return self._cutter.correct(article)

    @property
    def corrections(self) -> tuple[Article, ...]:
        """The corrections of the slide that is still open."""
        return tuple(self._cutter.corrections)

    def flush(self) -> list[RawSlide]:
        """Return the slide that is still open, nothing if nothing came in it."""
        return self._cutter.flush()


def _correct(pending: list[Article], corrections: list[Article], new: Article) -> None:
    """Put a new text in the place of an old one, or among the corrections."""
    for articles in (pending, corrections):
        for place, old in enumerate(articles):
            if old.id == new.id:
                articles[place] = replace(new, published_at=old.published_at)
                return
    corrections.append(new)


class _ByTime:
    """Slides of the calendar. Mutable."""

    def __init__(self, calendar: Calendar, after: datetime | None) -> None:
        self._calendar = calendar
        self.pending: list[Article] = []
        self.corrections: list[Article] = []
        self._end = calendar.slide_end(after) if after is not None else None
        # end of the last slide with articles; the first cut sets it if none was given
        self._last = after if after is not None else EPOCH

    def push(self, article: Article) -> list[RawSlide]:
        closed = self._moved(article.published_at)
        self.pending.append(article)
        return closed

    def correct(self, article: Article) -> list[RawSlide]:
        closed = self._moved(article.published_at)
        _correct(self.pending, self.corrections, article)
        return closed

    def _moved(self, moment: datetime) -> list[RawSlide]:
        if self._end is None:
            self._end = self._calendar.slide_end(moment)
        closed, self._end = self._close(self._end, moment)
        return closed

    def flush(self) -> list[RawSlide]:
        if self._end is None or not (self.pending or self.corrections):
            return []
        closed = self._cut(self._end)
        self._end = self._calendar.next_end(self._end)
        return [closed]

    def _close(
        self, end: datetime, moment: datetime
    ) -> tuple[list[RawSlide], datetime]:
        """Return the slides that end by `moment`, and the end of the one behind."""
        if end > moment:
            return [], end
        start = end - timedelta(microseconds=self._calendar.slide)
        closed = []
        if self.pending or self.corrections:
            closed.append(self._cut(end))
            start = end
        quiet = quiet_ends(self._calendar, start, self._last, moment)
        closed += [RawSlide(each) for each in quiet]
        return closed, self._calendar.slide_end(moment)

    def _cut(self, end: datetime) -> RawSlide:
        if self.pending:
            self._last = end
        slide = RawSlide(end, tuple(self.pending), tuple(self.corrections))
        self.pending, self.corrections = [], []
        return slide


class _ByNumber:
    """Slides of equally many articles, in order of arrival. Mutable."""

    def __init__(self, size: int, after: datetime | None) -> None:
        self._size = size
        self._last = after
        self.pending: list[Article] = []
        self.corrections: list[Article] = []

    def correct(self, article: Article) -> list[RawSlide]:
        _correct(self.pending, self.corrections, article)
        return []

    def push(self, article: Article) -> list[RawSlide]:
        # closed by the next article, as slides of the calendar are
        closed = self.flush() if len(self.pending) == self._size else []
        self.pending.append(article)
        return closed

    def flush(self) -> list[RawSlide]:
        """Cut behind the newest article; each end is later than the one before."""
        if not (self.pending or self.corrections):
            return []
        came = self.pending or self.corrections
        newest = max(article.published_at for article in came)
        end = newest if self._last is None else max(newest, self._last)
        self._last = end + _TICK
        slide = RawSlide(self._last, tuple(self.pending), tuple(self.corrections))
        self.pending, self.corrections = [], []
        return [slide]
