"""How large stories were over time, as it goes out."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ustory.web.models.shared import Shape
from ustory.web.models.stories import StoryOut

Zoom = Literal["day", "hour"]


class LineOut(Shape):
    """A story over time; every list has one entry for each step."""

    story: StoryOut
    articles: list[int] = Field(description="Articles that were published in the step.")
    sizes: list[int] = Field(
        description="Articles of the story in a window that ends with the step."
    )
    keywords: list[list[str]] = Field(
        description="What it was about in the step; empty where nothing is known."
    )


class TimelineOut(Shape):
    """The top stories, and how large they were day by day or hour by hour."""

    zoom: Zoom
    since: datetime
    until: datetime
    window_hours: int = Field(description="Length of the window, in whole hours.")
    steps: list[datetime] = Field(description="Where each step begins, oldest first.")
    stories: list[LineOut]
