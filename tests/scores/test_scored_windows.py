"""Which windows are scored, drawn on a calendar.

Columns are days; a letter is an article, standing on the day whose slide brought
it. W is 3 days, S is 1 day.

    slide end   1  2  3  4  5  6  7  8  9  10 11 12
    arrives     a  b  .  .  c  .  .  .  .  d  e  .
    window      a  ab ab b  c  c  c  .  .  d  de de?     (? no rows after 11)
    end - 1     0  1  2  3  4  5  6  7  8  9  10
    scored      -  -  -  x  x  x  x  .  .  x  x
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.scores.windows import (
    AssignmentRow,
    Report,
    evaluate_assignments,
    on_calendar,
    walk,
)

DAY = timedelta(days=1)
W = 3 * DAY
ARRIVES = {"a": 1, "b": 2, "c": 5, "d": 10, "e": 11}
TRUTH = {"a": "x", "b": "x", "c": "y", "d": "z", "e": "z"}


def day(number: float) -> datetime:
    return datetime(2024, 3, 1, tzinfo=UTC) + number * DAY


def listed(
    arrives: dict[str, int], days: Iterable[int], story: str | None = "s"
) -> Iterator[AssignmentRow]:
    """List every article of the window on each of the days."""
    for end in days:
        for article, arrival in arrives.items():
            if end - 3 < arrival <= end:
                yield AssignmentRow(day(end), article, story)


def evaluated(
    rows: Iterable[AssignmentRow], truth: dict[str, str | None] | None = None
) -> Report:
    return evaluate_assignments(truth or dict(TRUTH), rows, W, DAY)


def scored_days(report: Report) -> list[int]:
    return [(end - day(0)).days for end, _ in report.windowed.windows]


def test_windows_are_scored_from_w_after_the_first_slide_end() -> None:
    report = evaluated(listed(ARRIVES, range(1, 12)))

    assert scored_days(report) == [4, 5, 6, 7, 10, 11]
    assert report.full_windows


def test_a_run_that_skips_quiet_slides_is_scored_on_the_same_windows() -> None:
    report = evaluated(listed(ARRIVES, [1, 2, 5, 10, 11]))

    assert scored_days(report) == [4, 5, 6, 7, 10, 11]
    assert [s.articles for _, s in report.windowed.windows] == [1, 1, 1, 1, 1, 2]


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 30), min_size=1))
def test_quiet_slides_may_be_listed_or_left_out(arrives: dict[str, int]) -> None:
    truth: dict[str, str | None] = {article: article for article in arrives}
    busy = sorted(set(arrives.values()))

    full = evaluated(listed(arrives, range(busy[0], busy[-1] + 1)), truth)

    assert evaluated(listed(arrives, busy), truth) == full


def test_a_long_silence_is_not_walked_through_slide_by_slide() -> None:
    rows = [AssignmentRow(day(1), "a", "s"), AssignmentRow(day(200_000), "b", "s")]

    ends = [(end - day(0)).days for end, _ in walk(rows, W, DAY)]

    assert ends == [1, 2, 3, 200_000]


def test_a_stream_shorter_than_w_is_scored_on_all_its_windows_and_says_so() -> None:
    report = evaluated(listed(ARRIVES, [1, 2, 3]))

    assert scored_days(report) == [1, 2, 3]
    assert not report.full_windows


def test_the_mean_weighs_every_window_the_same() -> None:
    # Window 4 holds b alone and is perfect; 5 holds c and, listed late, a and b.
    rows = [
        AssignmentRow(day(1), "a", "s"),
        AssignmentRow(day(4), "b", "s"),
        *(AssignmentRow(day(5), article, "s") for article in "abc"),
    ]

    report = evaluated(rows)

    first, second = (score for _, score in report.windowed.windows)
    assert (first.ari, first.bcubed_f1) == (1.0, 1.0)
    assert second.ari == 0.0
    assert second.bcubed_precision == pytest.approx(5 / 9)
    assert report.windowed.mean.ari == 0.5
    assert report.windowed.mean.bcubed_precision == pytest.approx(7 / 9)


def test_the_whole_stream_takes_each_articles_last_story() -> None:
    rows = [
        *(AssignmentRow(day(1), article, "early") for article in "abcde"),
        *(
            AssignmentRow(day(2), article, story)
            for article, story in ("a1", "b1", "c2")
        ),
        *(AssignmentRow(day(3), article, "3") for article in "de"),
    ]

    report = evaluated(rows)

    assert report.whole_stream.ari == report.whole_stream.bcubed_f1 == 1.0
    assert report.whole_stream.found == 3


def test_missing_articles_are_unassigned_in_the_whole_stream() -> None:
    rows = [AssignmentRow(day(1), "a", "1"), AssignmentRow(day(1), "b", "1")]

    report = evaluated(rows)

    assert report.missing == 3
    assert report.whole_stream.articles == 5
    # c is its own story, as it should be; d and e were torn apart.
    assert report.whole_stream.bcubed_precision == 1.0
    assert report.whole_stream.bcubed_recall == pytest.approx(4 / 5)


def test_unlabelled_articles_are_counted_and_left_out() -> None:
    truth: dict[str, str | None] = {**TRUTH, "u": None, "v": None}
    rows = [AssignmentRow(day(1), article, "1") for article in "abu"]

    report = evaluated(rows, truth)

    assert report.unlabelled == 2
    assert report.whole_stream.articles == 5
    assert [score.articles for _, score in report.windowed.windows] == [2]
    assert report.windowed.mean.bcubed_precision == 1.0


def test_a_window_without_a_labelled_article_is_not_scored() -> None:
    rows = [
        AssignmentRow(day(1), "a", "1"),
        AssignmentRow(day(8), "u", "2"),
        AssignmentRow(day(9), "b", "2"),
    ]

    assert scored_days(evaluated(rows, {**TRUTH, "u": None})) == [9]


def test_slides_off_the_calendar_count_for_the_whole_stream_alone() -> None:
    rows = [
        AssignmentRow(day(1), "a", "1"),
        AssignmentRow(day(1.5), "a", "1"),
        AssignmentRow(day(1.5), "b", "1"),
        AssignmentRow(day(2), "a", "1"),
    ]

    report = evaluated(rows)

    assert scored_days(report) == [1, 2]
    assert report.missing == 3


def test_quiet_slides_between_windows_by_number_are_not_scored() -> None:
    rows = [
        AssignmentRow(day(1.5), "a", "1"),
        AssignmentRow(day(3.5), "a", "1"),
        AssignmentRow(day(3.5), "b", "1"),
    ]

    with pytest.raises(ConfigError, match="by time and not by number"):
        evaluated(rows)


def test_the_calendar_counts_from_the_epoch_in_utc() -> None:
    # 2024-03-01 is day 19,783 of the epoch, and 19,783 = 7 · 2,826 + 1.
    assert on_calendar(day(0), DAY)
    assert not on_calendar(day(0), 7 * DAY)
    assert on_calendar(day(6), 7 * DAY)


def test_slide_ends_in_another_zone_are_the_same_slides() -> None:
    rows = list(listed(ARRIVES, range(1, 12)))
    zone = datetime.fromisoformat("2024-03-01T00:00:00+05:30").tzinfo
    moved = [row._replace(slide_end=row.slide_end.astimezone(zone)) for row in rows]

    assert evaluated(moved) == evaluated(rows)


def test_rows_are_read_one_slide_at_a_time() -> None:
    def endless() -> Iterator[AssignmentRow]:
        yield AssignmentRow(day(1), "a", "1")
        yield AssignmentRow(day(2), "stranger", "1")
        yield AssignmentRow(day(3), "b", "1")
        raise AssertionError("read past the slide that is wrong")

    with pytest.raises(ConfigError, match="stranger"):
        evaluated(endless())


def test_figures_name_every_metric_of_both_views() -> None:
    report = evaluated(listed(ARRIVES, range(1, 12)))

    figures = report.figures()

    assert figures["windowed_ami"] == report.windowed.mean.ami
    assert figures["whole_stream_bcubed_f1"] == report.whole_stream.bcubed_f1
    assert len(figures) == 10
    assert report.protocol == "singleton"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "no row was given"),
        ([AssignmentRow(day(1), "q", "1")], "the stream has no article 'q'"),
        (
            [AssignmentRow(day(2), "a", "1"), AssignmentRow(day(1), "a", "1")],
            "oldest first",
        ),
        (
            [AssignmentRow(day(1), "a", "1"), AssignmentRow(day(1), "a", "2")],
            "'a' is listed twice",
        ),
        ([AssignmentRow(day(1).replace(tzinfo=None), "a", "1")], "time zone"),
        ([AssignmentRow(day(1.5), "a", "1")], "give the slide of the run"),
        (
            [AssignmentRow(day(1), "u", "1")],
            "no window holds an article with a true story",
        ),
    ],
)
def test_rows_that_cannot_be_scored_are_refused_in_words(
    rows: list[AssignmentRow], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        evaluated(rows, {**TRUTH, "u": None})


def test_a_stream_without_labels_is_refused() -> None:
    with pytest.raises(ConfigError, match="labelled stream"):
        evaluated([AssignmentRow(day(1), "a", "1")], {"a": None})


@pytest.mark.parametrize(
    ("window", "slide", "protocol", "said"),
    [
        (timedelta(0), DAY, "paper", "window must be a duration"),
        (W, -DAY, "paper", "slide must be a duration"),
        (DAY, W, "paper", "must not be longer than window"),
        (W, DAY, "both", "singleton, paper"),
    ],
)
def test_settings_that_cannot_work_are_refused_before_reading(
    window: timedelta, slide: timedelta, protocol: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        evaluate_assignments(TRUTH, iter([]), window, slide, protocol)
