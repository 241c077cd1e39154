"""How the service is and how it works, as it goes out."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ustory.web.models.shared import Shape


class Health(Shape):
    """The process answers."""

    status: Literal["ok"] = Field(examples=["ok"])
    version: str | None = Field(examples=["0.2.0"])
    """Null where the service is private."""


State = Literal["ok", "waiting", "behind", "dropping", "failing"]


class WorkStatus(Shape):
    """What waits, what is behind, what was dropped and what fails."""

    state: State = Field(examples=["waiting"])
    """The worst that is so: `failing` (slides are not being done), `dropping`
    (articles were turned away in the last five minutes), `behind`, `waiting` (for
    the end of the open slide, which is usual) or `ok`."""
    waiting: int = Field(examples=[3])
    """Articles taken in, in no slide that is done."""
    open_until: datetime | None = Field(examples=["2024-03-07T12:15:00Z"])
    """When the slide ends that takes articles in, by the time of the stream; null
    where there is none."""
    behind: int = Field(examples=[0])
    """Slides that are closed and not done yet."""
    dropped: dict[str, int] = Field(
        examples=[
            {"late": 0, "refused": 2, "turned_away": 0, "set_aside": 0, "webhooks": 1}
        ]
    )
    """Articles that were `late`: older than the window when they came in, and so in no
    story; articles `refused` by a rule and `turned_away` for want of room since the
    start, articles `set_aside`, and messages to `webhooks` given up."""
    failing: dict[str, int] = Field(examples=[{"feeds": 1}])
    """How many fail now: `database`, `loop`, `feeds`, messages to `webhooks`, and
    `others`; what does not fail is left out."""


class Readiness(Shape):
    """Whether the service does its work, and how far it is."""

    status: Literal["ok", "not ready"] = Field(examples=["ok"])
    database: bool = Field(examples=[True])
    """Whether the database can be read."""
    loop: bool = Field(examples=[True])
    """Whether slides are being done."""
    slide: int | None = Field(examples=[12])
    """The last slide that is done."""
    slide_end: datetime | None = Field(examples=["2024-03-07T12:00:00Z"])
    behind: int = Field(examples=[0])
    """Slides that are closed and not done yet."""
    pending: int = Field(examples=[3])
    """Articles taken in and not in a story yet."""
    problem: str | None
    """What stands in the way, in words."""
    standing: WorkStatus


class SlideOut(Shape):
    """A slide that is done, and what it took."""

    number: int = Field(examples=[12])
    end: datetime = Field(examples=["2024-03-07T12:00:00Z"])
    done_at: datetime | None = Field(examples=["2024-03-07T12:00:01Z"])
    articles: int = Field(examples=[8])
    stories: int = Field(examples=[15])
    """Live stories after it."""
    seconds: dict[str, float] = Field(
        examples=[{"encoding": 0.02, "links": 0.01, "total": 0.06}]
    )
    """Time of each step, and in `total`."""


class ProblemOut(Shape):
    """Something that went wrong."""

    id: int = Field(examples=[4])
    at: datetime = Field(examples=["2024-03-07T11:15:00Z"])
    origin: str = Field(examples=["https://harbourpost.example/rss.xml"])
    kind: str = Field(examples=["http"])
    message: str = Field(
        examples=["the feed answered 503; it is asked again in 30 minutes"]
    )


class AsideOut(Shape):
    """An article that is set aside."""

    article: str = Field(examples=["a-0001"])
    """Its id."""
    slide: int = Field(examples=[13])
    """The slide it belongs to."""
    at: datetime = Field(examples=["2024-03-04T06:55:00Z"])
    reason: str = Field(examples=["It was withdrawn by its publisher."])
    """Why, in words."""
    by: str = Field(examples=["api:editor"])
    """`loop` where its slide failed with it, else who."""
    left_out: bool = Field(examples=[True])
    """Whether its slide is computed without it; else it was done before."""


class OperationsOut(Shape):
    """How the service works, and what went wrong lately."""

    status: str = Field(examples=["ok"])
    """`ok` or `not ready`."""
    standing: WorkStatus
    slides_done: int = Field(examples=[12])
    slide_end: datetime | None = Field(examples=["2024-03-07T12:00:00Z"])
    """Up to when the stream is told."""
    lag_seconds: float = Field(examples=[95.2])
    """Time of the stream since then."""
    behind: int = Field(examples=[0])
    """Slides that are closed and not done yet."""
    queue: int = Field(examples=[3])
    """Articles taken in, in no slide that is done."""
    queue_most: int = Field(examples=[20000])
    """How many may be; then none are taken in."""
    stories: int = Field(examples=[15])
    """Live stories."""
    inside: int = Field(examples=[71])
    """Articles in the window."""
    waiting: int = Field(examples=[9])
    """Of these, those in no story."""
    events: int = Field(examples=[160])
    """Events in the ledger."""
    listeners: int = Field(examples=[2])
    """Open event streams."""
    memory_bytes: int = Field(examples=[201326592])
    """What the process holds now."""
    memory_peak_bytes: int = Field(examples=[230686720])
    """The most it ever held."""
    encoder: str = Field(examples=["wordllama"])
    slides: list[SlideOut]
    """The last ones done, newest first."""
    now: dict[str, str] = Field(examples=[{}])
    """What is wrong now, by where."""
    set_aside: list[AsideOut] = Field(examples=[[]])
    """Articles set aside, the newest first."""
    problems: list[ProblemOut]
    """The last ones, newest first."""
