"""The library takes new texts of articles: by address, or where they are handed in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.engine.correcting import CUP, DAY, QUAKE, START
from ustory import Article, Discovery, Settings
from ustory.core.errors import InputError
from ustory.sources.records.identity import derived_id
from ustory.stories.discovery import SlideResult
from ustory.testing.parts import TinyEncoder

SETTINGS = Settings(encoder="tiny")


def told(name: str, text: str, hours: float) -> Article:
    """Return an article that brings an id of its own."""
    return Article(
        id=name,
        published_at=START + timedelta(hours=hours),
        title=" ".join(text.split()[:8]),
        text=text,
        url=f"https://news.example/{name}",
        source=name,
        lang="en",
    )


def by_address(article: Article) -> Article:
    """Return the same article as a file without ids gives it."""
    return replace(article, id=derived_id(article.url, None, "", ""))


TOLD = [
    *(told(f"q{n}", text, n) for n, text in enumerate(QUAKE[:3])),
    *(told(f"c{n}", text, n + 5) for n, text in enumerate(CUP[:3])),
]
LATER = told("later", "Rain is expected on the coast of Harrow on Thursday.", 30)


def discovery(articles: Iterable[Article] = TOLD) -> Discovery:
    """Return a discovery that has read the first day, and opened the second."""
    found = Discovery(SETTINGS, encoder=TinyEncoder())
    run(found, [*articles, LATER])
    return found


def run(found: Discovery, articles: Iterable[Article]) -> list[SlideResult]:
    return list(found.add(articles))


def story(found: Discovery, name: str) -> str | None:
    return found.engine.assignments(found.state).get(name)


def test_a_new_text_that_is_handed_in_moves_its_article_in_one_slide() -> None:
    found = discovery()
    quake, cup = story(found, "q2"), story(found, "c0")
    assert quake != cup

    assert list(found.correct([told("q2", CUP[3], 31)])) == []
    (result,) = found.finish()

    assert story(found, "q2") == cup
    assert [event.kind for event in result.events] == ["moved"]
    assert [article.id for article in result.slide.corrections] == ["q2"]
    assert found.state.arrivals == 7
    assert found.state.records["q2"].published_at == TOLD[2].published_at
    (moved,) = [each for each in found.stories() if each.id == cup]
    assert (moved.total, len(moved.articles)) == (4, 4)


def test_an_address_that_comes_again_is_a_new_text() -> None:
    found = discovery([by_address(each) for each in TOLD])
    name = by_address(TOLD[2]).id

    run(found, [by_address(told("q2", CUP[3], 31))])
    list(found.finish())

    assert story(found, name) == story(found, by_address(TOLD[3]).id)
    assert found.state.arrivals == 7


def test_an_id_of_ones_own_that_comes_again_is_refused() -> None:
    found = discovery()

    with pytest.raises(InputError, match="'q2' is already in the window"):
        run(found, [told("q2", CUP[3], 31)])


def test_the_text_of_an_article_whose_slide_is_open_is_replaced() -> None:
    found = Discovery(SETTINGS, encoder=TinyEncoder())
    run(found, TOLD)
    list(found.correct([told("q2", CUP[3], 20)]))

    (result,) = found.finish()

    assert story(found, "q2") == story(found, "c0")
    assert result.slide.corrections == ()
    assert len(result.slide.articles) == found.state.arrivals == 6
    assert found.state.records["q2"].published_at == TOLD[2].published_at


def test_the_same_text_again_changes_nothing() -> None:
    found = discovery([by_address(each) for each in TOLD])
    before = found.state.link

    run(found, [by_address(TOLD[2]), by_address(TOLD[2])])
    (result,) = found.finish()

    assert result.events == ()
    assert result.state.link.next_serial == before.next_serial + 1  # LATER alone
    assert result.state.link.story == before.story


def test_of_an_article_that_left_the_window_nothing_changes() -> None:
    found = discovery()
    far = told("far", "Rain is expected on the coast of Harrow on Sunday.", 24 * 20)
    run(found, [far])

    list(found.correct([told("q2", CUP[3], 24 * 20 + 1)]))
    *_, last = found.finish()

    assert last.slide.articles == (far,)
    assert set(last.state.records) == {"far"}
    assert last.state.arrivals == 8


def test_a_correction_alone_closes_the_slides_before_it() -> None:
    found = discovery()

    results = list(found.correct([told("q2", CUP[3], 24 * 3)]))

    assert [result.slide.end - START for result in results] == [2 * DAY, 3 * DAY]
    (last,) = found.finish()
    assert last.slide.end == START + 4 * DAY
    assert [event.kind for event in last.events] == ["moved"]


def test_a_run_that_is_saved_with_a_correction_goes_on_with_it(tmp_path: Path) -> None:
    found = discovery()
    list(found.correct([told("q2", CUP[3], 31)]))
    assert [article.id for article in found.pending] == ["later", "q2"]
    found.save(tmp_path / "state")

    again, _ = Discovery.load(tmp_path / "state", encoder=TinyEncoder())
    list(found.finish())
    (result,) = again.finish()

    assert [event.kind for event in result.events] == ["moved"]
    assert again.engine.freeze(again.state) == found.engine.freeze(found.state)


def test_in_a_window_by_number_a_correction_fills_no_slide() -> None:
    settings = Settings(encoder="tiny", window=12, slide=6)
    found = Discovery(settings, encoder=TinyEncoder())
    run(found, [*TOLD, LATER])

    list(found.correct([told("q2", CUP[3], 31)]))
    (result,) = found.finish()

    assert story(found, "q2") == story(found, "c0")
    assert len(result.state.records) == 7
