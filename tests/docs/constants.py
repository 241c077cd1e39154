"""What each constant of mode links does, and which values other streams choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from tests.docs.measured import grid, number, results
from tests.docs.mode_runs import difference
from tests.docs.parts import link

FILE = "constants.json"
LEFT_OUT = "left-out.json"
_LITTLE = 0.005
"""A change of mean scores below which a constant hardly matters."""


def constants(page: Path) -> str:
    """Return a table for each module: how far scores go where a constant is moved."""
    found = results(FILE)
    by_module: dict[str, list[list[str]]] = {}
    for full, each in found["constants"].items():
        module, _, name = full.rpartition(".")
        rows = by_module.setdefault(module, [])
        for moved in each["moved"]:
            what = f"`{name}` {_value(each['value'])} → {_value(moved['value'])}"
            streams = [_pair(one) for one in moved["streams"].values()]
            rows.append([what, *streams, _mean(moved["streams"])])
    head = ["", *(f"`{name}`" for name in found["streams"]), "mean"]
    return "\n\n".join(
        f"**{link_to(page, module)}**\n\n{grid(head, rows)}"
        for module, rows in by_module.items()
    )


def link_to(page: Path, module: str) -> str:
    """Return a link to a module of `ustory.links`."""
    path = f"src/ustory/links/{module.replace('.', '/')}.py"
    return link(page, path, f"`{module}`")


def about(page: Path) -> str:
    """Return what was run, and which constants matter most and least."""
    found = results(FILE)
    box = found["machine"]
    streams = ", ".join(
        f"`{name}` (W = {each['window']}: {number(ours['windowed'])} / "
        f"{number(ours['whole_stream'])})"
        for (name, each), ours in zip(
            found["streams"].items(), found["ours"].values(), strict=True
        )
    )
    loss = {name: _loss(each) for name, each in found["constants"].items()}
    most = sorted(loss, key=lambda name: loss[name])[:5]
    little = [name for name in loss if _most(found["constants"][name]) < _LITTLE]
    better = [
        f"`{name}` = {_value(moved['value'])}"
        for name, each in found["constants"].items()
        for moved in each["moved"]
        if fmean(_change(one) for one in moved["streams"].values()) > _LITTLE
    ]
    told = [
        f"Streams, with the scores of the mode as it is: {streams}. Slides of "
        f"{found['slide']}, protocol `{found['protocol']}`. Measured on "
        f"{box['processor']}, {box['cores']} cores, Python {box['python']}; every "
        f"number is in {link(page, f'bench/results/{FILE}')}.",
        f"Most is lost, on average, by moving {_listed(most)}. Of {len(loss)} "
        f"constants {len(little)} move the mean by less than {_LITTLE:.3f} either way"
        + (f": {_listed(little)}." if little else "."),
    ]
    if better:
        told.append(f"The mean would rise by more than that at {', '.join(better)}.")
    return "\n\n".join(told)


def left_out(page: Path) -> str:
    """Return the values that the other streams choose, and how they do."""
    found = results(LEFT_OUT)
    rows, less = [], []
    for stream, each in found["left_out"].items():
        theirs, ours = each["theirs"], each["ours"]
        chosen = ", ".join(
            f"`{name.rpartition('.')[2]}` {_value(value)}"
            for name, value in each["chosen"].items()
        )
        rows.append(
            [
                f"`{stream}`",
                chosen or "–",
                f"{each['others_gain']:+.3f}",
                f"{number(ours['windowed'])} / {number(ours['whole_stream'])}",
                f"{number(theirs['windowed'])} / {number(theirs['whole_stream'])}",
                difference(theirs["less"]),
                f"{theirs['less_whole_stream']:+.3f}",
            ]
        )
        less.append((theirs["less"]["mean"], theirs["less_whole_stream"]))
    head = [
        "left out", "what the others change", "they gain", "as it is", "with these",
        "less, windowed", "less, whole stream",
    ]  # fmt: skip
    windowed, whole = (fmean(part) for part in zip(*less, strict=True))
    return (
        f"{grid(head, rows)}\n\nWindowed / whole-stream B³-F1; what the others gain is "
        "the mean of both. On average a stream "
        f"that had no say has {windowed:+.3f} / {whole:+.3f} against the values as "
        "they are, which all streams were looked at for. From "
        f"{link(page, f'bench/results/{LEFT_OUT}')}."
    )


def tried(page: Path) -> str:
    """Return the values that are chosen from."""
    found = results(LEFT_OUT)["tried"]
    return "; ".join(
        f"`{name}` {', '.join(map(_value, values))}" for name, values in found.items()
    )


def _pair(one: Mapping[str, Any]) -> str:
    """Return both changes; a star where the interval of the first leaves 0 out."""
    ends: Sequence[float] | None = one["less"]["interval"]
    sure = ends is not None and (ends[0] > 0 or ends[1] < 0)
    mark = "\\*" if sure else ""
    return f"{one['less']['mean']:+.3f}{mark} / {one['less_whole_stream']:+.3f}"


def _mean(streams: Mapping[str, Mapping[str, Any]]) -> str:
    windowed = fmean(one["less"]["mean"] for one in streams.values())
    whole = fmean(one["less_whole_stream"] for one in streams.values())
    return f"{windowed:+.3f} / {whole:+.3f}"


def _change(one: Mapping[str, Any]) -> float:
    return fmean((one["less"]["mean"], one["less_whole_stream"]))


def _loss(each: Mapping[str, Any]) -> float:
    """Return how far the mean score falls at most; above 0 where it only rises."""
    return min(
        fmean(_change(one) for one in moved["streams"].values())
        for moved in each["moved"]
    )


def _most(each: Mapping[str, Any]) -> float:
    return max(
        abs(fmean(_change(one) for one in moved["streams"].values()))
        for moved in each["moved"]
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _value(value: float) -> str:
    return f"{value:g}".replace("-", "−")


PARTS = {
    "constants": constants,
    "constants-about": about,
    "left-out": left_out,
    "left-out-tried": tried,
}
