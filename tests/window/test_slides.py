"""A stream is cut into slides: nothing lost, nothing twice, quiet days included."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.core.errors import InputError
from ustory.core.settings import Settings
from ustory.window.slides import RawSlide, Slicer

MONDAY = datetime(2024, 3, 4, tzinfo=UTC)


def spans(window: str, slide: str) -> Settings:
    return Settings(mode="paper").with_({"window": window, "slide": slide})


DAILY = spans("3d", "1d")


def at(hours: float) -> datetime:
    return MONDAY + timedelta(hours=hours)


def article(hours: float, name: str = "") -> Article:
    return Article(id=name or f"h{hours:g}", published_at=at(hours), title="T")


def cut(slicer: Slicer, articles: Sequence[Article]) -> list[RawSlide]:
    slides = [slide for article in articles for slide in slicer.push(article)]
    return slides + slicer.flush()


def shown(slides: Sequence[RawSlide]) -> list[tuple[float, str]]:
    """Return the end of each slide in hours since Monday, and its articles."""
    return [
        (
            (slide.end - MONDAY) / timedelta(hours=1),
            " ".join(a.id for a in slide.articles),
        )
        for slide in slides
    ]


def test_an_article_at_the_end_of_a_slide_opens_the_next() -> None:
    # |h1      h23|h24   |
    articles = [article(1), article(23), article(24)]

    assert shown(cut(Slicer(DAILY), articles)) == [(24, "h1 h23"), (48, "h24")]


def test_slides_are_aligned_to_the_calendar_and_not_to_the_first_article() -> None:
    slider = Slicer(spans("2d", "12h"))

    assert shown(cut(slider, [article(17)])) == [(24, "h17")]


def test_a_slide_stays_open_until_an_article_closes_it() -> None:
    slicer = Slicer(DAILY)

    assert slicer.push(article(1)) == []
    assert [a.id for a in slicer.pending] == ["h1"]
    assert shown(slicer.push(article(30))) == [(24, "h1")]
    assert [a.id for a in slicer.pending] == ["h30"]


def test_quiet_slides_come_until_the_window_is_empty_and_then_a_jump() -> None:
    # W is 3 days: |h1| . | . | . |        |h230|
    #              24   48  72  96 (window empty) 240
    slides = cut(Slicer(DAILY), [article(1), article(230)])

    assert shown(slides) == [(24, "h1"), (48, ""), (72, ""), (96, ""), (240, "h230")]


def test_a_short_gap_has_all_its_quiet_slides() -> None:
    slides = cut(Slicer(DAILY), [article(1), article(80)])

    assert shown(slides) == [(24, "h1"), (48, ""), (72, ""), (96, "h80")]


def test_a_late_article_joins_the_open_slide() -> None:
    slides = cut(Slicer(DAILY), [article(1), article(30), article(5), article(49)])

    assert shown(slides) == [(24, "h1"), (48, "h30 h5"), (72, "h49")]


def test_a_resumed_stream_goes_on_behind_the_last_slide() -> None:
    slicer = Slicer(DAILY, after=at(24))

    slides = cut(slicer, [article(5), article(30), article(80)])

    assert shown(slides) == [(48, "h5 h30"), (72, ""), (96, "h80")]


def test_a_resumed_stream_lets_the_window_run_empty_too() -> None:
    slides = cut(Slicer(DAILY, after=at(24)), [article(230)])

    assert shown(slides) == [(48, ""), (72, ""), (96, ""), (240, "h230")]


def test_flushing_closes_the_open_slide_once() -> None:
    slicer = Slicer(DAILY)
    slicer.push(article(1))

    assert shown(slicer.flush()) == [(24, "h1")]
    assert slicer.flush() == []
    assert slicer.pending == ()


def test_after_a_flush_the_stream_goes_on_with_the_next_slide() -> None:
    slicer = Slicer(DAILY)
    cut(slicer, [article(1)])

    assert shown(cut(slicer, [article(2), article(49)])) == [(48, "h2"), (72, "h49")]


def test_nothing_in_nothing_out() -> None:
    assert Slicer(DAILY).flush() == []
    assert Slicer(Settings(mode="paper", window=4, slide=2)).flush() == []


def test_slides_by_number_hold_equally_many_and_end_behind_their_newest() -> None:
    tick = timedelta(microseconds=1)
    articles = [article(3), article(1), article(2), article(1.5), article(9)]

    slides = cut(Slicer(Settings(mode="paper", window=4, slide=2)), articles)

    assert [[a.id for a in slide.articles] for slide in slides] == [
        ["h3", "h1"],
        ["h2", "h1.5"],
        ["h9"],
    ]
    # the second is older than the first, and still ends behind it
    assert [s.end for s in slides] == [at(3) + tick, at(3) + 2 * tick, at(9) + tick]


def test_slides_by_number_go_on_behind_the_last_end() -> None:
    slicer = Slicer(Settings(mode="paper", window=4, slide=2), after=at(10))

    (slide,) = cut(slicer, [article(1), article(2)])

    assert slide.end > at(10)


@pytest.mark.parametrize("settings", [DAILY, Settings(mode="paper", window=4, slide=2)])
def test_a_date_without_a_time_zone_is_refused(settings: Settings) -> None:
    naive = Article(id="a1", published_at=datetime(2024, 3, 4), title="T")  # noqa: DTZ001 - the point of the case

    with pytest.raises(InputError, match="needs a time zone; article 'a1'"):
        Slicer(settings).push(naive)


def test_other_time_zones_are_cut_by_utc() -> None:
    east = timezone(timedelta(hours=9))
    early = Article(id="a1", published_at=at(23).astimezone(east), title="T")

    assert shown(cut(Slicer(DAILY), [early, article(24)])) == [(24, "a1"), (48, "h24")]


@st.composite
def streams(draw: st.DrawFn) -> list[Article]:
    """Draw articles mostly in order of time, with gaps and late ones."""
    steps = draw(st.lists(st.integers(-50, 200), max_size=30))
    hours = 0
    articles = []
    for number, step in enumerate(steps):
        hours = max(hours + (step if step > 100 else step // 10), -60)
        articles.append(article(hours, f"a{number}"))
    return articles


WINDOWS = st.sampled_from(
    [
        DAILY,
        spans("36h", "12h"),
        spans("1d", "1d"),
        spans("5d", "2d"),
        Settings(mode="paper", window=6, slide=3),
        Settings(mode="paper", window=4, slide=1),
    ]
)


@given(streams(), WINDOWS)
def test_every_article_comes_out_once_and_in_order(
    articles: list[Article], settings: Settings
) -> None:
    slides = cut(Slicer(settings), articles)

    assert [a for slide in slides for a in slide.articles] == articles


@given(streams(), WINDOWS)
def test_ends_move_on_and_no_article_is_behind_its_slide(
    articles: list[Article], settings: Settings
) -> None:
    slides = cut(Slicer(settings), articles)

    ends = [slide.end for slide in slides]
    assert ends == sorted(set(ends))
    for slide in slides:
        assert all(a.published_at < slide.end for a in slide.articles)


@given(streams())
def test_no_calendar_slide_is_missing_while_the_window_holds_an_article(
    articles: list[Article],
) -> None:
    slides = cut(Slicer(DAILY), articles)

    full = MONDAY
    for before, after in pairwise(slides):
        full = before.end if before.articles else full
        emptied = before.end >= full + timedelta(days=3)
        assert (after.end - before.end == timedelta(days=1)) or emptied
        assert after.articles or after.end <= full + timedelta(days=3)


@given(streams(), WINDOWS, st.data())
def test_a_stream_resumed_behind_any_slide_is_cut_alike(
    articles: list[Article], settings: Settings, data: st.DataObject
) -> None:
    slides = cut(Slicer(settings), articles)
    full = [place for place, slide in enumerate(slides) if slide.articles]
    if not full:
        return
    place = data.draw(st.sampled_from(full))
    rest = [a for slide in slides[place + 1 :] for a in slide.articles]

    assert cut(Slicer(settings, after=slides[place].end), rest) == slides[place + 1 :]


def test_a_story_is_told_to_expire_when_the_slide_does_not_divide_the_window() -> None:
    """W = 7 d, S = 3 d: the window of the third empty slide is the first without it."""
    settings = Settings(mode="paper").with_({"window": "7d", "slide": "3d"})
    slicer = Slicer(settings)
    slicer.push(article(0))
    ends = [slide.end for slide in slicer.push(article(90 * 24))]
    assert ends[0] + timedelta(days=7) <= ends[-1]
    assert ends[-1] - timedelta(days=7) < ends[0] + timedelta(days=3)
