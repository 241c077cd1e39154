"""The worst stories of a stream, with the causes that a reader found."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console

from ustory.engine.online import Engine
from ustory_bench.quality.ablation_scores import DIGITS
from ustory_bench.quality.runs import Runs
from ustory_bench.quality.streams import ELSEWHERE, SETTINGS, parts
from ustory_bench.runner.follow import follow
from ustory_bench.runner.streams import Stream

WORST = 20
CAUSES = Path(__file__).with_name("causes.json")
"""By stream and true story: why it went wrong, in a few words."""


def errors(streams: Sequence[Stream], runs: Runs, console: Console) -> dict[str, Any]:
    """Return the worst true stories of the streams that are not simulated."""
    causes = json.loads(CAUSES.read_text("utf-8")) if CAUSES.exists() else {}
    found = {}
    for stream in streams:
        if stream.name in ELSEWHERE:
            with console.status(f"worst stories of {stream.name}"):
                found[stream.name] = worst(stream, causes.get(stream.name, {}))
    return found


def worst(stream: Stream, causes: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the stories whose articles score lowest, by the last story of each."""
    last = settled(stream)
    each = article_scores(stream.truth, last)
    members: defaultdict[str, list[str]] = defaultdict(list)
    for article in each:
        members[str(stream.truth[article])].append(article)
    means = {
        story: [fmean(each[a][i] for a in held) for i in range(3)]
        for story, held in members.items()
    }
    order = sorted(means, key=lambda story: (means[story][2], story))[:WORST]
    return [
        {
            "story": story,
            "articles": len(members[story]),
            "precision": round(means[story][0], DIGITS),
            "recall": round(means[story][1], DIGITS),
            "f1": round(means[story][2], DIGITS),
            "pieces": len({last[a] or a for a in members[story]}),
            "cause": causes.get(story, "not read"),
        }
        for story in order
    ]


def settled(stream: Stream) -> dict[str, str | None]:
    """Return the last story of each article."""
    last: dict[str, str | None] = {}
    for after in follow(Engine(SETTINGS, parts()[1]), stream.articles, SETTINGS):
        last.update(after.stories)
    return last


def article_scores(
    truth: Mapping[str, str | None], last: Mapping[str, str | None]
) -> dict[str, tuple[float, float, float]]:
    """Return B3 precision, recall and F1 of each labelled article.

    An unassigned article is a story of its own.
    """
    labelled = {a: s for a, s in truth.items() if s is not None}
    put = {a: last.get(a) or f"alone {a}" for a in labelled}
    found, true = Counter(put.values()), Counter(labelled.values())
    both = Counter((put[a], labelled[a]) for a in labelled)
    scores = {}
    for article, story in labelled.items():
        same = both[put[article], story]
        precision, recall = same / found[put[article]], same / true[story]
        f1 = 2 * precision * recall / (precision + recall)
        scores[article] = (precision, recall, f1)
    return scores
