"""`ustory load`: how many articles a second an engine or a service bears."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ustory.cli.console import format_option
from ustory.cli.plan import PRESETS, Choices, read_flags
from ustory.cli.saved import estimated_lines
from ustory.core.article import Article
from ustory.core.errors import ConfigError, UStoryError
from ustory.sources.open import open_source
from ustory_bench.commands.load_words import Show, load_bar, print_report
from ustory_bench.load.figures import LoadReport
from ustory_bench.load.pace import Pace, parse_rate
from ustory_bench.load.service import Target, check_address, load_service
from ustory_bench.simulate.plan import SimulationPlan
from ustory_bench.simulate.stream import simulate

ENGINE = "engine"
_FILE = click.Path(path_type=Path, dir_okay=False)
_SETTINGS = ("window", "slide", "min_articles", "encoder")
_INVENTED = ("days", "sentences", "seed")
_USUAL = SimulationPlan()


@click.command()
@click.argument("stream", metavar="[STREAM]", required=False)
@format_option
@click.option(
    "--simulate",
    "invented",
    type=int,
    metavar="N",
    help="Invent so many articles instead of reading STREAM.",
)
@click.option(
    "--days",
    type=int,
    metavar="N",
    help=f"With --simulate: how long the stream lasts.  [default: {_USUAL.days}]",
)
@click.option(
    "--sentences",
    type=int,
    metavar="N",
    help=f"With --simulate: sentences of an article.  [default: {_USUAL.sentences}]",
)
@click.option(
    "--seed", type=int, metavar="N", help="With --simulate: another stream for each."
)
@click.option(
    "--rate",
    default="max",
    show_default=True,
    metavar="N",
    help="Articles a second; max is as many as are taken.",
)
@click.option(
    "--against",
    default=ENGINE,
    show_default=True,
    metavar="WHAT",
    help="The engine in this process, or the address of a running service.",
)
@click.option(
    "--seconds", type=float, metavar="N", help="Stop handing articles over after that."
)
@click.option(
    "--preset", type=click.Choice(list(PRESETS)), help="The engine's: as in discover."
)
@click.option("--min-articles", type=int, metavar="M", help="As in discover.")
@click.option("--window", metavar="SPAN", help="As in discover.")
@click.option("--slide", metavar="SPAN", help="As in discover.")
@click.option("--encoder", metavar="NAME", help="As in discover.")
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="As in discover."
)
@click.option(
    "--key",
    envvar="USTORY_API_KEYS",
    metavar="KEY",
    help="A service's API key. Better in USTORY_API_KEYS, of which the first is taken.",
)
@click.option(
    "--dates",
    type=click.Choice(["now", "own"]),
    help="A service's: articles are of now, or, for --as-of-articles, of their own "
    "dates.  [default: now]",
)
@click.option(
    "--json", "out", type=_FILE, metavar="FILE", help="Write all numbers here, too."
)
@click.option(
    "--progress/--no-progress",
    default=None,
    help="Show a bar on stderr; by default if it is a terminal.",
)
def load(stream: str | None, **options: Any) -> None:  # noqa: ANN401 - click's
    """Hand the articles of STREAM over at a rate, and say how that was borne.

    Told are the articles a second that were sustained, how long slides took, the
    memory, and how far behind the rate articles were taken; of a service also how
    long it took from posting an article to the end of its slide.
    """
    supply = _supply(stream, options)
    pace = Pace(parse_rate(options["rate"]), _seconds(options["seconds"]))
    out = options["out"]
    if out is not None:
        _write(out, "{}\n")  # before the work, not after it
    with load_bar(_expected(supply, pace), options["progress"]) as show:
        if options["against"] == ENGINE:
            report = _against_engine(supply, pace, show, options)
        else:
            target = _target(options)
            report = load_service(target, supply.articles, pace, show)
    if out is not None:
        _write(out, json.dumps(report.plain(), indent=1) + "\n")
    print_report(report)


@dataclass(frozen=True, slots=True)
class Supply:
    """The articles, and about how many there are."""

    articles: Iterator[Article]
    count: int | None


def _supply(stream: str | None, options: Mapping[str, Any]) -> Supply:
    given = {name: options[name] for name in _INVENTED if options[name] is not None}
    count = options["invented"]
    if (stream is None) == (count is None):
        raise ConfigError(
            "a load needs articles of one kind: give a STREAM to read, or "
            "--simulate N to invent some"
        )
    if count is not None:
        if options["read_as"] is not None:
            raise ConfigError("--format is for a STREAM; leave it out, or --simulate")
        return Supply(simulate(SimulationPlan(articles=count, **given)), count)
    if given:
        raise ConfigError(
            f"--{next(iter(given))} is for invented articles; leave it out, or give "
            "--simulate N instead of a STREAM"
        )
    assert stream is not None
    source = open_source(stream, kind=options["read_as"])
    articles = (arrival.article for arrival in source.read())
    return Supply(articles, estimated_lines([stream]))


def _against_engine(
    supply: Supply,
    pace: Pace,
    show: Show,
    options: Mapping[str, Any],
) -> LoadReport:
    from ustory_bench.load.engine import load_engine, warm_discovery  # noqa: PLC0415 - heavy

    if options["dates"] is not None:
        raise ConfigError(
            "--dates is for a service; an engine goes by the dates of the articles: "
            "leave it out, or give the address of a service with --against"
        )
    flags = read_flags({name: options[name] for name in _SETTINGS}, options["pairs"])
    settings = Choices(preset=options["preset"], flags=flags).settings()
    return load_engine(warm_discovery(settings), supply.articles, pace, show)


def _target(options: Mapping[str, Any]) -> Target:
    address = check_address(options["against"])
    chosen = [name for name in ("preset", *_SETTINGS) if options[name] is not None]
    chosen += ["set"] if options["pairs"] else []
    if chosen:
        raise ConfigError(
            f"a service has settings of its own, and --{chosen[0].replace('_', '-')} "
            "was given; leave it out, or load the engine with --against engine"
        )
    keys = (options["key"] or "").split()
    return Target(
        address=address,
        key=keys[0] if keys else None,
        own_dates=options["dates"] == "own",
    )


def _seconds(given: float | None) -> float | None:
    if given is not None and not 0 < given < float("inf"):
        raise ConfigError(
            f"--seconds must be above 0, got {given}; leave it out for all"
        )
    return given


def _expected(supply: Supply, pace: Pace) -> int | None:
    """Return about how many articles will be handed over, None if nobody knows."""
    if pace.rate is None or pace.seconds is None:
        return supply.count
    most = round(pace.rate * pace.seconds)
    return most if supply.count is None else min(most, supply.count)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UStoryError(
            f"cannot write {path}: {error.strerror or error}; give a file in a folder "
            "that can be written to"
        ) from error
