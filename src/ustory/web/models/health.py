"""How the service is."""

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
    behind: int = Field(examples=[0])
    """Slides that are closed and not done yet."""
    dropped: dict[str, int] = Field(
        examples=[{"refused": 2, "turned_away": 0, "set_aside": 0, "webhooks": 1}]
    )
    """Articles `refused` by a rule and `turned_away` for want of room since the
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
