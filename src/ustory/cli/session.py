"""One run of a stream through the engine, with its state file and outputs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ustory.cli.console import Show
from ustory.cli.feed import ArticleFeed
from ustory.cli.interrupts import InterruptedRunError, Interrupts
from ustory.cli.outputs import OutputFiles
from ustory.cli.saved import SavePoint, save_point
from ustory.core.article import Article
from ustory.core.wording import utc_text
from ustory.stories.discovery import Discovery, SlideResult
from ustory.stories.record import StoryRecords

SAVE_EVERY = 60.0
"""Seconds of work that a power cut may cost."""


class Session:
    """Drives a run, and keeps its state and its outputs in step.

    Mutable. At every moment `point` is the run after its last complete slide: what
    was written since is cut off when the run stops, and written again when it goes on.
    The last slide of a stream may still be open. It is shown like any other, but the
    state keeps its articles instead, so that a run in two parts equals one run.
    """

    def __init__(
        self,
        discovery: Discovery,
        feed: ArticleFeed,
        point: SavePoint,
        files: OutputFiles,
        state: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.discovery = discovery
        self.feed = feed
        self.records = StoryRecords(discovery.settings, point.state, point.records)
        self.point = self._saved = replace(point, outputs=files.sizes())
        self.arrivals_before = point.state.arrivals
        self._files = files
        self._state = state
        self._clock = clock
        self._saved_at = clock()

    def run(self, show: Show) -> None:
        """Read everything there is to read; on any way out, save."""
        with Interrupts() as interrupts:
            try:
                self._read(show, interrupts)
            except BaseException as error:
                interrupts.ignore()
                self._retreat()
                if isinstance(error, InterruptedRunError):
                    raise InterruptedRunError(
                        error.signal_number, self._farewell()
                    ) from None
                raise

    def _read(self, show: Show, interrupts: Interrupts) -> None:
        read = self.feed.read(self.discovery.stopwatch, show)
        self.discovery.restore(self.point.pending)
        for result in self.discovery.add(read):
            with interrupts.held():
                self._complete(result)
        pending: list[Article] = []
        for result in self.discovery.finish():
            with interrupts.held():
                self._write(result)
                pending += (*result.slide.articles, *result.slide.corrections)
        with interrupts.held():
            self.point = replace(
                self.point, position=self.feed.after, pending=tuple(pending)
            )
            self.records.describe(self.discovery.state)
            self._files.write_live(self.records.live.values())
            self._save()

    def _complete(self, result: SlideResult) -> None:
        self._write(result)
        came = (*result.slide.articles, *result.slide.corrections)
        inside = any(article.id == self.feed.last for article in came)
        self.point = SavePoint(
            state=result.state,
            position=self.feed.after if inside else self.feed.before,
            records=self.records.saved(),
            outputs=self._files.sizes(),
        )
        if self._clock() - self._saved_at >= SAVE_EVERY:
            self._save()

    def _write(self, result: SlideResult) -> None:
        with self.discovery.stopwatch("stories"):
            expired = self.records.update(result.state, result.events)
        with self.discovery.stopwatch("writing"):
            self._files.write_slide(result.state, result.events, expired)

    def _save(self) -> None:
        if self._state is not None and self.point is not self._saved:
            with self.discovery.stopwatch("writing"):
                save_point(self._state, self.point, self.discovery.settings)
            self._saved, self._saved_at = self.point, self._clock()

    def _retreat(self) -> None:
        self._files.cut(self.point.outputs)
        self._files.write_live(self.point.records.live)
        self._save()

    def _farewell(self) -> str:
        end = self.point.state.end
        if self._state is None:
            return "interrupted; give --state FILE to be able to go on next time"
        if end is None:
            return "interrupted before the first slide was complete; nothing was saved"
        return (
            f"interrupted; {self._state} holds the stream up to {utc_text(end)}: "
            "run the same command again to go on from there"
        )
