"""Table 2: how well each system finds the stories, and what our method adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ustory.scores.agreement import PROTOCOLS
from ustory_bench.experiments.kinds import OTHER, OURS, VARIANT, WORDS
from ustory_bench.experiments.ranking import (
    Standing,
    better_than_all,
    improvement,
    lead,
    standing,
)
from ustory_bench.experiments.stream_windows import spans_of
from ustory_bench.experiments.sweeps import block_of
from ustory_bench.experiments.table2_page import section_of
from ustory_bench.experiments.table_rows import (
    Ended,
    Line,
    ended,
    floor_lines_of,
    jobs_of,
    lines_of,
    same_encoder,
    told_failures,
    tuned_lines_of,
)
from ustory_bench.report.blocks import Section
from ustory_bench.runner.jobs import BenchPlan, Cell, Job, Plain
from ustory_bench.runner.scoring import METRICS, PARTS
from ustory_bench.runner.tuning import OBJECTIVE


class Table2:
    """All systems on all streams, under both protocols, as the paper's Table 2."""

    name = "table2"
    title = "Story discovery accuracy"
    paper = "Table 2"

    def jobs(self, plan: BenchPlan) -> Sequence[Job]:
        """Return each system on each stream, with each encoder it depends on."""
        return jobs_of(_lines(plan), plan)

    def gather(self, plan: BenchPlan, cells: Sequence[Cell]) -> dict[str, Plain]:
        """Return scores, intervals, marks, improvements, time and memory."""
        found = ended(_lines(plan), plan, cells)
        streams = {
            stream: _on_stream(
                [e for e in found if e.stream == stream],
                block_of(plan.settings_for(stream)),
            )
            for stream in plan.streams
        }
        return {
            **spans_of(plan),
            "encoders": list(plan.encoders),
            "seeds": plan.seeds,
            "objective": OBJECTIVE if plan.tuned else None,
            "tuned": {stream: dict(each) for stream, each in plan.tuned.items()},
            "lines": [_plain(line) for line in _lines(plan)],
            "streams": streams,
            "faults": told_failures(found),
        }

    def section(self, data: Mapping[str, Plain]) -> Section:
        """Return the tables, one for each protocol and way to score."""
        return section_of(self.name, self.title, self.paper, data)


TABLE2 = Table2()


def _lines(plan: BenchPlan) -> list[Line]:
    return [*lines_of(plan), *tuned_lines_of(plan), *floor_lines_of(plan)]


def _plain(line: Line) -> dict[str, str]:
    return {
        "system": line.system,
        "encoder": line.encoder,
        "kind": line.kind,
        "setting": line.setting,
    }


def _on_stream(found: Sequence[Ended], block: int) -> list[Plain]:
    """Return an entry for each line, in their order."""
    entries = [_entry(each) for each in found]
    whole = [place for place, each in enumerate(found) if each.failure is None]
    for protocol in PROTOCOLS:
        stands = {place: standing(found[place], protocol) for place in whole}
        for place, ours in stands.items():
            others = _compared(ours, list(stands.values()))
            entries[place]["scores"][protocol] = _scores(ours, others, block)
            if ours.line.kind == OURS:
                entries[place]["lead"][protocol] = lead(ours, others, block)
    return entries


def _entry(each: Ended) -> dict[str, Plain]:
    """Return what does not depend on the protocol."""
    failed = each.failure
    if failed is not None:
        return {"status": failed.status, "reason": failed.reason}
    first = each.cells[0].result
    seconds = [cell.result["seconds"] for cell in each.cells]
    return {
        "status": "ok",
        "parameters": first["parameters"],
        "windows": len(first["windows"][PROTOCOLS[0]][METRICS[0]]),
        "full_windows": first["full_windows"],
        "seeds": len(each.cells),
        "slides": first["slides"],
        "seconds": round(sum(seconds) / len(seconds), 3),
        "longest": first["longest"],
        "peak_mib": max(cell.peak_mib for cell in each.cells),
        "scores": {},
        "lead": {},
    }


def _compared(ours: Standing, others: Sequence[Standing]) -> list[Standing]:
    """Return the baselines and variants that a line is held against."""
    windows = len(ours.windows[METRICS[0]])
    return [
        other
        for other in others
        if other.line.kind in (WORDS, OTHER, VARIANT)
        and same_encoder(ours.line, other.line)
        and len(other.windows[METRICS[0]]) == windows
    ]


def _scores(ours: Standing, others: Sequence[Standing], block: int) -> Plain:
    """Return the scores of a line by part and metric; marks for our own."""
    found: dict[str, dict[str, Plain]] = {part: {} for part in PARTS}
    for (part, metric), mean in ours.means.items():
        score: dict[str, Plain] = {"mean": mean}
        if (part, metric) in ours.spreads:
            score["spread"] = ours.spreads[part, metric]
        if part == PARTS[0]:
            score["interval"] = ours.interval(metric, block)
        if ours.line.kind == OURS:
            score |= _against(ours, others, part, metric)
        found[part][metric] = score
    return found


def _against(
    ours: Standing, others: Sequence[Standing], part: str, metric: str
) -> dict[str, Plain]:
    baselines = [other for other in others if other.line.kind != VARIANT]
    variants = [other for other in others if other.line.kind == VARIANT]
    star = part == PARTS[0] and better_than_all(ours, others, metric)
    return {
        "star": star,
        "over_baselines": improvement(ours, baselines, part, metric),
        "over_variants": improvement(ours, variants, part, metric),
    }
