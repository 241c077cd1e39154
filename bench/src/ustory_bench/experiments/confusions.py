"""What the report shows of confusable stories: panels and a table, by system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ustory_bench.experiments.pictures import label, panels, points, shortened
from ustory_bench.experiments.run_ustory import OURS
from ustory_bench.report.blocks import Figure, Table, TableRow, Value
from ustory_bench.runner.jobs import Plain

PANELS = 4
"""Systems shown: ours, and the best of the others."""
COLOURS = 8
"""Found stories told apart by colour in a panel; the rest share the last one."""


def _shown(systems: Mapping[str, Plain]) -> list[str]:
    """Return ours, then the best of the others over all days that were read."""
    done = _done(systems)
    rest = sorted(
        (name for name in done if name != OURS),
        key=lambda name: -done[name]["bcubed_f1"],
    )
    return [*(name for name in done if name == OURS), *rest][:PANELS]


def _done(systems: Mapping[str, Plain]) -> dict[str, Plain]:
    return {name: found for name, found in systems.items() if found is not None}


def _drawn(each: Plain) -> int:
    """Return the pair on which the systems differ most; the more similar of two."""
    done = _done(each["systems"]).values()
    scores = [
        [found["pairs"][number]["bcubed_f1"] for found in done]
        for number in range(len(each["pairs"]))
    ]
    spread = [max(found) - min(found) if found else 0.0 for found in scores]
    return spread.index(max(spread))


def mixed_up(true: Sequence[int], found: Sequence[str | None]) -> int:
    """Return how many articles share a found story in which most are of the other.

    >>> mixed_up([0, 0, 0, 1, 1], ["a", "a", "b", "a", None])
    1
    """
    sides: dict[str, Counter[int]] = {}
    for side, story in zip(true, found, strict=True):
        if story is not None:
            sides.setdefault(story, Counter())[side] += 1
    return sum(min(count[0], count[1]) for count in sides.values())


def finding(each: Plain) -> str:
    """Return which systems keep the drawn pair apart, in a sentence."""
    done, number = _done(each["systems"]), _drawn(each)
    pair = each["pairs"][number]
    clean = [
        name
        for name, found in done.items()
        if not mixed_up(pair["true"], found["pairs"][number]["found"])
    ]
    return (
        f"On {each['stream']} the pair drawn is {pair['story']} and "
        f"{pair['neighbour']} (mean cosine {pair['similarity']:.2f}); {len(clean)} of "
        f"{len(done)} systems mix up none of its articles"
        + (f": {', '.join(clean)}." if clean else ".")
    )


def panels_of(each: Plain) -> Figure | None:
    """Return a panel for each system shown; None where no system has a result."""
    shown = _shown(each["systems"])
    if not shown:
        return None
    number = _drawn(each)
    pair = each["pairs"][number]
    traces: list[dict[str, Any]] = []
    for panel, system in enumerate(shown):
        found = each["systems"][system]["pairs"][number]["found"]
        traces += _panel(pair, found, panel)
    one, other = (
        f"{name} (“{shortened(title, 60)}”)"
        for name, title in zip(
            (pair["story"], pair["neighbour"]), pair["titles"], strict=True
        )
    )
    return Figure(
        id=f"neighbours-{each['stream']}",
        title=f"Two neighbouring stories of {each['stream']}, by system",
        caption=(
            f"Articles of {one}, circles, and {other}, stars, in two dimensions by "
            "their plain sentence means (the same places in all panels; distances have "
            "no unit), coloured by the story that the system found; open symbols are "
            f"unassigned. Encoder {each['encoder']}. Panels: {OURS}, if it was asked "
            "for, and the best of the others by B³-F1 over all the days read."
        ),
        traces=traces,
        layout={**panels(list(shown), same_places=True), "showlegend": False},
        alt=finding(each),
        height=300 * -(-len(shown) // 2) + 60,
    )


def _panel(
    pair: Plain, found: Sequence[str | None], panel: int
) -> list[dict[str, Any]]:
    """Return one trace for each found story and true story; unassigned ones last."""
    sizes = Counter(story for story in found if story is not None)
    ranked = sorted(sizes, key=lambda story: (-sizes[story], story))
    colour = {story: min(i, COLOURS - 1) for i, story in enumerate(ranked)}
    traces = []
    for story in [*ranked, None]:
        for side, name in enumerate((pair["story"], pair["neighbour"])):
            keep = [
                i
                for i, (true, got) in enumerate(zip(pair["true"], found, strict=True))
                if true == side and got == story
            ]
            if not keep:
                continue
            said = "unassigned" if story is None else f"found story {story}"
            trace = points(
                [pair["places"][i] for i in keep],
                [f"{pair['texts'][i]}<br>{said}" for i in keep],
                f"{label(name, 40)}, {said}",
                0 if story is None else colour[story],
                panel,
            )
            open_ = "-open" if story is None else ""
            symbol = "circle" if side == 0 else "star"
            traces.append({**trace, "marker": {"symbol": symbol + open_, "size": 10}})
    return traces


def table_of(each: Plain) -> Table:
    """Return how each system did on each pair."""
    pairs, done = each["pairs"], _done(each["systems"])
    tops = [_top(done.values(), number) for number in range(len(pairs))]
    named = "; ".join(
        f"{number}: {pair['story']} and {pair['neighbour']}, "
        f"{len(pair['true'])} articles, mean cosine {pair['similarity']:.2f}"
        for number, pair in enumerate(pairs, 1)
    )
    return Table(
        id=f"neighbours-{each['stream']}-systems",
        title=f"The most confusable pairs of {each['stream']}, by system",
        columns=(
            *(f"pair {number}" for number in range(1, len(pairs) + 1)),
            *("mixed up", "unassigned", "strangers"),
        ),
        rows=[
            _row(name, found, pairs, tops) for name, found in each["systems"].items()
        ],
        groups=[("B³-F1", len(pairs)), ("articles, all pairs", 3)],
        note=(
            f"B³-F1 among the articles of a pair, protocol singleton. {named}. Mixed "
            "up: articles in a found story in which more are of the other true story "
            "of their pair. Strangers: articles of any other story in the found "
            "stories of a pair."
        ),
    )


def _top(systems: Iterable[Plain], number: int) -> float | None:
    """Return the best score on a pair, None where all have the same."""
    scores = [found["pairs"][number]["bcubed_f1"] for found in systems]
    return max(scores) if len(set(scores)) > 1 else None


def _row(
    name: str, found: Plain, pairs: Sequence[Plain], tops: Sequence[float | None]
) -> TableRow:
    if found is None:
        return TableRow(name=name, cells=[Value(value=None)] * (len(pairs) + 3))
    told = found["pairs"]
    scores = [one["bcubed_f1"] for one in told]
    mixed = [
        mixed_up(pair["true"], one["found"])
        for pair, one in zip(pairs, told, strict=True)
    ]
    return TableRow(
        name=name,
        cells=[
            *(
                Value(value=score, best=score == top)
                for score, top in zip(scores, tops, strict=True)
            ),
            Value(value=sum(mixed)),
            Value(value=sum(one["found"].count(None) for one in told)),
            Value(value=sum(one["strangers"] for one in told)),
        ],
    )
