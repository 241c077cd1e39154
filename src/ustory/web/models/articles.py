"""Articles as they are sent in, and what is said about them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from ustory.store.articles import Change
from ustory.web.models.operations import AsideOut
from ustory.web.models.shared import SEEN, Address, Line, Moment, Shape, Text
from ustory.web.models.stories import ArticleOut

ArticleId = Annotated[Line, Field(min_length=1, max_length=500)]
MOST = 1_000
"""Articles in one request."""
_WORDS = SEEN


class ArticleIn(BaseModel):
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

    id: ArticleId | None = Field(
        None, description="Yours, if you have one; else it is made from the address."
    )
    title: Line = Field("", description="Its headline.")
    text: Text = Field("", description="Plain text; line breaks end sentences.")
    url: Address | None = Field(None, description="Where it is published.")
    published_at: Moment | None = Field(
        None, description="When it appeared, by its publisher; now, when missing."
    )
    source: Line | None = Field(None, description="Who published it.")
    lang: Annotated[Line, Field(max_length=35)] | None = Field(
        None, description="Its language, `en` or `de-CH`."
    )
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


class ArticlesIn(BaseModel):
    """Many articles at once."""

    articles: list[ArticleIn] = Field(min_length=1, max_length=MOST)


class WithdrawalIn(BaseModel):
    """What is to be withdrawn."""

    kind: Literal["article", "source", "origin", "text"] = Field(
        description="One article by its id; those of a source, or of an origin as "
        "articles name it; or all that have some words, in any case."
    )
    value: Annotated[Line, Field(min_length=1, max_length=1_000, pattern=_WORDS)]


class WithdrawalOut(Shape):
    """What a withdrawal did."""

    articles: int = Field(description="Articles that are gone.")
    stories: int = Field(description="Stories that lost articles.")
    backups: list[str] = Field(
        description="Files beside the database that are named as backups of it, and "
        "may still have them; others are not known."
    )


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

    article: str = Field(description="Its id.")
    seq: int | None = Field(description="Its number in the intake.")
    slide: int | None = Field(description="The slide that will settle, or settled, it.")
    outcome: str = Field(description="`new`, `edited`, `known` or `refused`.")
    story: str | None = Field(description="The story it is likely to be in.")
    probability: float | None = Field(description="How likely, while provisional.")
    provisional: bool = Field(description="Whether its slide is still to settle it.")
    reason: str | None = Field(description="Why it was refused.")


class Receipts(Shape):
    """What became of the articles, in the order they were sent."""

    receipts: list[ReceiptOut]


class RevisionOut(Shape):
    """A text of an article."""

    number: int
    title: str
    fetched_at: datetime

    @classmethod
    def of(cls, change: Change) -> RevisionOut:
        """Return a revision of the store as it goes out."""
        return cls(
            number=change.number, title=change.title, fetched_at=change.fetched_at
        )


class RevisionPage(Shape):
    """Some revisions of an article, the newest first."""

    revisions: list[RevisionOut]
    next: int | None = Field(description="`before` of the next page; null on the last.")


class ArticleDetail(ArticleOut):
    """An article with its text."""

    text: str | None = Field(description="Null where texts are not kept any more.")
    revisions: list[RevisionOut] = Field(description="The last 50, the oldest first.")
    set_aside: AsideOut | None = Field(
        description="Why slides are computed without it; null where they are not."
    )


class AsideIn(BaseModel):
    """Why an article is to be set aside."""

    model_config = ConfigDict(extra="ignore")

    why: Annotated[Line, Field(min_length=1, max_length=300)] = Field(
        description="In words that everybody may read."
    )


class SentenceOut(Shape):
    """A sentence, and how much it weighs under the theme of the story."""

    number: int
    text: str
    weight: float


class StoryName(Shape):
    """A story that an explanation speaks of."""

    id: str
    headline: str
    status: str


class Explanation(Shape):
    """Why an article is where it is."""

    article: str
    title: str
    published_at: datetime
    story: str | None
    how: str
    decided_at: datetime | None
    best: str | None = Field(
        description="The likeliest story, also if it did not join."
    )
    runner_up: str | None
    margin: float = Field(
        description="How far the runner-up is behind, as a probability; in mode "
        "`paper` as a similarity."
    )
    probability: float | None = Field(
        description="That it belongs to the likeliest story; null in mode `paper`."
    )
    evidence: dict[str, float] | None = Field(
        description="Log-odds by each evidence: above 0 speaks for the story. Null in "
        "mode `paper`."
    )
    words: float | None = Field(description="`evidence.words`, 0 if it is not there.")
    meaning: float | None = Field(description="`evidence.meaning`, likewise.")
    similarity: float | None = Field(
        description="Mode `paper`: cosine × divergence (Eq. 4); null in mode `links`."
    )
    cosine: float | None = Field(
        description="Mode `paper`: of the sentences on the theme."
    )
    divergence: float | None = Field(
        description="Mode `paper`: similarity of the keyword distributions."
    )
    log_odds: float = Field(
        description="Of the probability; in mode `paper` ln(conf/γ), and an article "
        "joins from 0 upwards."
    )
    keywords: dict[str, int] = Field(description="Of the story, found in the article.")
    links: dict[str, float] = Field(description="The articles that speak for it.")
    stories: list[StoryName] = Field(description="The stories named here.")
    reasons: list[str] = Field(description="All of it in sentences.")
    sentences: list[SentenceOut] = Field(
        description="Empty where the article has left the window."
    )
    decision: dict[str, Any] = Field(description="What was written down, as it was.")


class MatchOut(Shape):
    """A story that a text may be about."""

    story: str
    headline: str
    probability: float
    joins: bool = Field(description="Whether the next slide would put it there.")
    words: float = Field(description="Log-odds by words.")
    meaning: float = Field(description="Log-odds by meaning.")
    keywords: list[str]
    links: dict[str, float]


class Matches(Shape):
    """The stories that a text may be about, the likeliest first."""

    matches: list[MatchOut]
