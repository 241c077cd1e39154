"""What kind of stream to invent, in one frozen object."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ustory.core.errors import ConfigError

VERSION = 2
"""Raised when the same plan gives another stream: scores on the streams of two versions
say nothing of each other. 1 is what results without a version were measured on."""

MAX_ARTICLES = 100_000_000
MAX_DAYS = 36_500
MAX_SENTENCES = 1_000
PER_STORY = 2
"""Articles that every story has at least."""

_USUAL = 7  # articles per story where the number of stories is not given
_LIMITS = {
    "articles": (1, MAX_ARTICLES),
    "stories": (0, MAX_ARTICLES),
    "days": (1, MAX_DAYS),
    "sentences": (1, MAX_SENTENCES),
    "seed": (0, 2**64 - 1),
}
_SHARES = ("noise", "drift", "copies", "twins")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationPlan:
    """A stream to be invented: how large, how long, and how hard."""

    articles: int = 1_000
    """Articles in the stream, exactly."""

    stories: int | None = None
    """True stories; None is one for every seven articles that are no noise, and with 0
    all articles are noise."""

    days: int = 30
    """How long the stream lasts."""

    sentences: int = 25
    """Sentences of an article, on average."""

    noise: float = 0.1
    """Share of the articles that belong to no story; each has a label of its own."""

    drift: float = 0.05
    """Share of a story's own words that others replace each day."""

    copies: float = 0.1
    """Share of the articles that repeat one of their story, where one is recent."""

    twins: float = 0.2
    """Share of the stories that differ from another one, of the same days, by names,
    places and numbers only."""

    seed: int = 0
    """Another seed is another stream of the same kind."""

    start: datetime = datetime(2024, 1, 1, tzinfo=UTC)
    """Midnight before the first article."""

    def __post_init__(self) -> None:
        """Refuse what cannot be, naming the field and the remedy."""
        for name, (least, most) in _LIMITS.items():
            _check_whole(name, getattr(self, name), least, most)
        for name in _SHARES:
            _check_share(name, getattr(self, name))
        _check_start(self)
        _check_room(self)

    @property
    def story_count(self) -> int:
        """True stories, noise not counted."""
        if self.stories is not None:
            return self.stories
        return max(self._told // _USUAL, min(self._told // PER_STORY, 1))

    @property
    def noise_count(self) -> int:
        """Articles that belong to no story: all of them where there is none."""
        return self.articles - (self._told if self.story_count else 0)

    @property
    def _told(self) -> int:
        return self.articles - round(self.articles * self.noise)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if name == "stories" and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigError(f"{name} must be a whole number, got {value!r}")
    if not least <= value <= most:
        raise ConfigError(f"{name} must be from {least:,} to {most:,}, got {value:,}")


def _check_share(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{name} must be a number, got {value!r}")
    if not 0 <= value <= 1:  # also refuses what is not a number
        raise ConfigError(
            f"{name} is a share and must be from 0 to 1, got {value!r}; a tenth is 0.1"
        )


def _check_start(plan: SimulationPlan) -> None:
    if not isinstance(plan.start, datetime) or plan.start.tzinfo is None:
        raise ConfigError(
            f"start must be a date and time with a zone, got {plan.start!r}; "
            "in UTC: datetime(2024, 1, 1, tzinfo=UTC)"
        )
    try:
        plan.start + timedelta(days=plan.days)
    except OverflowError:
        raise ConfigError(
            f"the stream must end before the year 10000; {plan.days:,} days from "
            f"{plan.start.date()} do not: give an earlier start or fewer days"
        ) from None


def _check_room(plan: SimulationPlan) -> None:
    told = plan.articles - plan.noise_count
    if plan.story_count * PER_STORY > told:
        raise ConfigError(
            f"every story needs {PER_STORY} articles; {plan.story_count:,} stories in "
            f"{told:,} articles that are no noise do not have them: give fewer "
            "stories, less noise or more articles"
        )
