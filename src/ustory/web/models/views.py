"""The map and the timeline of stories, as they go out."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ustory.web.models.shared import Shape
from ustory.web.models.stories import StoryOut

Place = tuple[float, float]


class SpotOut(Shape):
    """An article on the map, where either strategy puts it."""

    id: str = Field(examples=["a-0001"])
    title: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    story: str | None = Field(examples=["s000001"])
    published_at: datetime = Field(examples=["2024-03-04T06:48:00Z"])
    thematic: Place = Field(examples=[[3.21, -7.5]])
    """Its place by ThemSentMean: x and y."""
    plain: Place = Field(examples=[[2.98, -4.02]])
    """Its place by IndSentMean: x and y."""


class MapStory(Shape):
    """One of the stories with most articles on the map."""

    id: str = Field(examples=["s000001"])
    headline: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    keywords: list[str] = Field(examples=[["kestrel", "bay", "earthquake"]])
    headline_lang: str | None = Field(default=None, examples=["en"])
    """The language of both."""
    articles: int = Field(examples=[11])
    """Articles it has on the map."""


class MapOut(Shape):
    """The newest articles of the window in the plane, as of the last map drawn."""

    slide: int | None = Field(examples=[12])
    """The last slide it shows; null without one."""
    end: datetime | None = Field(examples=["2024-03-07T12:00:00Z"])
    """End of that slide."""
    behind: bool = Field(examples=[False])
    """Whether a newer map is being drawn."""
    inside: int = Field(examples=[71])
    """Articles in the window; the newest are shown."""
    thematic: float | None = Field(examples=[0.91])
    """Share of the articles in stories of two or more whose nearest article is of
    their own story, by ThemSentMean, in all dimensions."""
    plain: float | None = Field(examples=[0.78])
    """The same by IndSentMean."""
    stories: list[MapStory]
    """Those with most articles on it."""
    articles: list[SpotOut]
    """The oldest first."""


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
