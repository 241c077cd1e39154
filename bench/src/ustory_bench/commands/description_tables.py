"""The description of a stream, as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, TypeAlias

from rich.table import Table

from ustory.cli.console import results
from ustory.core.wording import many, utc_text
from ustory_bench.describe.description import Calendar, Description
from ustory_bench.describe.lives import Lives
from ustory_bench.describe.wording import NEAR_COPY, Wording

Line: TypeAlias = tuple[str, str, str]
"""What is told, the figures, and what they mean for a method."""

_NONE = "–"
_LANGUAGES = 5


def portrait_json(found: Description, least: int) -> dict[str, Any]:
    """Return a description as plain values."""
    plain = asdict(found)
    for name in ("first", "last"):
        plain["calendar"][name] = utc_text(getattr(found.calendar, name))
    return {**plain, "small_is_under": least}


def print_portrait(found: Description, least: int) -> None:
    """Print the row of Table 1, what makes the stream easy or hard, and the notes."""
    console = results()
    console.print(_first_table(found))
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("", "in this stream", "what it means"):
        table.add_column(title)
    for line in _lines(found, least):
        table.add_row(*line)
    console.print(table)
    for note in found.notes:
        console.print(f"note: {note}")


def _first_table(found: Description) -> Table:
    row = found.row
    cells = {
        "articles": f"{row.articles:,}",
        "sentences per article": f"{row.sentences_per_article:.1f}",
        "stories": _NONE if row.stories is None else f"{row.stories:,}",
        "articles per story": _number(row.articles_per_story),
        "articles per story and day": _number(row.articles_per_story_and_day),
    }
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in cells:
        table.add_column(title, justify="right")
    table.add_row(*cells.values())
    return table


def _lines(found: Description, least: int) -> Iterator[Line]:
    yield from _of_time(found.calendar)
    if found.lives is not None:
        yield from _of_stories(found.lives, least)
    yield from _of_words(found.wording, labelled=found.lives is not None)
    yield from _of_fields(found)


def _of_time(calendar: Calendar) -> Iterator[Line]:
    yield (
        "calendar",
        f"{many(calendar.days, 'day', 'days')} from {calendar.first:%Y-%m-%d} to "
        f"{calendar.last:%Y-%m-%d}, {calendar.days_with_articles:,} with articles",
        "a dense calendar makes full windows",
    )
    yield (
        "articles a day",
        f"{calendar.articles_per_day:.1f}, at most {calendar.busiest_day:,}",
        "more articles, more to tell apart at a time",
    )
    yield (
        "times tell apart",
        f"{calendar.granularity}s; {_share(calendar.out_of_order)} out of order",
        "slides shorter than this say nothing",
    )


def _of_stories(lives: Lives, least: int) -> Iterator[Line]:
    yield (
        "stories of one article",
        _share(lives.singletons),
        "found by nobody; the protocol `singleton` counts them right",
    )
    yield (
        f"stories under {many(least, 'article', 'articles')}",
        f"{_share(lives.small)}, with {_share(lives.articles_in_small)} of articles",
        f"lost to a method that asks for {least} (--min-articles)",
    )
    yield (
        "size of a story",
        f"median {lives.median_size:g}, at most {lives.largest:,}",
        "uneven sizes weigh large stories in AMI and ARI",
    )
    yield (
        "life of a story",
        f"median {lives.median_days:.1f} days, at most {lives.longest_days:.1f}; "
        f"{_share(lives.one_day)} of one day",
        "long lives drift, and break identity",
    )
    yield (
        "stories and the window",
        f"{_share(lives.outlive_window)} outlive it, {_share(lives.revived)} fall "
        "silent for longer",
        "what comes back may get another id",
    )
    yield (
        "stories at a time",
        f"{lives.alive_mean:.1f} in a window, at most {lives.alive_most:,}",
        "as many candidates for every article",
    )
    yield (
        "stories that overlap",
        f"each with {lives.overlapping:.1f} others",
        "the calendar alone tells the others apart",
    )


def _of_words(wording: Wording, *, labelled: bool) -> Iterator[Line]:
    if labelled:
        yield (
            "likeness within a story",
            _cosine(wording.within),
            "mean TF-IDF cosine to the articles of the own story",
        )
        yield (
            "likeness to the next story",
            _cosine(wording.beside),
            "mean cosine to the nearest other story: closer is harder",
        )
        yield (
            "nearer to another story",
            f"{_share(wording.confused)} of the articles",
            "words alone put them into the wrong story",
        )
    yield (
        "likeness to the next article",
        _cosine(wording.nearest),
        f"over {many(wording.judged, 'article', 'articles')}",
    )
    yield (
        "near copies",
        f"{_share(wording.near_copies)} of the articles",
        f"cosine of {NEAR_COPY} or more: easy for every method",
    )


def _of_fields(found: Description) -> Iterator[Line]:
    shown = list(found.languages.items())[:_LANGUAGES]
    more = len(found.languages) - len(shown)
    text = ", ".join(f"{name} {count:,}" for name, count in shown)
    yield (
        "languages",
        f"{text}, {more} more" if more else text,
        "? is unknown, and read as English",
    )
    lacking = {name: share for name, share in found.missing.items() if share}
    text = ", ".join(f"{name} {_share(share)}" for name, share in lacking.items())
    yield "missing fields", text or "none", "without a text only the title speaks"


def _share(value: float | None) -> str:
    return _NONE if value is None else f"{value:.1%}"


def _cosine(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.1f}"
