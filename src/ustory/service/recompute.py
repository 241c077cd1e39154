"""Slides computed again in a separate database, and the ids of their stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ustory.engine.poison import UNRELATED_ERRORS
from ustory.engine.state import State
from ustory.service.recovery import make_task
from ustory.service.set_aside import aside_rows
from ustory.service.slide_runner import SlideOutcome, SlideRunner, Task
from ustory.service.writing import Draft, write_slide
from ustory.store import Connection, Store
from ustory.store.articles import left_out, texts_of_slide
from ustory.store.corrections import corrections_of_slide
from ustory.store.edits import edits_of_slide
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


def heirs(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return for each old story the new one with most of its articles.

    `old` and `new` give the story of each article. Of equals the one with the lower
    id counts. Stories whose articles are in no new story are left out.
    """
    shared = Counter((old[a], new[a]) for a in old.keys() & new.keys())
    found: dict[str, tuple[int, str]] = {}
    for (before, after), count in shared.items():
        found[before] = min(found.get(before, (0, "")), (-count, after))
    return {before: after for before, (_, after) in sorted(found.items())}


def same_stories(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return for new stories the old story that each continues.

    Two stories are the same if each shares more articles with the other than with
    any third. So a story that keeps most of its articles, and gets few others, keeps
    its id.

    >>> same_stories({"a": "s1", "b": "s1", "c": "s2"}, {"a": "n1", "b": "n1"})
    {'n1': 's1'}
    """
    heir = heirs(old, new)
    return {
        after: before
        for after, before in heirs(new, old).items()
        if heir[before] == after
    }


Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where computing begins: a state and the slide after which it was the state."""

    state: State
    slide: int
    continued: bool
    """Whether the state has the stories of the archive; if not, it is empty."""


class Recomputation:
    """Computes the slides after a start again. Mutable: it follows the archive.

    It reads the archive and writes into `side` only. New stories get ids that the
    archive never used.
    """

    def __init__(
        self, store: Store, side: Store, runner: SlideRunner, start: Start
    ) -> None:
        self.start = start
        self.side = side
        self.last = start.slide
        """The last slide that was computed."""
        self.languages: dict[str, str] = {}
        """Of the articles that are in another language than their source says."""
        self.aside: list[AsideRow] = []
        """Articles that make slides fail; these are computed without them."""
        self._store = store
        self._runner = runner
        with store.read() as source:
            self.state = replace(start.state, next_story=_unused(source, start.state))
            if start.continued:
                self._copy_past(source)

    def catch_up(self, progress: Progress | None = None) -> bool:
        """Compute the slides done since the last call; False if there were none."""
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
        """Return the story of each article, by the ids of this computation."""
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
            edits = edits_of_slide(source, row.number)
            again = corrections_of_slide(source, row.number)
        aside |= {each.article for each in self.aside if each.slide == row.number}
        kept = [pair for pair in again if pair[1].text is not None]
        return make_task(row, (texts, kept), aside, edits)

    def _run(
        self, row: SlideRow, texts: Sequence[tuple[ArticleRow, RevisionRow]]
    ) -> SlideOutcome:
        """Compute a slide; if it fails, without the articles that make it fail."""
        task = self._task(row, texts)
        try:
            return self._runner.run(self.state, task)
        except UNRELATED_ERRORS:
            raise
        except BaseException:
            found = self._runner.poison(
                task, lambda some: self._runner.run(self.state, some)
            )
            if not found:
                raise
        numbers = {article.id: article.seq for article, _ in texts}
        self.aside += aside_rows(found, numbers, row.number, row.end, "recomputation")
        return self._runner.run(self.state, self._task(row, texts))

    def _step(self, progress: Progress | None) -> bool:
        with self.side.read() as connection:
            row = next_closed(connection)
            texts = [] if row is None else texts_of_slide(connection, row.number)
        if row is None:
            return False
        outcome = self._run(row, texts)
        draft = Draft.of(outcome, self._runner.settings)
        with self.side.write() as connection:
            write_slide(connection, draft, row.end)
        self.state = outcome.after
        self.languages |= outcome.languages
        if progress is not None:
            progress(row.number)
        return True


def _unused(connection: Connection, state: State) -> int:
    """Return the number of the next story: no story of the archive has it."""
    highest = highest_story(connection)
    return max(state.next_story, 1 if highest is None else int(highest[1:]) + 1)


def count_slides(store: Store, after: int) -> int:
    """Return how many slides after one are done."""
    with store.read() as connection:
        return count_done_after(connection, after)
