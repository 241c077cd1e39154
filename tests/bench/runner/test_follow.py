from __future__ import annotations

from datetime import timedelta
from itertools import count

from tests.bench.runner.rigged_system import RIGGED, articles

from ustory.core.settings import Settings
from ustory.scores.windows import AssignmentRow
from ustory.stories.discovery import Discovery
from ustory.testing import TinyEncoder
from ustory.text import load_pipeline
from ustory_bench.own_systems import AUTO
from ustory_bench.runner.follow import follow, prepared_slides, rows
from ustory_bench.runner.streams import prepare_stream

DAY = timedelta(days=1)
SETTINGS = Settings(mode="paper")


def test_every_slide_is_told_until_the_window_has_run_empty() -> None:
    rigged = RIGGED.make(SETTINGS, TinyEncoder(), depth=1)

    told = list(follow(rigged, articles(), SETTINGS))
    ends = [each.end for each in told]

    # five days with articles (one of them quiet), six until the last has left, the
    # slide that tells so, and the return after a year
    assert len(told) == 13
    assert ends[:12] == [ends[0] + n * DAY for n in range(12)]
    assert ends[12] - ends[0] == 400 * DAY
    assert [len(each.stories) for each in told[9:]] == [5 - 3, 2, 0, 4]


def test_the_rows_are_the_windows_in_order() -> None:
    rigged = RIGGED.make(SETTINGS, TinyEncoder(), depth=1)
    told = list(follow(rigged, articles(), SETTINGS))

    found = list(rows(told))

    assert len(found) == sum(len(each.stories) for each in told)
    assert found[0] == AssignmentRow(told[0].end, "flood-0-0", "s000001")
    assert [row.slide_end for row in found] == sorted(row.slide_end for row in found)


def test_seconds_are_those_between_the_two_looks_at_the_clock() -> None:
    ticks = count(0.0, 0.5)
    rigged = RIGGED.make(SETTINGS, TinyEncoder())

    told = list(follow(rigged, articles(), SETTINGS, lambda: next(ticks)))

    assert {each.seconds for each in told} == {0.5}


def test_slides_hold_each_article_once_in_the_slide_of_its_date() -> None:
    slides = list(prepared_slides(articles(), SETTINGS))

    held = [p.article for slide in slides for p in slide.articles]
    assert [a.id for a in held] == [p.article.id for p in articles()]
    for slide in slides:
        for prepared in slide.articles:
            assert slide.end - DAY <= prepared.article.published_at < slide.end


def test_a_run_says_what_the_front_door_says() -> None:
    encoder, pipeline = TinyEncoder(), load_pipeline("fast")
    discovery = Discovery(SETTINGS, encoder=encoder, pipeline=pipeline)
    raw = [p.article for p in articles()]
    expected = {}
    for results in (discovery.add(raw), discovery.finish()):
        for result in results:
            expected[result.slide.end] = discovery.engine.assignments(result.state)

    ready = prepare_stream("tiny", raw, pipeline, encoder)
    auto = AUTO.make(SETTINGS, encoder)
    found = {t.end: t.stories for t in follow(auto, ready.articles, SETTINGS)}

    assert found == expected
