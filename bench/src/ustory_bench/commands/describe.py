"""`ustory describe`: what a stream is like, and what makes it easy or hard."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import click

from ustory.cli.console import format_option, remarks
from ustory.core.errors import ConfigError
from ustory.core.spans import parse_span
from ustory.sources.merging import merge, seen_within
from ustory.sources.open import open_source
from ustory.sources.records.problems import POLICIES, Problems
from ustory.text.load import load_pipeline
from ustory_bench.commands.description_tables import portrait_json, print_portrait
from ustory_bench.describe.description import Description, Subject
from ustory_bench.describe.description import describe as describe_subjects
from ustory_bench.describe.wording import Words


@click.command()
@click.argument("files", metavar="STREAM...", nargs=-1, required=True)
@format_option
@click.option("--window", default="7d", show_default=True, help="Size of the window.")
@click.option("--slide", default="1d", show_default=True, help="How far it moves.")
@click.option(
    "--min-articles",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    metavar="M",
    help="Stories with fewer articles count as small.",
)
@click.option(
    "--on-error",
    type=click.Choice(POLICIES),
    default="stop",
    show_default=True,
    help="What to do with a bad record.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def describe(files: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click's
    """Print what STREAM... is like: its row of the paper's Table 1, and more.

    What is said of true stories needs labels; a stream without them gets the rest.
    """
    window, slide = (_duration(name, options[name]) for name in ("window", "slide"))
    problems = Problems(options["on_error"])
    subjects, words = _read(files, options["read_as"], problems, window, slide)
    least = options["min_articles"]
    found: Description = describe_subjects(subjects, words, window, slide, least)
    if options["as_json"]:
        click.echo(
            json.dumps(portrait_json(found, least) | {"skipped": problems.counts})
        )
    else:
        print_portrait(found, least)
    for line in problems.summary():
        remarks().print(line)


def _read(
    files: tuple[str, ...],
    read_as: str | None,
    problems: Problems,
    window: timedelta,
    slide: timedelta,
) -> tuple[list[Subject], Words]:
    """Return what is kept of the articles that a run with this window reads."""
    pipeline = load_pipeline("fast")
    sources = [open_source(path, problems, kind=read_as) for path in files]
    subjects, words = [], Words()
    for _, arrival in merge(sources, {}, problems, seen_within(window, slide)):
        article = arrival.article
        sentences = pipeline.split(article)
        words.add(pipeline.count(sentences, article.lang))
        subjects.append(Subject.of(article, len(sentences)))
    return subjects, words


def _duration(name: str, text: str) -> timedelta:
    span = parse_span(text)
    if not isinstance(span, timedelta):
        raise ConfigError(
            f"--{name} must be a duration like 7d, because a description follows the "
            f"calendar; got {text!r}"
        )
    return span
