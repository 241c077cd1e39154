"""`ustory bench`: the paper's whole evaluation on labelled streams, as a report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ustory.cli.console import format_option, remarks, results
from ustory.cli.interrupts import InterruptedRunError, Interrupts
from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.core.wording import many
from ustory.sources.records.problems import POLICIES
from ustory_bench.commands.bench_bars import bench_bars
from ustory_bench.experiments.bench import BenchRequest, run_bench
from ustory_bench.experiments.results import Measured

_USUAL = "7d"
"""Size of the window where none is given."""


@click.command()
@click.argument("files", metavar="STREAM...", nargs=-1, required=True)
@click.option(
    "--report",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Write the report here; what is finished stays in DIR/work.",
)
@click.option(
    "--systems", metavar="NAME,...", default="", help="Which to compare; all."
)
@click.option("--experiments", metavar="NAME,...", default="", help="Which to do; all.")
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    default=("wordllama",),
    show_default=True,
    metavar="NAME",
    help="See `ustory encoders`; may be repeated, the first is the main one.",
)
@click.option(
    "--tune",
    is_flag=True,
    help="Also tune each system: on the other streams, never on the reported one.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="K",
    help="Repeat systems that use the seed with seeds 0 to K-1.",
)
@click.option(
    "--again",
    metavar="NAME,...",
    default="",
    help="Systems to measure anew, because their code has changed.",
)
@click.option(
    "--window",
    "spans",
    multiple=True,
    default=(_USUAL,),
    show_default=True,
    metavar="[STREAM=]SPAN",
    help="Size of the window, of all streams or of one; may be repeated.",
)
@click.option("--slide", default="1d", show_default=True, help="How far it moves.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one for each core",
    metavar="N",
    help="Systems that run side by side, each in a process of its own.",
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="Time that one job may take.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    metavar="MIB",
    help="Memory that one job may take; no limit by default.",
)
@format_option
@click.option(
    "--on-error",
    type=click.Choice(POLICIES),
    default="stop",
    show_default=True,
    help="What to do with a bad record.",
)
@click.option(
    "--progress/--no-progress",
    default=None,
    help="Show a bar for each system on stderr; by default if it is a terminal.",
)
def bench(files: tuple[str, ...], progress: bool | None, **options: Any) -> None:  # noqa: ANN401 - click's
    """Compare systems on labelled STREAM..., with every table and figure of the paper.

    DIR gets report.html, results.json, results.csv, tables.md and LaTeX tables. An
    interrupted bench goes on where it stopped when it is called again. A system that
    fails is a row that says so.
    """
    window, windows = _windows(options["spans"])
    asked = BenchRequest(
        files=files,
        folder=options["folder"],
        systems=_names(options["systems"]),
        again=_names(options["again"]),
        experiments=_names(options["experiments"]),
        encoders=options["encoders"],
        settings=Settings(mode="paper").with_(
            {
                "window": window,
                "slide": options["slide"],
                "encoder": options["encoders"][0],
            }
        ),
        windows=windows,
        **{name: options[name] for name in ("seeds", "tune", "workers", "limit")},
        **{name: options[name] for name in ("memory", "read_as", "on_error")},
    )
    _tell(_run(asked, progress), asked.folder)


def _run(asked: BenchRequest, progress: bool | None) -> Measured:
    try:
        with Interrupts(), bench_bars(progress) as bars:
            return run_bench(asked, bars)
    except InterruptedRunError as error:
        raise InterruptedRunError(
            error.signal_number,
            f"interrupted; what is finished is in {asked.folder / 'work'}: run the "
            "same command again to go on from there",
        ) from None


def _tell(measured: Measured, folder: Path) -> None:
    results().print(folder / "report.html", soft_wrap=True)
    reasons: dict[str, list[str]] = {}
    for cell in measured.failed:
        what = f"{cell.job.system} on {cell.job.stream}"
        reasons.setdefault(cell.reason, []).append(what)
    for reason, where in reasons.items():
        first, *others = dict.fromkeys(where)
        more = f" and {many(len(others), 'other', 'others')}" if others else ""
        remarks().print(f"not measured: {first}{more}: {reason}", soft_wrap=True)


def _windows(spans: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the window of all streams, and those of streams that are named."""
    usual: list[str] = []
    own: dict[str, str] = {}
    for text in spans:
        name, named, span = text.rpartition("=")
        if not named:
            usual.append(span)
        elif name in own:
            raise ConfigError(f"two windows are given for {name!r}; give one")
        else:
            own[name] = span
    if len(usual) > 1:
        raise ConfigError(
            f"two windows are given for all streams, {usual[0]} and {usual[1]}; give "
            "one, and name the stream of the other: STREAM=SPAN"
        )
    return (usual or [_USUAL])[0], own


def _names(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.strip())]
