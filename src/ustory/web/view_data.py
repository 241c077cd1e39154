"""The data of the map, the timeline and the operations page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate

from ustory.core.memory import held_bytes, peak_bytes
from ustory.core.spans import EPOCH
from ustory.service.map import Picture
from ustory.sources.http.masking import masked_words
from ustory.store import Connection
from ustory.store.articles import all_aside
from ustory.store.listing import (
    StoryQuery,
    days_of_stories,
    hours_of_stories,
    list_stories,
    stories_by_id,
)
from ustory.store.problems import recent_problems
from ustory.store.results import last_event
from ustory.store.slides import (
    last_done,
    recent_slides,
    slides_behind,
    waiting_articles,
)
from ustory.store.tables import StoryRow
from ustory.stories.language_rows import language_for_reader
from ustory.web.health import work_status
from ustory.web.models.operations import (
    AsideOut,
    OperationsOut,
    ProblemOut,
    SlideOut,
)
from ustory.web.models.shared import Tags
from ustory.web.models.stories import Sort
from ustory.web.models.views import (
    LineOut,
    MapOut,
    MapStory,
    SpotOut,
    TimelineOut,
    Zoom,
)
from ustory.web.service import Service
from ustory.web.story_reader import StoryReader

STORIES = 20
"""Stories that are named: those with most articles on the map."""


def map_out(
    connection: Connection,
    service: Service,
    *,
    articles: bool = True,
    reader: Tags = (),
) -> MapOut:
    """Return the newest map, with its articles or without; nothing is computed."""
    picture = service.map.picture
    return MapOut(
        slide=picture.slide or None,
        end=picture.end,
        behind=service.map.is_behind,
        inside=picture.inside,
        thematic=picture.thematic,
        plain=picture.plain,
        stories=map_stories(connection, picture, reader=reader),
        articles=[SpotOut.of(spot) for spot in picture.spots] if articles else [],
    )


def map_stories(
    connection: Connection, picture: Picture, limit: int = STORIES, reader: Tags = ()
) -> list[MapStory]:
    """Return the stories with most articles on a map."""
    sizes = Counter(spot.story for spot in picture.spots if spot.story is not None)
    top = sorted(sizes, key=lambda story: (-sizes[story], story))[:limit]
    rows = stories_by_id(connection, top)
    return [
        MapStory(
            id=story,
            headline=told.headline,
            keywords=list(told.keywords),
            headline_lang=told.lang or None,
            articles=sizes[story],
        )
        for story in top
        if story in rows
        for told in [language_for_reader(rows[story], reader)]
    ]


MAX_DAYS_BY_HOUR = 7
"""The longest timeline by the hour: more hours could not be distinguished."""
_MAX_PAGES = 3
"""Pages of stories that are read to find those of a time."""
_LENGTH = {"day": timedelta(days=1), "hour": timedelta(hours=1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The part of the stream to show, and how."""

    zoom: Zoom = "day"
    days: int = 14
    until: datetime | None = None
    """None means the end of the last slide."""
    sort: Sort = "size"
    limit: int = 8
    reader: Tags = ()


