"""What a stream is like: its row of the paper's Table 1, and what makes it hard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory_bench.describe.lives import Lives, lives_of
from ustory_bench.describe.wording import KEPT, Wording, Words, wording_of

OPTIONAL = ("title", "text", "url", "source", "lang", "label")
"""Fields that an article may lack."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a description keeps of an article."""

    published_at: datetime
    label: str | None
    lang: str | None
    missing: tuple[str, ...]
    """Which of `OPTIONAL` it lacks."""
    sentences: int
    """Its sentences, the title among them."""

    @classmethod
    def of(cls, article: Article, sentences: int) -> Subject:
        """Return what is kept of an article."""
        missing = tuple(name for name in OPTIONAL if not getattr(article, name))
        return cls(
            published_at=article.published_at,
            label=article.label,
            lang=article.lang,
            missing=missing,
            sentences=sentences,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of the paper's Table 1; None without labels."""

    articles: int
    sentences_per_article: float
    stories: int | None
    articles_per_story: float | None
    articles_per_story_and_day: float | None
    """Mean over the days on which a story has an article: the paper's M."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """When the articles were published."""

    first: datetime
    last: datetime
    days: int
    """Days from the first to the last."""
    days_with_articles: int
    articles_per_day: float
    """Mean over all the days."""
    busiest_day: int
    granularity: str
    """The finest of `day`, `hour`, `minute` and `second` that the times tell apart."""
    out_of_order: float
    """Share of the articles that are older than one read before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """All that is said of a stream."""

    row: TableRow
    calendar: Calendar
    languages: Mapping[str, int]
    """Articles by language, `?` where it is unknown; the most frequent first."""
    missing: Mapping[str, float]
    """Share of the articles that lack a field."""
    lives: Lives | None
    """None without labels."""
    wording: Wording
    notes: tuple[str, ...]
    """What could not be told, and why."""


def describe(
    subjects: Sequence[Subject],
    words: Words,
    window: timedelta,
    slide: timedelta,
    least: int,
) -> Description:
    """Return what a stream is like whose articles are `subjects`, as they were read.

    `words` are theirs, `least` is the size under which a story counts as small.
    """
    _check(subjects, window, slide, least)
    labelled = [each for each in subjects if each.label is not None]
    lives = None
    if labelled:
        labels = [str(each.label) for each in labelled]
        times = [each.published_at for each in labelled]
        lives = lives_of(labels, times, window, slide, least)
    languages = Counter(each.lang or "?" for each in subjects)
    lacking = Counter(name for each in subjects for name in each.missing)
    return Description(
        row=_row(subjects, len(labelled), lives),
        calendar=_calendar(subjects),
        languages=dict(languages.most_common()),
        missing={name: lacking[name] / len(subjects) for name in OPTIONAL},
        lives=lives,
        wording=wording_of(
            words,
            [each.label for each in subjects],
            [each.published_at for each in subjects],
            window,
        ),
        notes=tuple(_notes(len(subjects), len(labelled), lives)),
    )


def _check(
    subjects: Sequence[Subject], window: timedelta, slide: timedelta, least: int
) -> None:
    if not subjects:
        raise ConfigError("there is no article to describe; check the files")
    if not timedelta(0) < slide <= window:
        raise ConfigError(
            f"the slide must be longer than nothing and no longer than the window; got "
            f"a slide of {slide} and a window of {window}"
        )
    if least < 1:
        raise ConfigError(f"a story has at least 1 article; got {least}")


def _row(subjects: Sequence[Subject], labelled: int, lives: Lives | None) -> TableRow:
    return TableRow(
        articles=len(subjects),
        sentences_per_article=sum(each.sentences for each in subjects) / len(subjects),
        stories=lives.stories if lives else None,
        articles_per_story=labelled / lives.stories if lives else None,
        articles_per_story_and_day=labelled / lives.story_days if lives else None,
    )


def _calendar(subjects: Sequence[Subject]) -> Calendar:
    times = [each.published_at.astimezone(UTC) for each in subjects]
    by_day = Counter(moment.date() for moment in times)
    days = (max(by_day) - min(by_day)) // _DAY + 1
    newest, late = times[0], 0
    for moment in times:
        late += moment < newest
        newest = max(newest, moment)
    return Calendar(
        first=min(times),
        last=max(times),
        days=days,
        days_with_articles=len(by_day),
        articles_per_day=len(times) / days,
        busiest_day=max(by_day.values()),
        granularity=_granularity(times),
        out_of_order=late / len(times),
    )


def _granularity(times: Sequence[datetime]) -> str:
    for part in ("second", "minute", "hour"):
        if any(getattr(moment, part) for moment in times):
            return part
    return "day"


def _notes(articles: int, labelled: int, lives: Lives | None) -> list[str]:
    notes = []
    if lives is None:
        notes.append("no article has a label: what concerns true stories is left out")
    elif labelled < articles:
        notes.append(
            f"{articles - labelled:,} of {articles:,} articles have no label, and are "
            "in no story"
        )
    if lives is not None and lives.stories == 1:
        notes.append("there is one story only, and so no other to confuse it with")
    if articles > KEPT:
        notes.append(f"words are compared among the first {KEPT:,} articles")
    return notes
