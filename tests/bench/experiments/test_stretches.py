from __future__ import annotations

from datetime import timedelta

import pytest
from tests.bench.experiments.figure_case import demo_inputs, inputs_of, written

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.testing.parts import DAY, START
from ustory_bench.experiments.segments import (
    between,
    busiest,
    in_turn,
    joined,
)

SETTINGS = Settings(mode="paper")
HOURS = (0, 5, 25, 30, 31, 200, 201, 202)
STREAM = inputs_of([written(f"a{h:03d}", ["Rain."], "x", h) for h in HOURS]).stream


def test_the_busiest_stretch_has_the_most_labelled_articles() -> None:
    found = busiest(STREAM, DAY, SETTINGS)

    # both days have three articles: the earlier wins
    assert (found.start, found.end) == (START + DAY, START + 2 * DAY)
    assert [one.article.id for one in found.articles] == ["a025", "a030", "a031"]
    assert len(busiest(STREAM, timedelta(days=7), SETTINGS).articles) == 5


def test_articles_without_a_label_make_no_stretch_busy() -> None:
    noise = [written(f"n{i}", ["Rain."], None, 48 + i) for i in range(9)]
    stream = inputs_of([*STREAM.articles[:5], *noise]).stream

    assert busiest(stream, DAY, SETTINGS).start == START + DAY


def test_a_stretch_leaves_its_end_out() -> None:
    found = between(STREAM, START, START + timedelta(hours=25))

    assert [one.article.id for one in found.articles] == ["a000", "a005"]


def test_stretches_that_touch_are_read_once() -> None:
    apart = between(STREAM, START + 8 * DAY, START + 9 * DAY)
    one, two = between(STREAM, START, START + DAY), between(STREAM, START, START + DAY)
    next_ = between(STREAM, START + DAY, START + 2 * DAY)

    found = joined(STREAM, [apart, next_, one, two])

    assert [len(each.articles) for each in found] == [5, 3]
    assert found[0].end == START + 2 * DAY


def test_windows_in_turn_hold_every_article_once_and_none_is_longer_than_w() -> None:
    articles = demo_inputs().stream.articles

    windows = list(in_turn(articles, SETTINGS))

    assert [one for part in windows for one in part] == list(articles)
    assert len(windows) > 1
    for part in windows:
        times = [one.article.published_at for one in part]
        assert max(times) - min(times) < timedelta(days=7)


def test_windows_by_number_are_refused() -> None:
    with pytest.raises(ConfigError, match="windows by time"):
        busiest(STREAM, DAY, Settings(mode="paper", window=70, slide=10))