def timeline(connection: Connection, service: Service, wanted: Stretch) -> TimelineOut:
    """Return the top stories of a stretch, and their sizes over it."""
    length = _LENGTH[wanted.zoom]
    until = _end(connection, service, wanted, length)
    days = wanted.days if wanted.zoom == "day" else min(wanted.days, MAX_DAYS_BY_HOUR)
    steps = round(timedelta(days=days) / length)
    since = until - steps * length
    span = service.loop.settings.window
    window = span if isinstance(span, timedelta) else timedelta(days=7)
    before = max(-(-window // length), 1)
    rows = _top(connection, wanted, since, until)
    reader = StoryReader(connection, service.clock(), wanted.reader)
    counted = _counted(connection, wanted.zoom, rows, (since - before * length, until))
    return TimelineOut(
        zoom=wanted.zoom,
        since=since,
        until=until,
        window_hours=-(-window // _LENGTH["hour"]),
        steps=[since + step * length for step in range(steps)],
        stories=[
            LineOut(
                story=story,
                articles=counts[before:],
                sizes=_sizes(counts, before)[before:],
                keywords=words[before:],
            )
            for story, (counts, words) in zip(reader.out(rows), counted, strict=True)
        ],
    )


def _end(
    connection: Connection, service: Service, wanted: Stretch, length: timedelta
) -> datetime:
    """Return where the last step ends: at most at the end of the last slide."""
    done = last_done(connection)
    end = service.clock() if done is None else done.end
    if wanted.until is not None:
        end = min(wanted.until, end)
    end = max(end, EPOCH + timedelta(days=1000))  # nothing is older
    return EPOCH + -(-(end - EPOCH) // length) * length


def _top(
    connection: Connection, wanted: Stretch, since: datetime, until: datetime
) -> list[StoryRow]:
    """Return the top stories that have articles around a stretch."""
    found: list[StoryRow] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        query = StoryQuery(
            since=since,
            until=until,
            sort=wanted.sort,
            limit=wanted.limit - len(found),
            cursor=cursor,
        )
        page = list_stories(connection, query)
        found += page.items
        cursor = page.cursor
        if cursor is None or len(found) >= wanted.limit:
            break
    return found[: wanted.limit]


def _counted(
    connection: Connection,
    zoom: Zoom,
    rows: Sequence[StoryRow],
    stretch: tuple[datetime, datetime],
) -> list[tuple[list[int], list[list[str]]]]:
    """Return the articles and the keywords of each story, step by step."""
    ids, (since, until) = [row.id for row in rows], stretch
    length = _LENGTH[zoom]
    first, end = (since - EPOCH) // length, (until - EPOCH) // length
    counts = {story: [0] * (end - first) for story in ids}
    words: dict[str, list[list[str]]] = {i: [[] for _ in counts[i]] for i in ids}
    if zoom == "day":
        for day in days_of_stories(connection, ids, first, end - 1):
            counts[day.story][day.day - first] = day.articles
            words[day.story][day.day - first] = list(day.keywords)
    else:
        by_hour = hours_of_stories(connection, ids, since, until)
        for story, hours in by_hour.items():
            for hour, number in hours.items():
                counts[story][hour - first] = number
    return [(counts[story], words[story]) for story in ids]


def _sizes(counts: Sequence[int], window: int) -> list[int]:
    """Return the sum of the last `window` counts at each place.

    >>> _sizes([1, 2, 3, 4], 2)
    [1, 3, 5, 7]
    """
    total = list(accumulate(counts, initial=0))
    return [total[i + 1] - total[max(i + 1 - window, 0)] for i in range(len(counts))]


SLIDES, PROBLEMS = 60, 50
"""How many of each are returned."""


def operations(
    connection: Connection, service: Service, *, whole: bool = False
) -> OperationsOut:
    """Return the state of the service, and its recent problems.

    Secrets in addresses are masked unless it is `whole`.
    """
    said: Callable[[str], str] = str if whole else masked_words
    status = service.loop.status()
    problems = service.loop.problems.now()
    if not service.is_working:
        problems.setdefault("loop", "it does not run: slides are not being done")
    behind = slides_behind(connection)
    # slides are done in order: the open one and the waiting ones are newer
    recent = recent_slides(connection, SLIDES + min(behind, SLIDES) + 1)
    slides = [row for row in recent if row.status == "done"][:SLIDES]
    end, held = status.end, held_bytes()
    lag = 0.0 if end is None else (service.clock() - end).total_seconds()
    return OperationsOut(
        status="ok" if service.is_working and status.problem is None else "not ready",
        standing=work_status(
            connection,
            service.loop,
            service.intake.left_out,
            working=service.is_working,
        ),
        slides_done=status.slide,
        slide_end=end,
        lag_seconds=round(max(lag, 0.0), 3),
        behind=behind,
        queue=waiting_articles(connection),
        queue_most=service.intake.limits.waiting,
        stories=status.stories,
        inside=status.inside,
        waiting=status.waiting,
        events=last_event(connection),
        listeners=service.broadcaster.listeners,
        memory_bytes=held,
        memory_peak_bytes=max(peak_bytes(), held),
        encoder=service.loop.settings.encoder,
        slides=[SlideOut.of(row) for row in slides],
        now={said(name): said(words) for name, words in problems.items()},
        set_aside=[AsideOut.of(row) for row in all_aside(connection, PROBLEMS)],
        problems=[
            ProblemOut.of(replace(r, origin=said(r.origin), message=said(r.message)))
            for r in recent_problems(connection, PROBLEMS)
        ],
    )
