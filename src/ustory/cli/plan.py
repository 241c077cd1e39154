"""Options of a run: settings, formats and executors; and the run itself."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from ustory.cli.console import combined, format_option, progress_bar, remarks
from ustory.cli.feed import ArticleFeed
from ustory.cli.outputs import check_apart, check_writable, open_files
from ustory.cli.saved import SavePoint, load_point
from ustory.cli.session import Session
from ustory.core.errors import ConfigError
from ustory.core.method import METHOD
from ustory.core.protocols import Executor
from ustory.core.registry import names
from ustory.core.settings import Settings
from ustory.encode.gist import with_gist_encoder
from ustory.encode.load import load_encoder
from ustory.engine.executors import load_executor
from ustory.engine.poison import Poison
from ustory.engine.snapshot.states import (
    refuse_other_settings,
    refuse_other_size,
    writer_of,
)
from ustory.links.guidance import Guidance
from ustory.stories.discovery import Discovery

PRESETS: Mapping[str, Callable[[], Settings]] = {
    "default": Settings,
    "paper": Settings.paper,
    "authors": Settings.authors,
}

FILE = click.Path(path_type=Path, dir_okay=False)
_FLAGS = ("window", "slide", "min_articles", "encoder")

run_options = combined(
    format_option,
    click.option(
        "--preset",
        type=click.Choice(list(PRESETS)),
        help="Our defaults, the paper's, or those of its authors' script.",
    ),
    click.option(
        "--min-articles", type=int, metavar="M", help="Articles a new story needs."
    ),
    click.option(
        "--window", metavar="SPAN", help="Size of the window: 7d, 36h, or 700."
    ),
    click.option(
        "--slide", metavar="SPAN", help="How far it moves at a time: 1d, or 100."
    ),
    click.option("--encoder", metavar="NAME", help="See `ustory encoders`."),
    click.option(
        "--settings", type=FILE, metavar="FILE", help="A TOML file of settings."
    ),
    click.option(
        "--set",
        "pairs",
        multiple=True,
        metavar="NAME=VALUE",
        help="Any setting, such as temperature=1.5; may be repeated.",
    ),
    click.option(
        "--guidance",
        type=FILE,
        metavar="FILE",
        help="A TOML file: stories to watch, articles that belong together or apart.",
    ),
)
"""The flags that `plan_of` reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices of the user; the preset decides the rest."""

    preset: str | None = None
    file: Path | None = None
    flags: Mapping[str, Any] = field(default_factory=dict)

    def settings(self) -> Settings:
        """Return the settings of a new run."""
        return self._over(PRESETS[self.preset or "default"]())

    def check_same(self, saved: Settings, where: Path) -> None:
        """Raise StateError when a choice differs from the settings of a saved run."""
        wanted = self.settings() if self.preset else self._over(saved)
        refuse_other_settings(saved, wanted, str(where))

    def _over(self, base: Settings) -> Settings:
        if self.file is not None:
            base = Settings.load(self.file, base)
        return base.with_(self.flags, where="the command line")


def read_flags(named: Mapping[str, Any], pairs: Sequence[str]) -> dict[str, Any]:
    """Return the settings given by flags: `--window 7d` and `--set window=7d` alike."""
    flags = {name: value for name, value in named.items() if value is not None}
    for pair in pairs:
        name, value = _assignment(pair)
        if name in flags:
            raise ConfigError(f"{name} is given twice on the command line; keep one")
        flags[name] = value
    return flags


def _assignment(pair: str) -> tuple[str, Any]:
    """Read NAME=VALUE; the value is written as in TOML, names without quotes.

    >>> _assignment("temperature=1.5"), _assignment("min-articles=none")
    (('temperature', 1.5), ('min_articles', None))
    >>> _assignment("gist_encoder=none")  # there it is a name
    ('gist_encoder', 'none')
    """
    name, equals, text = (part.strip() for part in pair.partition("="))
    if not equals or not name:
        raise ConfigError(f"--set takes NAME=VALUE, like temperature=2; got {pair!r}")
    if text == "none" and name.replace("-", "_") != "gist_encoder":
        return name.replace("-", "_"), None
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    return name.replace("-", "_"), value


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What to read, how, and where to write the results."""

    files: tuple[str, ...]
    read_as: str | None = None
    """Format of the files; None is to detect it."""
    choices: Choices = field(default_factory=Choices)
    on_error: str = "stop"
    state: Path | None = None
    outputs: Mapping[str, Path | None] = field(default_factory=dict)
    """Paths of `assignments`, `stories` and `events`."""
    encoder_cache: Path | None = None
    guidance: Path | None = None
    """Stories to watch, and articles that belong together or apart."""
    executor: Executor | None = None
    """What runs the blocks of a slide; None is this process."""
    progress: bool | None = None
    """Whether to show a bar; None is only if stderr is a terminal."""


