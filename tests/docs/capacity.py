"""What the benchmarks of scale say, as Markdown for the page on capacity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.docs.measured import FOLDER, grid, number, results, shown
from tests.docs.parts import link
from ustory_bench.report.blocks import Figure
from ustory_bench.scale.capacity import BUSY, Laws, rounded
from ustory_bench.scale.figures import figures
from ustory_bench.scale.runs import LAWS, MODES, RUNS
from ustory_bench.simulate.plan import VERSION

MODE_NAMES = {"links": "defaults", "paper": "`paper`, M = 8"}
_FILE = "scale.json"
_DECISION = "[decision 105](decisions/0105-simulated-news.md)"
_SCORES = ("f1", "precision", "recall")
_WORKERS = "executors.json"
_NOT_YET = "Not measured yet: `make bench-scale` does it."
_PER_DAY = (2_000, 6_400, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
_CORES, _CLUSTER = (2, 8, 32), (64, 256, 1024)
_MEMORY = (8, 64)
_OFTEN = {"daily": 1, "every 15 min": 96}
_GIB = 1024


def scale() -> dict[str, Any]:
    """Return what was measured of scale, nothing where nothing was."""
    if not (FOLDER / _FILE).exists():
        return {}
    found: dict[str, Any] = results(_FILE)
    return found


def scale_figures() -> list[Figure]:
    """Return the figures of what was measured."""
    return figures(scale())


def figure(page: Path, name: str) -> str:
    """Return one figure with its caption."""
    found = {each.id: each for each in scale_figures()}
    return shown(page, found[name]) if name in found else _NOT_YET


def windows(page: Path) -> str:
    """Return how a slide grows with the window, by step."""
    found = scale()
    if "laws" not in found:
        return _NOT_YET
    runs = [found[run.name] for run in LAWS]
    head = ["mode", *(f"{_window(run):,} articles" for run in runs), "power of W"]
    rows = []
    for mode, law in found["laws"]["modes"].items():
        seconds = [f"{number(value, 2)} s" for value in law["seconds"]]
        rows.append([MODE_NAMES[mode], *seconds, f"**{number(law['exponent'], 2)}**"])
        for step, power in law["steps"].items():
            times = [f"{run['modes'][mode]['steps'][step]:.2f} s" for run in runs]
            rows.append([f"– {step}", *times, number(power, 2)])
    prepared = runs[-1]["preparing"]["articles_per_cpu_second"]
    return (
        f"{_told(page, runs[-1])}\n\n{grid(head, rows)}\n\nText and encoding "
        f"cost one more core-second per {prepared:.0f} articles."
    )


def million(page: Path) -> str:
    """Return what the large run took, beside the small one."""
    found = scale()
    if "million" not in found:
        return _NOT_YET
    large = found["million"]
    head = [
        "mode",
        "seconds a slide",
        "window, most articles",
        "most memory in a slide",
        "with the state written",
        "last third over second week",
    ]
    rows = []
    for mode, each in large["modes"].items():
        rows.append(
            [
                MODE_NAMES[mode],
                number(each["slide_seconds"], 1),
                f"{max(each['windows']):,}",
                f"{each['peak_mib'] / _GIB:.2f} GiB",
                f"{each['peak_with_checkpoints_mib'] / _GIB:.2f} GiB",
                number(each["growth"], 2),
            ]
        )
    return (
        f"{_told(page, large)} The run has {large['articles']:,} articles of "
        f"{large['stories']:,} stories in {large['days']} days, {large['sentences']} "
        f"sentences each, and took {large['seconds'] / 60:.0f} minutes for both modes "
        "together, which took turns while another process prepared articles; all "
        f"processes held {large['peak_all_mib'] / _GIB:.1f} GiB at most."
        f"\n\n{grid(head, rows)}\n\nMemory is that of the engine's process, with the "
        "state written to a file in between."
    )


def quality(page: Path) -> str:
    """Return how good the stories of each run are, and of which simulator it was."""
    found = scale()
    runs = [found[name] for name in RUNS if "simulator" in found.get(name, {})]
    old = [run for run in RUNS.values() if _before(found.get(run.name, {}))]
    head = ["articles", "days", "mode", "B³-F1", "P", "R", "stories", "in no story"]
    rows = [
        [
            f"{run['articles']:,}",
            str(run["days"]),
            MODE_NAMES[mode],
            *(number(each["whole_stream"][f"bcubed_{one}"]) for one in _SCORES),
            f"{each['whole_stream']['found']:,} of {run['stories']:,}",
            f"{each['whole_stream']['unassigned']:,}",
        ]
        for run in sorted(runs, key=lambda run: run["articles"])
        for mode, each in run["modes"].items()
    ]
    told = [grid(head, rows)] if rows else [_NOT_YET]
    busy = [f"{run['articles']:,}" for run in runs if "note" in run]
    if busy:
        told.append(
            f"The run of {' and '.join(busy)} articles shared its machine with other "
            "work: its scores are as good as any, its times are not shown."
        )
    if old:
        each = "; ".join(
            f"{found[run.name]['articles']:,} in {run.days} days "
            + ", ".join(
                f"{number(one['whole_stream']['bcubed_f1'], 3)} ({MODE_NAMES[mode]})"
                for mode, one in found[run.name]["modes"].items()
            )
            for run in old
        )
        told.append(
            f"**Not measured anew**: {each}. These scores are of the simulator before "
            f"{_DECISION}, whose stories had too few words in common, and say nothing "
            "of news. Times and memory above are of the same runs."
        )
    return "\n\n".join(told)


def _before(run: dict[str, Any]) -> bool:
    """Return whether a run was on streams of an earlier simulator."""
    return "modes" in run and run.get("simulator", 1) < VERSION


def one_machine(page: Path, mode: str) -> str:
    """Return what articles a day take of one machine."""
    return _table(mode, _CORES)


def cluster(page: Path, mode: str) -> str:
    """Return what articles a day take of a cluster, driver and workers together."""
    return _table(mode, _CLUSTER)


def reach(page: Path) -> str:
    """Return the most that memory and cores bear."""
    lines = []
    for mode in MODES:
        laws = Laws.of(scale(), mode)
        if laws is None:
            return _NOT_YET
        fits = " and ".join(
            f"{gib} GiB a window of {rounded(laws.by_memory(gib)):,} articles a day"
            for gib in _MEMORY
        )
        moved = ", ".join(
            f"{rounded(laws.by_time(_CORES[0], slides)):,} moved {often}"
            for often, slides in _often(laws).items()
        )
        lines.append(
            f"- {MODE_NAMES[mode]}: {1024 * laws.mib_per_article:.0f} KiB an article "
            f"of the window, so that {fits} fit; in half a day of work, {_CORES[0]} "
            f"cores bear {moved}. {_parts(laws)}"
        )
    return "\n".join(lines)


def soak(page: Path) -> str:
    """Return the bounds of the soak, and how far it came."""
    found = scale().get("soak")
    if found is None:
        return _NOT_YET
    rows = [
        [
            each["what"],
            each["words"],
            number(each["measured"], 2),
            f"{each['allowed']:g}",
        ]
        for each in found["bounds"]
    ]
    whole = "none" if not found["wrong"] else "; ".join(found["wrong"])
    return (
        f"{_told(page, found)} {found['slides']:,} slides of {found['slide']}, "
        f"{found['per_day']:,} articles on a usual day, {found['restarts']} restarts, "
        f"{len(found['bursts'])} bursts, {len(found['silent'])} silent days; texts are "
        f"kept for {found['keep_texts']}, articles for {found['keep']}. Faults that "
        f"`ustory db check` finds afterwards: {whole}."
        f"\n\n{grid(['what', 'is', 'measured', 'allowed'], rows)}"
    )


def _table(mode: str, cores: Sequence[int]) -> str:
    laws = Laws.of(scale(), mode)
    if laws is None:
        return _NOT_YET
    often_moved = _often(laws)
    head = [
        "articles a day",
        "memory",
        *(f"{count} cores, {often}" for often in often_moved for count in cores),
    ]
    rows = []
    for per_day in _PER_DAY:
        hours = [
            laws.busy(per_day, count, slides) / 3600
            for slides in often_moved.values()
            for count in cores
        ]
        row = [f"{per_day:,}", f"{laws.gib(per_day):.1f} GiB", *map(_hours, hours)]
        measured = cores is _CORES and 7 * per_day <= laws.largest
        rows.append([f"**{row[0]}**", f"**{row[1]}**", *row[2:]] if measured else row)
    return f"Work of a day, {MODE_NAMES[mode]}:\n\n{grid(head, rows)}"


def _often(laws: Laws) -> dict[str, int]:
    """Return how often a window may be moved: daily alone, where nobody measured."""
    known = laws.by_itself is not None
    return {often: slides for often, slides in _OFTEN.items() if known or slides == 1}


def _parts(laws: Laws) -> str:
    shared = f"workers share {100 * laws.sharded:.0f} % of a slide"
    if laws.by_itself is None:
        return f"{shared[0].upper()}{shared[1:]}."
    return (
        f"However few articles arrive, a slide takes {100 * laws.by_itself:.0f} % of "
        f"what one of a day takes; {shared}."
    )


def _hours(hours: float) -> str:
    """Return how long work takes, a dash where it is too much."""
    if hours > 24 * BUSY:
        return "–"
    return f"{hours:.1f} h" if hours >= 1 else f"{max(60 * hours, 1):.0f} min"


def _window(run: dict[str, Any]) -> int:
    return int(max(each["window"] for each in run["modes"].values()))


def _told(page: Path, run: dict[str, Any]) -> str:
    box = run["machine"]
    source = link(page, f"bench/results/{_FILE}")
    return f"On {box['processor']}, {box['cores']} cores, from {source}."


def workers(page: Path) -> str:
    """Return what a second worker brings to the work of one large slide."""
    if not (FOLDER / _WORKERS).exists():
        return "Not measured yet: `python -m ustory_bench.scale.executors` does it."
    found = results(_WORKERS)
    rows = [
        [
            f"{MODE_NAMES[mode].partition(',')[0]}: {what}",
            name,
            f"{times['one_worker_seconds']:.2f} s",
            f"{times['two_workers_seconds']:.2f} s",
            f"**{times['ratio']:.2f}**",
        ]
        for mode, tasks in found["modes"].items()
        for what, task in tasks.items()
        for name, times in task.items()
        if isinstance(times, dict)
    ]
    box, source = found["machine"], link(page, f"bench/results/{_WORKERS}")
    return (
        f"On {box['processor']}, {box['cores']} cores, the largest slide of "
        f"{found['articles']:,} articles in {found['days']} days, from {source}:\n\n"
        f"{grid(['work', 'executor', 'one worker', 'two', 'times as fast'], rows)}"
    )


PARTS: dict[str, Callable[..., str]] = {
    "scale-figure": figure,
    "scale-windows": windows,
    "scale-million": million,
    "scale-quality": quality,
    "scale-soak": soak,
    "scale-workers": workers,
    "capacity-machine": one_machine,
    "capacity-cluster": cluster,
    "capacity-reach": reach,
}
