"""The results of a comparison as a page of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ustory_bench.runner.scoring import objective

_METRICS = {"bcubed_f1": "B³-F1", "ami": "AMI", "ari": "ARI"}
_PARTS = {"windowed": "windowed", "whole_stream": "whole stream"}
_IDENTITY = {
    "continuity_switches_per_story": "id switches a story",
    "continuity_unswitched": "never switch",
    "continuity_fragments_per_story": "fragments a story",
    "continuity_in_one_piece": "in one piece",
    "detection_share": "detected",
    "detection_by_second_article": "by the 2nd article",
    "detection_mean_articles": "articles until",
    "detection_mean_hours": "hours until",
    "arrival_bcubed_f1": "B³-F1 on arrival",
    "settled_bcubed_f1": "settled",
}


def page(results: Mapping[str, Any]) -> str:
    """Return the page in Markdown; every number is in the results beside it."""
    return "\n".join(_lines(results))


def _lines(results: Mapping[str, Any]) -> Iterator[str]:
    settings, protocol = results["settings"], results["protocol"]
    yield "# Rivals"
    yield ""
    yield (
        "Written by `python -m ustory_bench.quality.rivals` from `rivals.json`. "
        f"Windows of {settings['window']} that slide by {settings['slide']}, encoder "
        f"`{settings['encoder']}`, protocol `{protocol}`. Δ is windowed B³-F1 less "
        f"that of `{results['against']}`, with the 95 % interval of a bootstrap over "
        "blocks of windows. Seconds are of the method alone, text and encoding left "
        "out."
    )
    for stream, about in results["streams"].items():
        yield ""
        yield f"## {stream}"
        yield ""
        yield f"{about['articles']} articles, {about['stories']} stories."
        yield from _section("At the defaults", results["default"].get(stream, {}))
        if "tuned" in results:
            yield from _section("Tuned on the others", results["tuned"].get(stream, {}))
            yield from _chosen(results["tuned"].get(stream, {}))
    yield from _failed(results["failed"])
    yield ""


def _section(title: str, cells: Mapping[str, Any]) -> Iterator[str]:
    ranked = dict(sorted(cells.items(), key=lambda pair: -_worth(pair[1])))
    yield from ("", f"### {title}", "")
    heads = [f"{part} {name}" for part in _PARTS.values() for name in _METRICS.values()]
    yield from _head(["system", *heads, "Δ", "seconds"])
    for system, cell in ranked.items():
        figures = cell["figures"]["singleton"]
        scores = [f"{figures[f'{p}_{m}']:.3f}" for p in _PARTS for m in _METRICS]
        seconds = f"{cell['seconds']['total']:.1f}"
        yield _row([system, *scores, _delta(cell.get("difference")), seconds])
    yield ""
    yield from _head(["system", *_IDENTITY.values()])
    for system, cell in ranked.items():
        yield _row([system, *(_number(cell["identity"][name]) for name in _IDENTITY)])


def _worth(cell: Mapping[str, Any]) -> float:
    return objective(cell["figures"]["singleton"])


def _chosen(cells: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parameters that the other streams chose."""
    yield ""
    yield from _head(["system", "parameters"])
    for system, cell in sorted(cells.items()):
        chosen = ", ".join(f"{k} = {v}" for k, v in cell["parameters"].items())
        yield _row([system, chosen or "none"])


def _failed(failed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not failed:
        return
    yield from ("", "## Not computed", "")
    yield from _head(["system", "stream", "parameters", "why"])
    for each in failed:
        chosen = ", ".join(f"{k} = {v}" for k, v in each.get("parameters", {}).items())
        yield _row([each["system"], each.get("stream", "all"), chosen, each["reason"]])


def _delta(difference: Mapping[str, float] | None) -> str:
    if difference is None:
        return "–"
    return (
        f"{difference['mean']:+.3f} "
        f"({difference['low']:+.3f} to {difference['high']:+.3f})"
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _head(names: Sequence[str]) -> Iterator[str]:
    yield _row(names)
    yield "|" + "---|" * len(names)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(each.replace("|", "/") for each in cells) + " |"
