"""Is the archive what its articles say? All slides told again, and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ustory.core.errors import StateError
from ustory.core.protocols import Encoder, TextPipeline
from ustory.encode import load_encoder
from ustory.live.again import differences
from ustory.live.recovery import done_after, task_of
from ustory.live.settings import settings_of
from ustory.live.telling import Teller
from ustory.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a replay found."""

    slides: int
    """Slides that came out as they were written."""
    articles: int
    problems: tuple[str, ...] = ()
    """What did not, in words; a replay ends at the first slide that differs."""


def replay(
    store: Store,
    *,
    encoder: Encoder | None = None,
    pipeline: TextPipeline | None = None,
    progress: Callable[[int], None] | None = None,
) -> Verdict:
    """Tell all slides of a database again, from the stored ranges, and compare.

    The engine starts from nothing, with the settings of the database; nothing is
    written. `progress` is told the number of each slide that is done.
    """
    settings = settings_of(store)
    if settings is None:
        return Verdict(slides=0, articles=0)
    teller = Teller(settings, encoder or load_encoder(settings.encoder), pipeline)
    state, slides, articles = teller.engine.begin(), 0, 0
    for row in done_after(store, 0):
        try:
            task = task_of(store, row)
        except StateError as error:
            return Verdict(slides=slides, articles=articles, problems=(str(error),))
        told = teller.tell(state, task)
        state = told.after
        problems = tuple(differences(store, told))
        if problems:
            return Verdict(slides=slides, articles=articles, problems=problems)
        slides, articles = slides + 1, articles + len(task.articles)
        if progress is not None:
            progress(row.number)
    return Verdict(slides=slides, articles=articles)
