"""How the service is."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ustory.serve.models.shared import Shape


class Health(Shape):
    """The process answers."""

    status: Literal["ok"]
    version: str


class Readiness(Shape):
    """Whether the service does its work, and how far it is."""

    status: Literal["ok", "not ready"]
    database: bool = Field(description="Whether the database can be read.")
    loop: bool = Field(description="Whether slides are being done.")
    slide: int | None = Field(description="The last slide that is done.")
    slide_end: datetime | None
    behind: int = Field(description="Slides that are closed and not done yet.")
    pending: int = Field(description="Articles taken in and not in a story yet.")
    problem: str | None = Field(description="What stands in the way, in words.")
