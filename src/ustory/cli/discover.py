"""`ustory discover`: the stories in a stream of articles."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from ustory.cli.console import format_option
from ustory.cli.executors import executor_options, opened_executor
from ustory.cli.plan import PRESETS, Choices, RunPlan, read_flags, run_plan
from ustory.cli.report import Summary, print_summary, summary_json
from ustory.sources.records.problems import POLICIES

_FILE = click.Path(path_type=Path, dir_okay=False)
_FLAGS = ("window", "slide", "min_articles", "encoder")
_OUTPUTS = ("assignments", "stories", "events")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@format_option
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Our defaults, or those of the paper (M = 8).",
)
@click.option(
    "--min-articles", type=int, metavar="M", help="Articles a new story needs."
)
@click.option("--window", metavar="SPAN", help="Size of the window: 7d, 36h, or 700.")
@click.option("--slide", metavar="SPAN", help="How far it moves at a time: 1d, or 100.")
@click.option("--encoder", metavar="NAME", help="See `ustory encoders`.")
@click.option("--settings", type=_FILE, metavar="FILE", help="A TOML file of settings.")
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any setting, such as temperature=1.5; may be repeated.",
)
@click.option(
    "--state",
    type=_FILE,
    metavar="FILE",
    help="Resume from it if it exists; save to it.",
)
@click.option(
    "--guidance",
    type=_FILE,
    metavar="FILE",
    help="A TOML file: stories to watch, articles that belong together or apart.",
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
    type=_FILE,
    metavar="OUT",
    help="Write the story of each article in each window, as JSON Lines.",
)
@click.option(
    "--stories", type=_FILE, metavar="OUT", help="Write every story, as JSON Lines."
)
@click.option(
    "--events",
    type=_FILE,
    metavar="OUT",
    help="Write what happens to stories, as JSON Lines.",
)
@click.option(
    "--encoder-cache",
    type=_FILE,
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
    flags = read_flags({name: options[name] for name in _FLAGS}, options["pairs"])
    began = time.perf_counter()
    with opened_executor(options) as executor:
        plan = RunPlan(
            files=files,
            read_as=options["read_as"],
            choices=Choices(
                preset=options["preset"], file=options["settings"], flags=flags
            ),
            on_error=options["on_error"],
            state=options["state"],
            outputs={name: options[name] for name in _OUTPUTS},
            encoder_cache=options["encoder_cache"],
            guidance=options["guidance"],
            executor=executor,
            progress=options["progress"],
        )
        summary = Summary.of(run_plan(plan), began)
    if options["as_json"]:
        click.echo(summary_json(summary))
    else:
        print_summary(summary, options["top"])
