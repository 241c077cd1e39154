"""The map follows the slides, away from the loop, and shows what the window holds."""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Event, Thread
from typing import cast

import numpy as np
import pytest

from tests.service.running import DAILY, Rig, demo_articles, opened
from ustory.core.settings import Settings
from ustory.engine.state import State
from ustory.service.loop import Loop
from ustory.service.map import MapMaker, Picture
from ustory.service.views import Viewer
from ustory.store import Store

_PAPER = Settings.paper(min_articles=2, slide="1d")


def _told(store: Store, settings: Settings = DAILY, articles: int = 60) -> Rig:
    rig = Rig(store, settings=settings)
    rig.accept(*demo_articles()[:articles])
    rig.loop.catch_up()
    return rig


def test_there_is_no_map_before_the_first_slide(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        made = MapMaker(Rig(store).loop)

        assert not made.update()
        assert made.picture == Picture()
        assert not made.is_behind


@pytest.mark.parametrize("settings", [DAILY, _PAPER])
def test_the_map_shows_the_articles_of_the_window(
    sqlite_url: str, settings: Settings
) -> None:
    with opened(sqlite_url) as store:
        rig = _told(store, settings)
        made = MapMaker(rig.loop)
        assert made.is_behind

        assert made.update()

        state, picture = rig.loop.state, made.picture
        assert {spot.id for spot in picture.spots} == set(state.records)
        assert picture.slide == rig.loop.slide
        assert picture.end == state.end
        assert not made.is_behind
        dates = [spot.published_at for spot in picture.spots]
        assert dates == sorted(dates)
        stories = {spot.story for spot in picture.spots if spot.story}
        assert stories == set(state.stories)
        assert all(
            np.isfinite([*spot.thematic, *spot.plain]).all() for spot in picture.spots
        )


def test_articles_that_have_no_story_yet_are_on_the_map(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store, settings=DAILY)
        rig.accept(*demo_articles()[:3])
        rig.loop.finish()
        made = MapMaker(rig.loop)

        assert made.update()

        assert rig.loop.state.stories == {}
        assert [spot.story for spot in made.picture.spots] == [None, None, None]


def test_a_window_without_articles_is_an_empty_map(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = _told(store)
        emptied = replace(rig.loop.state, records={})
        made = MapMaker(cast(Loop, _At(rig.loop, emptied)))

        assert made.update()

        assert made.picture == Picture(slide=rig.loop.slide, end=emptied.end)


class _At:
    """A loop at another state."""

    def __init__(self, loop: Loop, state: State) -> None:
        self.state, self.slide, self.runner = state, loop.slide, loop.runner


def test_the_map_is_drawn_once_for_each_slide(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        made = MapMaker(_told(store).loop)

        assert [made.update(), made.update()] == [True, False]


def test_articles_stay_where_they_are_from_slide_to_slide(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = _told(store, articles=70)
        made = MapMaker(rig.loop)
        made.update()
        before = {spot.id: spot for spot in made.picture.spots}

        rig.accept(*demo_articles()[70:85])
        rig.loop.catch_up()
        made.update()

        both = [(before[s.id], s) for s in made.picture.spots if s.id in before]
        assert len(both) > 20
        for panel in ("thematic", "plain"):
            old = np.array([getattr(a, panel) for a, _ in both])
            new = np.array([getattr(b, panel) for _, b in both])
            assert np.median(np.linalg.norm(new - old, axis=1)) < 0.3 * old.std()


def test_two_maps_of_one_stream_are_the_same(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        loop = _told(store).loop
        first, second = MapMaker(loop), MapMaker(loop)
        first.update()
        second.update()

        assert replace(first.picture, seconds=0) == replace(second.picture, seconds=0)


def test_only_the_newest_articles_are_on_the_map(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = _told(store)
        made = MapMaker(rig.loop, newest=10)
        made.update()

        every = sorted(
            rig.loop.state.records.values(), key=lambda r: (r.published_at, r.id)
        )
        assert [spot.id for spot in made.picture.spots] == [r.id for r in every[-10:]]
        assert made.picture.inside == len(every)


def test_an_article_is_seen_through_the_theme_of_its_story(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = _told(store)

        views = Viewer(rig.loop.runner).views(rig.loop.state)

        far = np.abs(views.thematic - views.plain).max(axis=1)
        told = np.array([story is not None for story in views.stories])
        assert told.any()
        assert (~told).any()
        assert (far[~told] < 1e-6).all()
        assert (far[told] > 1e-3).any()
        unit = views.plain / np.linalg.norm(views.plain, axis=1, keepdims=True)
        kept = [rig.loop.state.link.articles[name].vector for name in views.names]
        assert np.allclose(unit, kept, atol=2e-3)


def test_sentences_are_encoded_once(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        loop = _told(store).loop
        viewer = Viewer(loop.runner)
        viewer.views(loop.state)

        def never(sentences: object) -> None:
            raise AssertionError(sentences)

        monkeypatch.setattr(loop.runner, "vectors", never)
        viewer.views(loop.state)


def test_the_map_is_drawn_in_a_thread_and_outlives_trouble(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        rig = _told(store)
        made, stop = MapMaker(rig.loop), Event()
        thread = Thread(target=made.run, args=(stop,))
        thread.start()
        until = time.monotonic() + 30
        while made.is_behind and time.monotonic() < until:
            time.sleep(0.02)
        stop.set()
        thread.join(10)
        assert not made.is_behind
        assert not thread.is_alive()

        broken, again = MapMaker(rig.loop), Event()

        def fail(*given: object) -> bool:
            again.set()
            raise RuntimeError("no")

        monkeypatch.setattr(broken, "update", fail)
        broken.run(again)
        assert "RuntimeError" in rig.loop.problems.now()["map"]
