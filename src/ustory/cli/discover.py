"""`ustory discover`: the stories in a stream of articles."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import click

from ustory.cli.plan import (
    FILE,
    executor_options,
    opened_executor,
    plan_of,
    run_options,
    run_plan,
)
from ustory.cli.report import Summary, print_summary, summary_json
from ustory.sources.records.problems import POLICIES

_OUTPUTS = ("assignments", "stories", "events")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@run_options
@click.option(
    "--state",
    type=FILE,
    metavar="FILE",
    help="Resume from it if it exists; save to it.",
)
@click.option(
    "--on-error",
    type=click.Choice(POLICIES),
    default="stop",
    show_default=True,
    help="What to do with a bad record.",
)
@click.option(
    "--assignments",
    type=FILE,
    metavar="OUT",
    help="Write the story of each article in each window, as JSON Lines.",
)
@click.option(
    "--stories", type=FILE, metavar="OUT", help="Write every story, as JSON Lines."
)
@click.option(
    "--events",
    type=FILE,
    metavar="OUT",
    help="Write what happens to stories, as JSON Lines.",
)
@click.option(
    "--encoder-cache",
    type=FILE,
    metavar="FILE",
    help="Keep sentence vectors here; pays off for slow encoders.",
)
@executor_options
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    metavar="N",
    help="Stories to print, the largest first; 0 is all.",
)
@click.option(
    "--progress/--no-progress",
    default=None,
    help="Show a bar on stderr; by default if it is a terminal.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def discover(files: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click's
    """Find the stories in FILE..., articles in JSON Lines, CSV, Parquet or a data set.

    `-` reads JSON Lines from standard input. Flags win over --settings, which wins
    over --preset.
    """
    began = time.perf_counter()
    with opened_executor(options) as executor:
        plan = replace(
            plan_of(files, options),
            on_error=options["on_error"],
            state=options["state"],
            outputs={name: options[name] for name in _OUTPUTS},
            encoder_cache=options["encoder_cache"],
            executor=executor,
            progress=options["progress"],
        )
        summary = Summary.of(run_plan(plan), began)
    if options["as_json"]:
        click.echo(summary_json(summary))
    else:
        print_summary(summary, options["top"])
