"""Slides computed once more, in a database of their own beside the archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ustory.engine.poison import UNRELATED_ERRORS, find_poison
from ustory.engine.state import State
from ustory.service.recovery import to_article
from ustory.service.slide_runner import SlideOutcome, SlideRunner, Task
from ustory.service.writing import Draft, write_slide
from ustory.store import Connection, Store
from ustory.store.articles import left_out, texts_of_slide
from ustory.store.listing import highest_story
from ustory.store.results import places_of
from ustory.store.side import copy_past, copy_slides, stand_as
from ustory.store.slides import count_done_after, last_done, next_closed
from ustory.store.tables import (
    ArticleRow,
    AsideRow,
    RevisionRow,
    SlideRow,
)

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where computing begins: a state, and the slide that it is the state after."""

    state: State
    slide: int
    continued: bool
    """Whether the state knows the stories of the archive; else it knows nothing."""


class Recomputation:
    """Computes the slides behind a start again. Mutable: it follows the archive.

    It reads the archive and writes into `side` only. Stories that begin have ids that
    the archive never used.
    """

    def __init__(
        self, store: Store, side: Store, runner: SlideRunner, start: Start
    ) -> None:
        self.start = start
        self.side = side
        self.last = start.slide
        """The last slide that was computed."""
        self.aside: list[AsideRow] = []
        """Articles that slides fail at, and that they are computed without."""
        self._store = store
        self._runner = runner
        with store.read() as source:
            self.state = replace(start.state, next_story=_unused(source, start.state))
            if start.continued:
                self._copy_past(source)

    def catch_up(self, progress: Progress | None = None) -> bool:
        """Compute the slides that were done since; say whether there were any."""
        with self._store.read() as source:
            done = last_done(source)
            if done is None or done.number <= self.last:
                return False
            with self.side.write() as target:
                copy_slides(
                    source,
                    target,
                    self.last,
                    done.number,
                    known=self.start.continued and self.last == self.start.slide,
                )
        while self._step(progress):
            pass
        self.last = done.number
        return True

    def places(self) -> Mapping[str, str | None]:
        """Return the story of each article, by the ids that are used here."""
        with self.side.read() as connection:
            after = 0 if self.start.continued else self.start.slide
            return places_of(connection, after)

    def _copy_past(self, source: Connection) -> None:
        done = last_done(source)
        last = self.start.slide if done is None else done.number
        with self.side.write() as target:
            copy_past(source, target, self.start.slide, last)
            live = {name: each.total for name, each in self.state.stories.items()}
            stand_as(target, live)

    def _task(
        self, row: SlideRow, texts: Sequence[tuple[ArticleRow, RevisionRow]]
    ) -> Task:
        """Return a slide, without the articles that are set aside in the archive."""
        with self._store.read() as source:
            aside = left_out(source, row.number)
        aside |= {each.article for each in self.aside if each.slide == row.number}
        kept = [(each, text) for each, text in texts if each.id not in aside]
        return Task(
            number=row.number,
            end=row.end,
            articles=tuple(to_article(article, text) for article, text in kept),
            aside=tuple(article.id for article, _ in texts if article.id in aside),
        )

    def _told(
        self, row: SlideRow, texts: Sequence[tuple[ArticleRow, RevisionRow]]
    ) -> SlideOutcome:
        """Compute a slide; one that fails is computed without what it fails at."""
        task = self._task(row, texts)
        try:
            return self._runner.run(self.state, task)
        except UNRELATED_ERRORS:
            raise
        except BaseException:
            found = find_poison(
                task.articles,
                self._runner.prepared,
                lambda some: self._runner.run(
                    self.state, replace(task, articles=tuple(some))
                ),
            )
            if not found:
                raise
        numbers = {article.id: article.seq for article, _ in texts}
        self.aside += [
            AsideRow(
                article=each.article.id,
                seq=numbers[each.article.id],
                slide=row.number,
                at=row.end,
                reason=each.reason,
                by="recomputation",
                left_out=True,
            )
            for each in found
        ]
        return self._runner.run(self.state, self._task(row, texts))

    def _step(self, progress: Progress | None) -> bool:
        with self.side.read() as connection:
            row = next_closed(connection)
            texts = [] if row is None else texts_of_slide(connection, row.number)
        if row is None:
            return False
        told = self._told(row, texts)
        draft = Draft.of(told, self._runner.settings)
        with self.side.write() as connection:
            write_slide(connection, draft, row.end)
        self.state = told.after
        if progress is not None:
            progress(row.number)
        return True


def _unused(connection: Connection, state: State) -> int:
    """Return the number of the next story: no story of the archive has it."""
    highest = highest_story(connection)
    return max(state.next_story, 1 if highest is None else int(highest[1:]) + 1)


def count_slides(store: Store, after: int) -> int:
    """Return how many slides are done behind one."""
    with store.read() as connection:
        return count_done_after(connection, after)