def plan_of(files: tuple[str, ...], options: Mapping[str, Any]) -> RunPlan:
    """Return the plan that the flags of `run_options` describe."""
    flags = read_flags({name: options[name] for name in _FLAGS}, options["pairs"])
    return RunPlan(
        files=files,
        read_as=options["read_as"],
        choices=Choices(
            preset=options["preset"], file=options["settings"], flags=flags
        ),
        guidance=options["guidance"],
    )


def run_plan(plan: RunPlan) -> Session:
    """Read the whole stream, or what is new in it, and return the ended run."""
    named = {f"--{name}": path for name, path in plan.outputs.items()}
    check_apart(plan.files, {"--state": plan.state, **named})
    point, settings = _starting_point(plan)
    feed = ArticleFeed(
        plan.files,
        plan.on_error,
        settings,
        point.position,
        point.held(),
        plan.read_as,
    )
    feed.begin()
    encoder = load_encoder(settings.encoder, plan.encoder_cache)
    refuse_other_size(point.state, encoder, str(plan.state))
    discovery = Discovery(
        settings,
        encoder=encoder,
        state=point.state,
        guidance=Guidance.load(plan.guidance) if plan.guidance else None,
        executor=plan.executor,
    )
    discovery.on_poison = _report_poison
    resumed = plan.state is not None and plan.state.exists()
    if plan.state is not None:
        check_writable(plan.state)
    with (
        open_files(plan.outputs, point.outputs if resumed else None) as files,
        progress_bar(plan.files, point.position.cursors, plan.progress) as show,
    ):
        session = Session(discovery, feed, point, files, plan.state)
        session.run(show)
    return session


def _report_poison(poison: Poison) -> None:
    """Report on stderr that an article is set aside."""
    remarks().print(
        f"Warning: article {poison.article.id!r} is set aside: {poison.reason}",
        soft_wrap=True,
    )


def _starting_point(plan: RunPlan) -> tuple[SavePoint, Settings]:
    """Return where to start from, and with which settings."""
    if plan.state is None or not plan.state.exists():
        return SavePoint(), with_gist_encoder(plan.choices.settings())
    point, settings = load_point(plan.state)
    plan.choices.check_same(settings, plan.state)
    _report_other_method(plan.state)
    return point, settings


def _report_other_method(path: Path) -> None:
    """Report on stderr that a state was made with another version of the method."""
    written = writer_of(path)
    if written.method != METHOD:
        remarks().print(
            f"{path} was made with version {written.method} of the method (ustory "
            f"{written.version}); it goes on with version {METHOD}: stories keep their "
            "ids, new articles are judged by today's rules",
            soft_wrap=True,
        )


executor_options = combined(
    click.option(
        "--executor",
        type=click.Choice(names("executors")),
        default="inline",
        show_default=True,
        help="Where slides are computed; the stories are the same.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="With processes or ray: how many work at a time.  [default: the cores]",
    ),
    click.option(
        "--address",
        metavar="HOST:PORT",
        help="With ray: the cluster to use.  [default: one of this machine]",
    ),
)
"""The flags that `opened_executor` reads."""


@contextmanager
def opened_executor(options: Mapping[str, Any]) -> Iterator[Executor]:
    """Open the executor that the flags name, and end its workers afterwards."""
    executor = load_executor(
        options["executor"], options["workers"], options["address"]
    )
    try:
        yield executor
    finally:
        executor.close()
