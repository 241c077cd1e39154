"""The default mode beside the best rivals: by stream, by window, by slide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from tests.docs.measured import grid, number, results
from tests.docs.mode_runs import difference
from tests.docs.parts import link
from ustory_bench.experiments.kinds import OTHER, VARIANT, WORDS
from ustory_bench.experiments.stream_windows import window_of
from ustory_bench.experiments.table_rows import DEFAULT
from ustory_bench.runner.jobs import OK

MODE = "ustory-links"
_PARTS = ("windowed", "whole_stream")
_SLIDES = ("1d", "1h", "15m")


def best_rivals(page: Path) -> str:
    """Return the mode beside each stream's own best rival, windowed and whole."""
    rows = []
    for stream in _streams():
        row = [f"`{stream}`", window_of(_table2(), stream)]
        for part in _PARTS:
            name, best = _best(stream, part)
            row += [number(_ours(stream)[part]), f"{number(best[part])} (`{name}`)"]
            row.append(_lead(stream) if part == _PARTS[0] else _less(stream, part))
        rows.append(row)
    rows.append(_mean_row())
    head = ["", "W", "windowed B³-F1", "best rival", "less the rival's"]
    head += ["whole stream B³-F1", "best rival", "less the rival's"]
    return f"{grid(head, rows)}\n\n{_told()}"


def leader(page: Path) -> str:
    """Return the same over windows alone, for those in a hurry."""
    rows = []
    for stream in _streams():
        name, best = _best(stream, _PARTS[0])
        scores = _ours(stream)[_PARTS[0]], _scores(stream)["ustory-auto"][_PARTS[0]]
        ours, auto = map(number, scores)
        rival = f"{number(best[_PARTS[0]])}, `{name}`"
        rows.append([f"`{stream}`", ours, rival, _lead(stream), auto])
    _, _, *means = _mean_row()
    autos = (_scores(each)["ustory-auto"][_PARTS[0]] for each in _streams())
    rows.append(["mean", *means[:3], number(fmean(autos))])
    head = ["B³-F1 over windows", "`Settings()`", f"best of {_rival_count()} rivals"]
    return grid([*head, "difference", "`ustory-auto`"], rows)


def window_sizes(page: Path) -> str:
    """Return the mode beside the best rival in windows of several sizes."""
    found = results("windows.json")
    rows = []
    for size, streams in found["sizes"].items():
        for stream, each in streams.items():
            ours, best = each["scores"][found["mode"]], each["best"]
            row = [f"{size}, `{stream}`"]
            for part, less in zip(_PARTS, (each["less"], None), strict=True):
                rival = each["scores"][best[part]][part]
                row += [number(ours[part]), f"{number(rival)} (`{best[part]}`)"]
                row.append(
                    difference(less) if less else f"{each['less_whole_stream']:+.3f}"
                )
            rows.append(row)
    head = ["W", "windowed B³-F1", "best rival", "less the rival's"]
    head += ["whole stream B³-F1", "best rival", "less the rival's"]
    rivals = ", ".join(f"`{name}`" for name in found["rivals"])
    where = link(page, "bench/results/windows.json")
    return (
        f"{grid(head, rows)}\n\nRivals: {rivals}, at their defaults; slides of "
        f"{found['slide']}. {' '.join(_by_size(found))} From {where}, which "
        "`python -m ustory_bench.quality.window_sizes` writes."
    )


def slide_sizes(page: Path) -> str:
    """Return what smaller slides do to the scores of each labelled stream."""
    rows, worst = [], dict.fromkeys(_PARTS, 0.0)
    for stream, each in results("ablations.json")["slides"].items():
        if stream not in _streams():
            continue
        row = [f"`{stream}`"]
        for part in _PARTS:
            first = each["sizes"][_SLIDES[0]][part]["bcubed_f1"]
            row.append(number(first))
            for size in _SLIDES[1:]:
                less = each["sizes"][size][part]["bcubed_f1"] - first
                worst[part] = min(worst[part], less)
                row.append(f"{less:+.3f}")
        rows.append(row)
    heads = [f"{part}, S = 1d" for part in ("windowed", "whole stream")]
    head = [name for part in heads for name in (part, "more at 1h", "at 15m")]
    told = " and ".join(
        f"{-loss:.3f} {'windowed' if part == _PARTS[0] else 'over the whole stream'}"
        for part, loss in worst.items()
    )
    return f"{grid(['B³-F1', *head], rows)}\n\nThe most that is lost: {told}."


