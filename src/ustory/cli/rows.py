"""Assignments as lines: which article was in which story when a slide ended."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ustory.core.errors import InputError
from ustory.core.story import ThemeDecision
from ustory.core.wording import utc_text
from ustory.scores.windows import AssignmentRow
from ustory.sources.files.json_values import parse_object
from ustory.sources.files.lines import check_readable, read_lines
from ustory.sources.records.dates import parse_date
from ustory.sources.records.problems import Place, shown

if TYPE_CHECKING:  # scoring must not wait for the engine to load
    from ustory.engine.state import State


def assignment_lines(state: State) -> Iterator[dict[str, Any]]:
    """Yield one line per article in the window, by article id."""
    if state.end is None:
        return
    end = utc_text(state.end)
    for article in sorted(state.records):
        story, similarity, confidence = _standing(state, article)
        yield {
            "slide_end": end,
            "article": article,
            "story": story,
            "similarity": _short(similarity),
            "confidence": _short(confidence),
        }


def read_assignments(path: str) -> Iterator[AssignmentRow]:
    """Yield the rows of an assignments file, one line in memory at a time."""
    check_readable(path)
    return _rows(path)


def _rows(path: str) -> Iterator[AssignmentRow]:
    for number, line in read_lines(path):
        place = Place(path, number)
        if isinstance(line, InputError):
            raise line
        if line.strip():
            yield _row(line, place)


def _row(line: bytes, place: Place) -> AssignmentRow:
    record = parse_object(line, place)
    for name in ("slide_end", "article"):
        if not isinstance(record.get(name), str):
            raise place.problem(
                "bad-field",
                f"`{name}` must be text; got {shown(record.get(name))}; give a file "
                "that `ustory discover --assignments` wrote",
            )
    story = record.get("story")
    if not (story is None or isinstance(story, str)):
        raise place.problem(
            "bad-field", f"`story` must be text or null; got {shown(story)}"
        )
    try:
        end = _moment(str(record["slide_end"]))
    except ValueError as error:
        raise place.problem(
            "bad-date", f"`slide_end` cannot be read: {error}"
        ) from None
    return AssignmentRow(end, str(record["article"]), story)


# The lines of a slide all have the same end.
_moment = lru_cache(maxsize=4)(parse_date)


def _standing(state: State, article: str) -> tuple[str | None, float, float]:
    """Return an article's story, similarity and confidence as they now are.

    For articles that wait, this is far cheaper than their whole decision.
    """
    decision = state.records[article].decision
    if decision is not None:
        close = decision.confidence
        if isinstance(decision, ThemeDecision):
            close = decision.similarity
        return decision.story, close, decision.confidence
    standing = state.standing
    if standing is None or article not in standing.articles:
        return None, 0.0, 0.0
    row, verdicts = standing.articles[article], standing.verdicts
    confidence = math.exp(float(verdicts.log_confidence[row]))
    return None, float(verdicts.similarity[row]), confidence


def _short(number: float) -> float:
    return float(f"{number:.6g}")
