"""Whether decisions are as sure as they say: confidence against what was right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from rich.console import Console

from ustory.engine.online import Engine
from ustory_bench.quality.ablation_scores import DIGITS
from ustory_bench.quality.runs import Runs
from ustory_bench.quality.streams import SETTINGS, parts
from ustory_bench.runner.follow import prepared_slides
from ustory_bench.runner.streams import Stream

EDGES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Bins of confidence; the last one has both its ends."""

Outcome = tuple[float, bool]
"""How sure a decision was, and whether it was right."""


def reliability(
    streams: Sequence[Stream], runs: Runs, console: Console
) -> dict[str, Any]:
    """Return the share of right decisions by confidence, and the error on average."""
    found = {}
    for stream in streams:
        with console.status(f"decisions on {stream.name}"):
            found[stream.name] = binned(list(outcomes(stream)))
    return found


def outcomes(stream: Stream) -> Iterator[Outcome]:
    """Yield how sure and how right each story of a new article was.

    It is right when, of the story's other articles at that time, no true story has
    more than the article's own; decisions on articles without a label are left out.
    """
    engine = Engine(SETTINGS, parts()[1])
    state, truth = engine.begin(), stream.truth
    for slide in prepared_slides(stream.articles, SETTINGS):
        state, _ = engine.advance(state, slide)
        held: defaultdict[str, list[str]] = defaultdict(list)
        for article, story in engine.assignments(state).items():
            if story is not None:
                held[story].append(article)
        for one in slide.articles:
            record = state.records.get(one.article.id)
            if record is None or record.decision is None or not record.decision.story:
                continue
            others = held[record.decision.story]
            right = _right(one.article.id, others, truth)
            if right is not None:
                yield record.decision.confidence, right


def binned(found: Sequence[Outcome]) -> dict[str, Any]:
    """Return the decisions of each bin, and the expected calibration error.

    Those without any link, which copies have, carry no confidence: they are apart.
    """
    unlinked = [right for confidence, right in found if confidence == 0]
    linked = [outcome for outcome in found if outcome[0] > 0]
    rows = []
    for low, high in pairwise(EDGES):
        inside = [o for o in linked if low <= o[0] < high or o[0] == high == 1]
        if inside:
            rows.append(
                {
                    "from": low,
                    "to": high,
                    "decisions": len(inside),
                    "confidence": round(fmean(o[0] for o in inside), DIGITS),
                    "right": round(fmean(o[1] for o in inside), DIGITS),
                }
            )
    gaps = [r["decisions"] * abs(r["confidence"] - r["right"]) for r in rows]
    return {
        "bins": rows,
        "decisions": len(found),
        "unlinked": len(unlinked),
        "unlinked_right": round(fmean(unlinked), DIGITS) if unlinked else None,
        "error": round(sum(gaps) / max(len(linked), 1), DIGITS),
    }


def _right(
    article: str, held: Sequence[str], truth: Mapping[str, str | None]
) -> bool | None:
    own = truth[article]
    others = Counter(
        true for each in held if each != article and (true := truth[each]) is not None
    )
    if own is None or not others:
        return None
    return others[own] == max(others.values())
