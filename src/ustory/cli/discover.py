"""`ustory discover`: the stories in a stream of articles."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from ustory.cli.choices import PRESETS, Choices, read_flags
from ustory.cli.plan import Plan, carry_out
from ustory.cli.report import Summary, print_summary, summary_json
from ustory.ingest.problems import POLICIES

_FILE = click.Path(path_type=Path, dir_okay=False)
_FLAGS = ("window", "slide", "min_articles", "encoder")
_OUTPUTS = ("assignments", "stories", "events")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--preset", type=click.Choice(list(PRESETS)), help="Where settings start."
)
@click.option("--min-articles", type=int, metavar="M", help="Articles a story needs.")
@click.option("--window", metavar="SPAN", help="Size of the window: 7d, 36h, or 700.")
@click.option("--slide", metavar="SPAN", help="How far it moves at a time: 1d, or 100.")
@click.option("--encoder", metavar="NAME", help="See `ustory encoders`.")
@click.option("--settings", type=_FILE, metavar="FILE", help="Settings in TOML.")
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Any setting."
)
@click.option("--state", type=_FILE, metavar="FILE", help="Resume from it, save to it.")
@click.option(
    "--on-error",
    type=click.Choice(POLICIES),
    default="stop",
    show_default=True,
    help="What to do with a bad record.",
)
@click.option(
    "--assignments", type=_FILE, metavar="OUT", help="Every window, as JSONL."
)
@click.option("--stories", type=_FILE, metavar="OUT", help="Every story, as JSONL.")
@click.option("--events", type=_FILE, metavar="OUT", help="What happened, as JSONL.")
@click.option("--encoder-cache", type=_FILE, metavar="FILE", help="Vectors, kept.")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    metavar="N",
    help="Stories to print, the largest first; 0 is all.",
)
@click.option("--progress/--no-progress", default=None, help="A bar on stderr.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def discover(files: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click's
    """Find the stories in FILE..., articles in JSON Lines, CSV or Parquet.

    `-` reads JSON Lines from standard input. Flags win over --settings, which wins
    over --preset.
    """
    flags = read_flags({name: options[name] for name in _FLAGS}, options["pairs"])
    plan = Plan(
        files=files,
        choices=Choices(
            preset=options["preset"], file=options["settings"], flags=flags
        ),
        on_error=options["on_error"],
        state=options["state"],
        outputs={name: options[name] for name in _OUTPUTS},
        encoder_cache=options["encoder_cache"],
        progress=options["progress"],
    )
    began = time.perf_counter()
    summary = Summary.of(carry_out(plan), began)
    if options["as_json"]:
        click.echo(summary_json(summary))
    else:
        print_summary(summary, options["top"])
