"""What needs no method: every article its own story, or all of them one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from ustory.scores.identity import identity
from ustory.window.panes import Calendar
from ustory_bench.runner.follow import SlideStories, prepared_slides, rows
from ustory_bench.runner.jobs import Inputs, Plain
from ustory_bench.runner.score import PROTOCOL, Outcome, duration, score_slides
from ustory_bench.runner.scoring import scores_of

TRIVIAL = "ustory_bench.experiments.trivial:trivial"

APART, TOGETHER = "every article its own story", "all articles one story"
"""The two, under the names that tables give them."""


def trivial(inputs: Inputs, *, name: str) -> Plain:
    """Return the scores of one of the two, as those of a system are."""
    stream, settings = inputs.stream, inputs.settings
    duration(settings.window)
    told = list(_told(inputs, apart=name == APART))
    outcome = Outcome(
        system=name,
        stream=stream.name,
        parameters={},
        reports=score_slides(told, stream, settings),
        identity=identity(stream.truth, stream.published, rows(told), PROTOCOL),
        seconds=tuple(each.seconds for each in told),
    )
    return scores_of(outcome)


def _told(inputs: Inputs, *, apart: bool) -> Iterator[SlideStories]:
    """Yield the articles of each window under the ids that need no method."""
    calendar = Calendar.of(inputs.settings)
    assert calendar is not None  # refused above: windows are by time
    held: dict[str, datetime] = {}
    for slide in prepared_slides(inputs.stream.articles, inputs.settings):
        if not slide.articles and not held:
            continue
        held |= {one.article.id: one.article.published_at for one in slide.articles}
        first = calendar.first_pane(slide.end)
        held = {id_: at for id_, at in held.items() if calendar.pane_of(at) >= first}
        stories: Mapping[str, str | None]
        stories = {id_: id_ if apart else "all" for id_ in held}
        yield SlideStories(slide.end, stories, 0.0)
