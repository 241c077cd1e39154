"""`ustory simulate`: a labelled stream of invented news."""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import click
from rich.progress import Progress

from ustory.cli.console import article_bar, remarks
from ustory.core.article import Article
from ustory.core.errors import UStoryError
from ustory.core.wording import many
from ustory_bench.simulate.plan import SimulationPlan
from ustory_bench.simulate.stream import simulate as simulate_articles

Show: TypeAlias = Callable[[int], None]
"""Is told how many articles are written."""

_EVERY = 0.1  # seconds between two updates
_USUAL = SimulationPlan()


@click.command()
@click.option(
    "--articles",
    type=int,
    default=_USUAL.articles,
    show_default=True,
    metavar="N",
    help="Articles to write.",
)
@click.option(
    "--stories",
    type=int,
    metavar="N",
    help="True stories among them; by default one for every seven articles.",
)
@click.option(
    "--days",
    type=int,
    default=_USUAL.days,
    show_default=True,
    metavar="N",
    help="How long the stream lasts.",
)
@click.option(
    "--sentences",
    type=int,
    default=_USUAL.sentences,
    show_default=True,
    metavar="N",
    help="Sentences of an article, on average.",
)
@click.option(
    "--noise",
    type=float,
    default=_USUAL.noise,
    show_default=True,
    metavar="SHARE",
    help="Articles that belong to no story.",
)
@click.option(
    "--drift",
    type=float,
    default=_USUAL.drift,
    show_default=True,
    metavar="SHARE",
    help="Words of a story that others replace each day.",
)
@click.option(
    "--copies",
    type=float,
    default=_USUAL.copies,
    show_default=True,
    metavar="SHARE",
    help="Articles that repeat a recent one of their story.",
)
@click.option(
    "--twins",
    type=float,
    default=_USUAL.twins,
    show_default=True,
    metavar="SHARE",
    help="Stories that differ from another by names, places and numbers only.",
)
@click.option(
    "--seed",
    type=int,
    default=_USUAL.seed,
    show_default=True,
    metavar="N",
    help="Another seed is another stream of the same kind.",
)
@click.option(
    "--start",
    type=click.DateTime(["%Y-%m-%d"]),
    default=f"{_USUAL.start:%Y-%m-%d}",
    show_default=True,
    metavar="DATE",
    help="The first day.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    default="-",
    metavar="FILE",
    help="Write here, gzipped if the name ends in .gz; standard output by default.",
)
@click.option(
    "--progress/--no-progress",
    default=None,
    help="Show a bar on stderr; by default if it is a terminal.",
)
def simulate(out: Path, progress: bool | None, start: datetime, **options: Any) -> None:  # noqa: ANN401
    """Write a labelled stream of invented news, as JSON Lines.

    The same options give the same stream. Articles of noise have a label of their own
    each, so that they are scored as stories of one article.
    """
    plan = SimulationPlan(start=start.replace(tzinfo=UTC), **options)
    to_stdout = str(out) == "-"
    with (
        _stdout() if to_stdout else _file(out) as file,
        _bar(plan.articles, progress) as show,
    ):
        for done, article in enumerate(simulate_articles(plan), 1):
            file.write(_line(article))
            show(done)
    if not to_stdout:
        remarks().print(
            f"{out}: {many(plan.articles, 'article', 'articles')}, "
            f"{many(plan.story_count, 'story', 'stories')}, "
            f"{plan.noise_count:,} of noise",
            soft_wrap=True,
        )


def _line(article: Article) -> bytes:
    record = {
        "id": article.id,
        "published_at": f"{article.published_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "title": article.title,
        "text": article.text,
        "lang": article.lang,
        "source": article.source,
        "url": article.url,
        "story": article.label,
    }
    return json.dumps(record).encode("ascii") + b"\n"


@contextmanager
def _stdout() -> Iterator[BinaryIO]:
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextmanager
def _file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written, packed if its name says so; errors are one line.

    It appears when it is whole: what is interrupted leaves nothing behind.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as plain:
            if path.suffix.lower() != ".gz":
                yield plain
            else:
                # neither name nor time in it: the same stream is the same bytes
                with gzip.GzipFile("", "wb", 6, plain, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
        beside.replace(path)
    except OSError as error:
        raise UStoryError(
            f"cannot write {path}: {error.strerror or error}; "
            "give a file in a folder that can be written to"
        ) from error
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _bar(total: int, shown: bool | None) -> Iterator[Show]:
    """Show how much is written; `shown` None is: if stderr is a terminal."""
    said = "{task.completed:,} articles, {task.fields[rate]:,.0f}/s,"
    with article_bar("writing", said, shown) as bar:
        yield _shower(bar, total) if bar else lambda done: None


def _shower(bar: Progress, total: int) -> Show:
    task = bar.add_task("", total=total, rate=0.0)
    began = shown_at = time.monotonic()

    def show(done: int) -> None:
        nonlocal shown_at
        now = time.monotonic()
        if now - shown_at >= _EVERY:
            shown_at = now
            bar.update(task, completed=done, rate=done / (now - began))

    return show
