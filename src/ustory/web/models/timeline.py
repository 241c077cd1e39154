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
    articles: list[int] = Field(examples=[[4, 3]])
    """Articles that were published in the step."""
    sizes: list[int] = Field(examples=[[9, 12]])
    """Articles of the story in a window that ends with the step."""
    keywords: list[list[str]] = Field(
        examples=[[["rescue", "kestrel"], ["toll", "kestrel"]]]
    )
    """What it was about in the step; empty where nothing is known."""


class TimelineOut(Shape):
    """The top stories, and how large they were day by day or hour by hour."""

    zoom: Zoom = Field(examples=["day"])
    since: datetime = Field(examples=["2024-03-05T00:00:00Z"])
    until: datetime = Field(examples=["2024-03-07T00:00:00Z"])
    window_hours: int = Field(examples=[168])
    """Length of the window, in whole hours."""
    steps: list[datetime] = Field(
        examples=[["2024-03-05T00:00:00Z", "2024-03-06T00:00:00Z"]]
    )
    """Where each step begins, oldest first."""
    stories: list[LineOut]
