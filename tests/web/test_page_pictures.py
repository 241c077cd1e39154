"""Pictures that the server draws: complete without a script, and small."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from operator import attrgetter
from random import Random

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import get, the_service
from tests.web.looking import Looked, look
from ustory.service.map import Picture, Spot
from ustory.web.models.views import MapStory
from ustory.web.pages.assets import plotly
from ustory.web.pages.charts import MAX_TICKS, ticks
from ustory.web.pages.map_drawing import COLOURED, HEIGHT, SHAPES, WIDTH, map_drawing

DAY = datetime(2024, 3, 4, tzinfo=UTC)


def _spot(number: int, story: str | None, place: tuple[float, float]) -> Spot:
    return Spot(
        id=f"a{number}",
        title=f"Title {number}",
        published_at=DAY,
        story=story,
        thematic=place,
        plain=place,
    )


def _story(number: int, articles: int = 1) -> MapStory:
    return MapStory(
        id=f"s{number}",
        headline=f"Story {number}",
        keywords=[f"word{number}", "word"],
        articles=articles,
    )


def _map(reader: TestClient) -> Looked:
    the_service(reader).map.update()
    return look(reader, "/map")


def test_the_map_has_every_article_without_a_script(reader: TestClient) -> None:
    page = _map(reader)
    told = get(reader, "/api/map")

    assert "being drawn" not in page.html
    own = re.findall(r'class="marks series-\d".*?<path d="(.*?)"/></a>', page.html)
    marks = [path.count("M") for path in own]
    sizes = [story["articles"] for story in told["stories"][:COLOURED]]
    assert marks == 2 * sizes[::-1]
    dots = page.html.count("h0")
    assert 0 < dots <= 2 * (len(told["articles"]) - sum(sizes))
    links = [e["href"] for e in page.all("a", class_="marks")]
    assert links[: len(told["stories"])] == [
        f"/stories/{story['id']}" for story in reversed(told["stories"])
    ]
    assert all(e["aria-label"] for e in page.all("svg", class_="map-picture"))


def test_nothing_of_plotly_is_asked_for_by_a_page(reader: TestClient) -> None:
    for path in ("/map", "/timeline", "/operations", "/"):
        page = look(reader, path)
        asked = [e["src"] for e in page.all("script")]
        asked += [e["href"] for e in page.all("link")]
        assert not [each for each in asked if "plot" in each]
    for path in ("/map", "/timeline"):
        (button,) = look(reader, path).all("button", id="explore")
        assert reader.head(button["data-plotly"]).status_code == 200
        assert reader.get(button["data-from"]).status_code == 200


def test_the_button_says_what_plotly_weighs(reader: TestClient) -> None:
    assert "about 1.5 MB" in look(reader, "/map").one("span", id="explore-weight").text
    assert 1_250_000 < len(plotly().packed) < 1_750_000


def test_a_story_is_found_by_its_address(reader: TestClient) -> None:
    story = _map(reader).all("button", class_="find-story")[1]["data-story"]
    page = look(reader, f"/map?find={story}")

    found = page.all("a", class_="found")
    assert [e["data-story"] for e in found] == [story, story]
    (pressed,) = page.all("button", aria_pressed="true")
    assert (pressed["data-story"], pressed["value"]) == (story, "")
    assert not look(reader, "/map?find=none").all("a", class_="found")
    assert reader.get(f"/map?find={'x' * 41}").status_code == 400


def test_a_map_that_is_not_there_yet_comes_by_itself(reader: TestClient) -> None:
    maker = the_service(reader).map
    kept, maker.picture = maker.picture, Picture()
    try:
        html = look(reader, "/map").html
    finally:
        maker.picture = kept

    assert "The map is being drawn" in html
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in html


def test_all_numbers_of_the_map_have_their_commas(reader: TestClient) -> None:
    maker = the_service(reader).map
    kept = maker.picture
    spots = [_spot(n, None, (n % 40, n // 40)) for n in range(1_600)]
    maker.picture = replace(kept, slide=1, end=DAY, inside=12_345, spots=tuple(spots))
    try:
        page = look(reader, "/map")
    finally:
        maker.picture = kept

    assert (
        page.one("caption").text
        == "0 articles on the map are in a story, 1,600 in none."
    )
    assert "1,600 articles, the newest of 12,345" in page.one("p", id="summary").text


def test_a_map_without_its_articles_is_short(reader: TestClient) -> None:
    whole = get(reader, "/api/map")
    short = get(reader, "/api/map", articles=False)

    assert short.pop("articles") == []
    assert whole.pop("articles")
    assert short == whole


def test_a_map_of_2000_articles_is_small_on_the_wire(reader: TestClient) -> None:
    draw = Random(7)
    places = [(draw.gauss(0, 9), draw.gauss(0, 9)) for _ in range(2_000)]
    stories = [f"s{n % 60}" if n % 3 == 0 else None for n in range(2_000)]
    spots = [_spot(n, stories[n], places[n]) for n in range(2_000)]
    maker = the_service(reader).map
    kept, maker.picture = maker.picture, Picture(slide=1, end=DAY, spots=tuple(spots))
    try:
        with reader.stream("GET", "/map", headers={"Accept-Encoding": "gzip"}) as page:
            size = len(b"".join(page.iter_raw()))
    finally:
        maker.picture = kept

    assert size < 40_000


def test_marks_stay_within_the_picture_and_up_is_up() -> None:
    spots = [_spot(n, None, place) for n, place in enumerate([(0, 0), (5, 9), (9, 4)])]

    drawing = map_drawing(spots, [], attrgetter("plain"))

    (dots,) = drawing.marks
    assert dots.path == "m16 444h0m260-428h0m208 238h0"
    assert map_drawing([], [], attrgetter("plain")).marks[0].path == ""
    assert map_drawing([_spot(1, None, (3, 3))], [], attrgetter("plain"))


def test_each_large_story_has_its_own_mark_and_name() -> None:
    stories = [_story(n) for n in range(12)]
    spots = [_spot(n, f"s{n}", (n % 4, n // 4)) for n in range(12)]

    drawing = map_drawing(spots, stories, attrgetter("thematic"))

    series = [marks.series for marks in drawing.marks]
    assert series == [0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1]
    shapes = {marks.path.partition("m")[2] for marks in drawing.marks if marks.series}
    assert len(shapes) == COLOURED == len(SHAPES)
    assert [name.words for name in drawing.names] == [f"word{n}" for n in range(8)]


def test_no_name_lies_upon_another_or_outside() -> None:
    stories = [_story(n) for n in range(8)]
    spots = [_spot(n, f"s{n}", (n / 99, n / 99)) for n in range(8)]
    spots.append(_spot(9, None, (9, 9)))

    names = map_drawing(spots, stories, attrgetter("plain")).names

    assert 2 <= len(names) < 8  # there is no room for more at one place
    assert len({name.y // 16 for name in names}) == len(names)
    for name in names:
        assert 0 <= name.x - 4 * len(name.words) < name.x < WIDTH
        assert 0 < name.y < HEIGHT


@pytest.mark.parametrize("days", [1, 7, 14, 30, 92])
def test_times_are_named_evenly_and_are_few(days: int) -> None:
    named = ticks([DAY + timedelta(days=day) for day in range(days)], by_hour=False)

    places = [float(tick.at) for tick in named]
    assert places[0] == 0
    assert len(named) <= MAX_TICKS
    gaps = [b - a for a, b in pairwise(places)]
    assert max(gaps, default=0) - min(gaps, default=0) < 0.1


@pytest.mark.parametrize("days", [1, 3, 7])
def test_hours_are_named_so_that_a_date_is_among_them(days: int) -> None:
    start = DAY + timedelta(hours=13)
    named = ticks([start + timedelta(hours=h) for h in range(24 * days)], by_hour=True)

    assert "5 Mar" in [tick.words for tick in named]
    assert len(named) <= MAX_TICKS


def test_the_timeline_names_its_times_and_heights(reader: TestClient) -> None:
    page = look(reader, "/timeline")
    told = get(reader, "/api/timeline")
    most = max(max(line["sizes"]) for line in told["stories"])

    words = [e.text for e in page.all("text")]
    first = datetime.fromisoformat(told["since"])
    assert words.count(str(most)) == words.count("0") == len(told["stories"])
    assert words.count(f"{first.day} {first:%b}") == len(told["stories"])
    assert all(e["aria-label"] for e in page.all("div", class_="line-plot"))
