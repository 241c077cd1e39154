"""The map, as it goes out."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ustory.service.map import Spot
from ustory.web.models.shared import Shape

Place = tuple[float, float]


class SpotOut(Shape):
    """An article on the map, where either strategy puts it."""

    id: str
    title: str
    story: str | None
    published_at: datetime
    thematic: Place = Field(description="Its place by ThemSentMean: x and y.")
    plain: Place = Field(description="Its place by IndSentMean: x and y.")

    @classmethod
    def of(cls, spot: Spot) -> SpotOut:
        """Return a spot as it goes out."""
        return cls(
            id=spot.id,
            title=spot.title,
            story=spot.story,
            published_at=spot.published_at,
            thematic=spot.thematic,
            plain=spot.plain,
        )


class MapStory(Shape):
    """One of the stories with most articles on the map."""

    id: str
    headline: str
    keywords: list[str]
    articles: int = Field(description="Articles it has on the map.")


class MapOut(Shape):
    """The newest articles of the window in the plane, as of the last map drawn."""

    slide: int | None = Field(description="The last slide it shows; null without one.")
    end: datetime | None = Field(description="End of that slide.")
    behind: bool = Field(description="Whether a newer map is being drawn.")
    inside: int = Field(description="Articles in the window; the newest are shown.")
    thematic: float | None = Field(
        description="Share of the articles in stories of two or more whose nearest "
        "article is of their own story, by ThemSentMean, in all dimensions."
    )
    plain: float | None = Field(description="The same by IndSentMean.")
    stories: list[MapStory] = Field(description="Those with most articles on it.")
    articles: list[SpotOut] = Field(description="The oldest first.")
