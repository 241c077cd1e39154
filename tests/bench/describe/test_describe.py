"""A description says what a stream is like, and what could not be told."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory_bench.describe import description as describe_module
from ustory_bench.describe.description import Description, Subject, describe
from ustory_bench.describe.wording import Words

DAY = timedelta(days=1)


def subject(
    day: int, label: str | None = None, hour: int = 0, sentences: int = 10
) -> Subject:
    article = Article(
        id="a",
        published_at=datetime(2024, 3, day, hour, tzinfo=UTC),
        title="T",
        label=label,
    )
    return Subject.of(article, sentences)


def described(*subjects: Subject, least: int = 2) -> Description:
    return describe(subjects, Words(), 7 * DAY, DAY, least)


def test_the_row_counts_as_table_1_does() -> None:
    row = described(
        subject(1, "a", sentences=4),
        subject(1, "a", sentences=8),
        subject(1, "a"),
        subject(2, "a"),
        subject(2, "b", sentences=3),
    ).row

    assert (row.articles, row.stories) == (5, 2)
    assert row.sentences_per_article == 7.0
    assert row.articles_per_story == 2.5
    assert row.articles_per_story_and_day == pytest.approx(5 / 3)


def test_a_stream_without_labels_gets_its_row_and_a_note() -> None:
    found = described(subject(1), subject(2))

    assert (found.row.articles, found.row.sentences_per_article) == (2, 10.0)
    assert found.row.stories is None
    assert found.row.articles_per_story is None
    assert found.row.articles_per_story_and_day is None
    assert found.lives is None
    assert found.notes == (
        "no article has a label: what concerns true stories is left out",
    )


def test_articles_without_a_label_are_in_no_story() -> None:
    found = described(subject(1, "a"), subject(2, "b"), subject(3))

    assert found.row.articles == 3
    assert found.row.articles_per_story == 1.0
    assert found.missing["label"] == pytest.approx(1 / 3)
    assert found.notes == ("1 of 3 articles have no label, and are in no story",)


def test_one_story_only_is_noted() -> None:
    found = described(subject(1, "a"), subject(2, "a"))

    assert found.lives is not None
    assert found.lives.stories == 1
    (note,) = found.notes
    assert note == "there is one story only, and so no other to confuse it with"


def test_more_articles_than_are_compared_is_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(describe_module, "KEPT", 1)

    notes = described(subject(1, "a"), subject(2, "b")).notes

    assert notes == ("words are compared among the first 1 articles",)


def test_the_calendar_counts_days_and_late_articles() -> None:
    calendar = described(subject(3), subject(1), subject(3), subject(7)).calendar

    assert (calendar.days, calendar.days_with_articles) == (7, 3)
    assert calendar.busiest_day == 2
    assert calendar.articles_per_day == pytest.approx(4 / 7)
    assert calendar.out_of_order == 0.25
    assert (calendar.first.day, calendar.last.day) == (1, 7)


@pytest.mark.parametrize(
    ("changes", "finest"),
    [
        ({}, "day"),
        ({"hour": 5}, "hour"),
        ({"minute": 5}, "minute"),
        ({"hour": 5, "second": 1}, "second"),
    ],
)
def test_the_finest_unit_that_times_tell_apart(
    changes: dict[str, int], finest: str
) -> None:
    moment = datetime(2024, 3, 1, tzinfo=UTC).replace(**changes)  # type: ignore[arg-type]
    odd = replace(subject(1), published_at=moment)

    assert described(subject(1), odd).calendar.granularity == finest


def test_languages_and_missing_fields_are_counted() -> None:
    german = replace(subject(1), lang="de", missing=("url", "label"))

    found = described(german, german, subject(1))

    assert list(found.languages.items()) == [("de", 2), ("?", 1)]
    assert found.missing["url"] == 1.0
    assert found.missing["text"] == pytest.approx(1 / 3)
    assert found.missing["title"] == 0.0


@pytest.mark.parametrize(
    ("subjects", "window", "slide", "least", "message"),
    [
        ([], 7 * DAY, DAY, 2, "there is no article to describe"),
        ([subject(1)], DAY, 2 * DAY, 2, "no longer than the window"),
        ([subject(1)], DAY, 0 * DAY, 2, "longer than nothing"),
        ([subject(1)], DAY, DAY, 0, "at least 1 article; got 0"),
    ],
)
def test_what_cannot_be_described_is_refused(
    subjects: list[Subject],
    window: timedelta,
    slide: timedelta,
    least: int,
    message: str,
) -> None:
    with pytest.raises(ConfigError, match=message):
        describe(subjects, Words(), window, slide, least)
