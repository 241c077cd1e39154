"""How the service works, as it goes out."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ustory.store.tables import AsideRow, Problem, SlideRow
from ustory.web.models.health import WorkStatus
from ustory.web.models.shared import Shape


class SlideOut(Shape):
    """A slide that is done, and what it took."""

    number: int
    end: datetime
    done_at: datetime | None
    articles: int
    stories: int = Field(description="Live stories after it.")
    seconds: dict[str, float] = Field(description="Time of each step, and in `total`.")

    @classmethod
    def of(cls, row: SlideRow) -> SlideOut:
        """Return a row of the store as it goes out."""
        return cls(
            number=row.number,
            end=row.end,
            done_at=row.done_at,
            articles=row.articles,
            stories=row.stories,
            seconds=dict(row.seconds),
        )


class ProblemOut(Shape):
    """Something that went wrong."""

    id: int
    at: datetime
    origin: str
    kind: str
    message: str

    @classmethod
    def of(cls, row: Problem) -> ProblemOut:
        """Return a row of the store as it goes out."""
        return cls(
            id=row.id,
            at=row.at,
            origin=row.origin,
            kind=row.kind,
            message=row.message,
        )


class AsideOut(Shape):
    """An article that is set aside."""

    article: str = Field(description="Its id.")
    slide: int = Field(description="The slide it belongs to.")
    at: datetime
    reason: str = Field(description="Why, in words.")
    by: str = Field(description="`loop` where its slide failed with it, else who.")
    left_out: bool = Field(
        description="Whether its slide is computed without it; else it was done before."
    )

    @classmethod
    def of(cls, row: AsideRow) -> AsideOut:
        """Return a row of the store as it goes out."""
        return cls(
            article=row.article,
            slide=row.slide,
            at=row.at,
            reason=row.reason,
            by=row.by,
            left_out=row.left_out,
        )


class OperationsOut(Shape):
    """How the service works, and what went wrong lately."""

    status: str = Field(description="`ok` or `not ready`.")
    standing: WorkStatus
    slides_done: int
    slide_end: datetime | None = Field(description="Up to when the stream is told.")
    lag_seconds: float = Field(description="Time of the stream since then.")
    behind: int = Field(description="Slides that are closed and not done yet.")
    queue: int = Field(description="Articles taken in, in no slide that is done.")
    queue_most: int = Field(description="How many may be; then none are taken in.")
    stories: int = Field(description="Live stories.")
    inside: int = Field(description="Articles in the window.")
    waiting: int = Field(description="Of these, those in no story.")
    events: int = Field(description="Events in the ledger.")
    listeners: int = Field(description="Open event streams.")
    memory_bytes: int = Field(description="What the process holds now.")
    memory_peak_bytes: int = Field(description="The most it ever held.")
    encoder: str
    slides: list[SlideOut] = Field(description="The last ones done, newest first.")
    now: dict[str, str] = Field(description="What is wrong now, by where.")
    set_aside: list[AsideOut] = Field(
        description="Articles set aside, the newest first."
    )
    problems: list[ProblemOut] = Field(description="The last ones, newest first.")