def _streams() -> list[str]:
    found: list[str] = results()["plan"]["streams"]
    return found


def _table2() -> Mapping[str, Any]:
    found: Mapping[str, Any] = results()["experiments"]["table2"]
    return found


def _lines() -> Iterator[tuple[int, str, str]]:
    """Yield place, system and kind of what was run at its defaults."""
    for place, line in enumerate(_table2()["lines"]):
        main = line["encoder"] == _table2()["encoders"][0]
        if line["setting"] == DEFAULT and main:
            yield place, line["system"], line["kind"]


def _scores(stream: str, *kinds: str) -> dict[str, dict[str, float]]:
    """Return the scores of the systems of some kinds that have a result; of all."""
    entries = _table2()["streams"][stream]
    return {
        system: {
            part: entries[place]["scores"]["singleton"][part]["bcubed_f1"]["mean"]
            for part in _PARTS
        }
        for place, system, kind in _lines()
        if entries[place]["status"] == OK and (not kinds or kind in kinds)
    }


def _ours(stream: str) -> dict[str, float]:
    return _scores(stream)[MODE]


def _best(stream: str, part: str) -> tuple[str, dict[str, float]]:
    rivals = _scores(stream, WORDS, OTHER, VARIANT)
    name = max(rivals, key=lambda each: rivals[each][part])
    return name, rivals[name]


def _rival_count() -> int:
    return sum(kind in (WORDS, OTHER, VARIANT) for _, _, kind in _lines())


def _lead_of(stream: str) -> Mapping[str, Any]:
    place = next(place for place, system, _ in _lines() if system == MODE)
    entry = _table2()["streams"][stream][place]
    found: Mapping[str, Any] = entry["lead"]["singleton"]
    assert found["rival"] == _best(stream, _PARTS[0])[0]
    return found


def _lead(stream: str) -> str:
    found = _lead_of(stream)
    return difference({"mean": found["difference"], "interval": found["interval"]})


def _less(stream: str, part: str) -> str:
    return f"{_ours(stream)[part] - _best(stream, part)[1][part]:+.3f}"


def _mean_row() -> list[str]:
    row = ["mean", ""]
    for part in _PARTS:
        ours = fmean(_ours(stream)[part] for stream in _streams())
        best = fmean(_best(stream, part)[1][part] for stream in _streams())
        row += [number(ours), number(best), f"{ours - best:+.3f}"]
    return row


def _told() -> str:
    """Return where the mode is above its best rival."""
    sides = _sides({stream: _lead_of(stream)["interval"] for stream in _streams()})
    return (
        f"Over windows the mode is {sides}. The best rival was picked afterwards, on "
        "each stream and for each column, by these very labels."
    )


def _by_size(found: Mapping[str, Any]) -> Iterator[str]:
    for size, streams in found["sizes"].items():
        ends = {name: each["less"]["interval"] for name, each in streams.items()}
        sides = _sides(ends)
        mean = fmean(each["less"]["mean"] for each in streams.values())
        yield f"In windows of {size} the mode is {sides}; the mean is {mean:+.3f}."


def _sides(intervals: Mapping[str, Sequence[float] | None]) -> str:
    kinds: dict[str, list[str]] = {
        "above its best rival, beyond the interval, on": [],
        "level with it, 0 being in the interval, on": [],
        "below it, beyond the interval, on": [],
        "without an interval, as windows are few, on": [],
    }
    above, level, below, few = kinds.values()
    for name, ends in intervals.items():
        if ends is None:
            side = few
        elif ends[0] > 0:
            side = above
        else:
            side = below if ends[1] < 0 else level
        side.append(f"`{name}`")
    told = (f"{side} {', '.join(names)}" for side, names in kinds.items() if names)
    return "; ".join(told)


PARTS = {
    "best-rivals": best_rivals,
    "leader": leader,
    "window-sizes": window_sizes,
    "slide-sizes": slide_sizes,
}
