"""Articles as they are sent in, and what is said about them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from ustory.web.models.operations import AsideOut
from ustory.web.models.shared import SEEN, Address, Input, Line, Moment, Shape, Text
from ustory.web.models.stories import ArticleOut

ArticleId = Annotated[Line, Field(min_length=1, max_length=500)]
MAX_ARTICLES_PER_REQUEST = 1_000
"""Articles in one request."""
_WORDS = SEEN


class ArticleIn(Input):
    """An article to take in. A title or a text is needed; other fields are ignored."""

    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={
            "anyOf": [
                {"required": ["title"], "properties": {"title": {"pattern": _WORDS}}},
                {"required": ["text"], "properties": {"text": {"pattern": _WORDS}}},
            ],
            "not": {"required": ["articles"]},
        },
    )

    id: ArticleId | None = None
    """Yours, if you have one; else it is made from the address."""
    title: Line = Field("", examples=["Kestrel Bay counts its dead after the quake"])
    """Its headline."""
    text: Text = Field(
        "",
        examples=[
            "PORT SELLA - Rescue teams searched the old quarter for a second night."
        ],
    )
    """Plain text; line breaks end sentences."""
    url: Address | None = Field(
        None, examples=["https://harbourpost.example/kestrel-bay-count"]
    )
    """Where it is published."""
    published_at: Moment | None = Field(None, examples=["2024-03-05T08:00:00Z"])
    """When it appeared, by its publisher; now, when missing."""
    source: Line | None = Field(None, examples=["Harbour Post"])
    """Who published it."""
    lang: Annotated[Line, Field(max_length=35)] | None = Field(None, examples=["en"])
    """Its language, `en` or `de-CH`."""
    authors: list[Line] = Field([], max_length=100)

    @model_validator(mode="before")
    @classmethod
    def _has_words(cls, given: Any) -> Any:  # noqa: ANN401 - whatever was sent
        if isinstance(given, dict) and not any(
            isinstance(given.get(name), str) and re.search(_WORDS, given[name])
            for name in ("title", "text")
        ):
            raise ValueError("an article needs a title or a text")
        return given


class ArticlesIn(Input):
    """Many articles at once."""

    articles: list[ArticleIn] = Field(min_length=1, max_length=MAX_ARTICLES_PER_REQUEST)


class WithdrawalIn(Input):
    """What is to be withdrawn."""

    kind: Literal["article", "source", "origin", "text"] = Field(examples=["source"])
    """One article by its id; those of a source, or of an origin as articles name it;
    or all that have some words, in any case."""
    value: Annotated[Line, Field(min_length=1, max_length=1_000, pattern=_WORDS)] = (
        Field(examples=["Gossip Daily"])
    )


class WithdrawalOut(Shape):
    """What a withdrawal did."""

    articles: int = Field(examples=[3])
    """Articles that are gone."""
    stories: int = Field(examples=[1])
    """Stories that lost articles."""
    backups: list[str] = Field(examples=[["ustory.db.0006.backup"]])
    """Files beside the database that are named as backups of it, and may still have
    them; others are not known."""


def _is_many(given: Any) -> str:  # noqa: ANN401 - whatever was sent
    many = isinstance(given, ArticlesIn) or (
        isinstance(given, dict) and "articles" in given
    )
    return "many" if many else "one"


OneOrMany = Annotated[
    Annotated[ArticleIn, Tag("one")] | Annotated[ArticlesIn, Tag("many")],
    Discriminator(_is_many),
]
"""An article, or an object with many under `articles`."""


class ReceiptOut(Shape):
    """What became of an article that was sent."""

    article: str = Field(examples=["a-0200"])
    """Its id."""
    seq: int | None = Field(examples=[123])
    """Its number in the intake."""
    slide: int | None = Field(examples=[13])
    """The slide that will settle, or settled, it."""
    outcome: str = Field(examples=["new"])
    """`new`, `edited`, `known` or `refused`."""
    story: str | None = Field(examples=["s000001"])
    """The story it is likely to be in."""
    probability: float | None = Field(examples=[0.87])
    """How likely, while provisional."""
    provisional: bool = Field(examples=[True])
    """Whether its slide is still to settle it."""
    reason: str | None
    """Why it was refused."""


class Receipts(Shape):
    """What became of the articles, in the order they were sent."""

    receipts: list[ReceiptOut]


class RevisionOut(Shape):
    """A text of an article."""

    number: int = Field(examples=[1])
    title: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    fetched_at: datetime = Field(examples=["2024-03-04T06:50:00Z"])


class RevisionPage(Shape):
    """Some revisions of an article, the newest first."""

    revisions: list[RevisionOut]
    next: int | None
    """`before` of the next page; null on the last."""


class ArticleDetail(ArticleOut):
    """An article with its text."""

    text: str | None = Field(
        examples=["PORT SELLA, Tavarre - A powerful earthquake struck the coast."]
    )
    """Null where texts are not kept any more."""
    revisions: list[RevisionOut]
    """The last 50, the oldest first."""
    set_aside: AsideOut | None = Field(examples=[None])
    """Why slides are computed without it; null where they are not."""


class AsideIn(Input):
    """Why an article is to be set aside."""

    model_config = ConfigDict(extra="ignore")

    why: Annotated[Line, Field(min_length=1, max_length=300)] = Field(
        examples=["It was withdrawn by its publisher."]
    )
    """In words that everybody may read."""


class SentenceOut(Shape):
    """A sentence, and how much it weighs under the theme of the story."""

    number: int = Field(examples=[0])
    text: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    weight: float = Field(examples=[0.4])


class StoryName(Shape):
    """A story that an explanation speaks of."""

    id: str = Field(examples=["s000001"])
    headline: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    status: str = Field(examples=["live"])


class Explanation(Shape):
    """Why an article is where it is."""

    article: str = Field(examples=["a-0001"])
    title: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    published_at: datetime = Field(examples=["2024-03-04T06:48:00Z"])
    story: str | None = Field(examples=["s000001"])
    how: str = Field(examples=["seeded"])
    decided_at: datetime | None = Field(examples=["2024-03-04T12:00:00Z"])
    waiting: bool = Field(examples=[False])
    """Whether its slide is still to come: it was compared with no story yet."""
    due_at: datetime | None = Field(examples=[None])
    """When that slide ends; null if it is over."""
    best: str | None = Field(examples=["s000001"])
    """The likeliest story, also if it did not join."""
    runner_up: str | None
    margin: float = Field(examples=[0.91])
    """How far the runner-up is behind, as a probability; in mode `paper` as a
    similarity."""
    probability: float | None = Field(examples=[0.91])
    """That it belongs to the likeliest story; null in mode `paper`."""
    evidence: dict[str, float] | None = Field(examples=[{"words": 2.4, "meaning": 1.2}])
    """Log-odds by each evidence: above 0 speaks for the story. Null in mode `paper`."""
    words: float | None = Field(examples=[2.4])
    """`evidence.words`, 0 if it is not there."""
    meaning: float | None = Field(examples=[1.2])
    """`evidence.meaning`, likewise."""
    similarity: float | None
    """Mode `paper`: cosine × divergence (Eq. 4); null in mode `links`."""
    cosine: float | None
    """Mode `paper`: of the sentences on the theme."""
    divergence: float | None
    """Mode `paper`: similarity of the keyword distributions."""
    log_odds: float = Field(examples=[2.3])
    """Of the probability; in mode `paper` ln(conf/γ), and an article joins from 0
    upwards."""
    keywords: dict[str, int] = Field(examples=[{"earthquake": 3}])
    """Of the story, found in the article."""
    links: dict[str, float] = Field(examples=[{"a-0002": 0.94}])
    """The articles that speak for it."""
    stories: list[StoryName]
    """The stories named here."""
    reasons: list[str] = Field(
        examples=[["It helped to start story s000001 in the slide that ended …"]]
    )
    """All of it in sentences."""
    sentences: list[SentenceOut]
    """Empty where the article has left the window."""
    decision: dict[str, Any] = Field(examples=[{"story": "s000001", "how": "seeded"}])
    """What was written down, as it was."""


class MatchOut(Shape):
    """A story that a text may be about."""

    story: str = Field(examples=["s000001"])
    headline: str = Field(
        examples=["Strong earthquake shakes Kestrel Bay, tsunami advisory issued"]
    )
    probability: float = Field(examples=[0.87])
    joins: bool = Field(examples=[True])
    """Whether the next slide would put it there."""
    evidence: dict[str, float] | None = Field(examples=[{"words": 2.1, "meaning": 1.4}])
    """Log-odds by each evidence: above 0 speaks for the story. Null in mode `paper`."""
    words: float | None = Field(examples=[2.1])
    """`evidence.words`, 0 if it is not there."""
    meaning: float | None = Field(examples=[1.4])
    """`evidence.meaning`, likewise."""
    cosine: float | None = Field(examples=[None])
    """Mode `paper`: of the sentences on the theme."""
    divergence: float | None = Field(examples=[None])
    """Mode `paper`: similarity of the keyword distributions."""
    keywords: list[str] = Field(examples=[["kestrel", "earthquake"]])
    links: dict[str, float] = Field(examples=[{"a-0001": 0.9}])


class Matches(Shape):
    """The stories that a text may be about, the likeliest first."""

    matches: list[MatchOut]
