"""What is behind the pages can be asked for as JSON: sizes, places, operations."""

from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import get, open_service, the_service
from ustory.core.memory import held_bytes, peak_bytes
from ustory.web.app import create_app


def test_the_timeline_counts_what_the_days_of_stories_count(
    reader: TestClient,
) -> None:
    found = get(reader, "/api/timeline", days=30, limit=3)

    assert len(found["steps"]) == 30
    assert found["zoom"] == "day"
    assert len(found["stories"]) == 3
    for line in found["stories"]:
        told = get(reader, f"/api/stories/{line['story']['id']}/timeline")
        by_day = {f"{d['day']}T00:00:00Z": d["articles"] for d in told["days"]}
        counted = dict(zip(found["steps"], line["articles"], strict=True))
        assert {at: n for at, n in counted.items() if n} == by_day
        assert sum(line["articles"]) == line["story"]["articles"]


def test_a_size_is_what_a_window_of_a_week_holds(reader: TestClient) -> None:
    every = get(reader, "/api/timeline", days=30, limit=20)["stories"]
    whole = every[0]
    part = get(reader, "/api/timeline", days=2, limit=4)["stories"]

    for place, size in enumerate(whole["sizes"]):
        assert size == sum(whole["articles"][max(place - 6, 0) : place + 1])
    sizes = {line["story"]["id"]: line["sizes"] for line in every}
    assert part
    for line in part:
        assert line["sizes"] == sizes[line["story"]["id"]][-2:]


def test_the_timeline_knows_the_keywords_of_each_day(reader: TestClient) -> None:
    line = get(reader, "/api/timeline", days=30, limit=1)["stories"][0]

    for new, words in zip(line["articles"], line["keywords"], strict=True):
        assert bool(new) == bool(words)


def test_by_the_hour_a_day_has_the_same_articles(reader: TestClient) -> None:
    days = get(reader, "/api/timeline", days=30, limit=1)["stories"][0]
    steps = get(reader, "/api/timeline", days=30, limit=1)["steps"]
    busiest = max(range(30), key=lambda place: days["articles"][place])

    hours = get(
        reader,
        "/api/timeline",
        zoom="hour",
        days=1,
        until=steps[busiest + 1],
        limit=20,
    )

    line = next(s for s in hours["stories"] if s["story"]["id"] == days["story"]["id"])
    assert len(hours["steps"]) == 24
    assert hours["since"] == steps[busiest]
    assert sum(line["articles"]) == days["articles"][busiest]
    assert line["sizes"][-1] == days["sizes"][busiest]


def test_by_the_hour_no_more_than_a_week_is_told(reader: TestClient) -> None:
    assert len(get(reader, "/api/timeline", zoom="hour", days=90)["steps"]) == 7 * 24


@pytest.mark.parametrize("until", ["0001-01-01", "9999-12-31", "1970-01-01"])
def test_the_end_of_a_timeline_may_be_any_day(reader: TestClient, until: str) -> None:
    found = get(reader, "/api/timeline", until=until)

    assert found["since"] < found["until"] <= "2024-03-19T00:00:00Z"


def test_the_timeline_can_be_of_the_hottest_stories(reader: TestClient) -> None:
    stories = get(reader, "/api/timeline", sort="heat")["stories"]

    heats = [line["story"]["heat"] for line in stories]
    assert heats == sorted(heats, reverse=True)


def _map_of(client: TestClient) -> None:
    """Wait until the map is drawn."""
    until = time.monotonic() + 30
    while the_service(client).map.is_behind and time.monotonic() < until:
        time.sleep(0.02)
    assert not the_service(client).map.is_behind


def test_the_map_has_the_articles_of_the_window_and_its_stories(
    reader: TestClient,
) -> None:
    _map_of(reader)

    found = get(reader, "/api/map")

    service = the_service(reader)
    assert {a["id"] for a in found["articles"]} == set(service.loop.state.records)
    assert found["slide"] == service.loop.slide
    assert found["inside"] == len(found["articles"])
    assert 0 <= found["plain"] <= 1
    sizes = Counter(a["story"] for a in found["articles"] if a["story"])
    assert {s["id"]: s["articles"] for s in found["stories"]} == dict(
        sizes.most_common(20)
    ) or len(sizes) > 20
    for one, other in pairwise(found["stories"]):
        assert one["articles"] >= other["articles"]


def test_there_is_a_map_and_a_timeline_of_nothing(tmp_path: Path) -> None:
    service = open_service(tmp_path / "empty.db")
    with TestClient(create_app(service)) as client:
        places = get(client, "/api/map")
        sizes = get(client, "/api/timeline")
        works = get(client, "/api/operations")
    service.store.close()

    assert places["slide"] is None
    assert places["articles"] == places["stories"] == []
    assert sizes["stories"] == []
    assert works["slides_done"] == 0
    assert works["slides"] == works["problems"] == []


def test_operations_tell_of_the_last_slides(reader: TestClient) -> None:
    found = get(reader, "/api/operations")

    service = the_service(reader)
    assert found["status"] == "ok"
    assert found["slides_done"] == service.loop.slide
    assert found["queue"] == found["behind"] == 0
    numbers = [slide["number"] for slide in found["slides"]]
    assert numbers == list(range(service.loop.slide, 0, -1))[: len(numbers)]
    assert all(slide["seconds"]["total"] > 0 for slide in found["slides"])
    assert found["inside"] == len(service.loop.state.records)
    assert found["memory_bytes"] > 1_000_000


def test_operations_tell_what_is_wrong(client: TestClient) -> None:
    problems = the_service(client).loop.problems
    problems.begin("feeds", "http", "the feed answered 503")
    problems.flush()

    found = get(client, "/api/operations")

    assert found["now"] == {"feeds": "the feed answered 503"}
    assert found["problems"][0]["origin"] == "feeds"
    assert found["problems"][0]["message"] == "the feed answered 503"


def test_memory_is_the_peak_where_nobody_tells_the_present(tmp_path: Path) -> None:
    nowhere = tmp_path / "none"
    assert held_bytes(nowhere) == peak_bytes(nowhere)
    assert 0 < held_bytes() <= 2 * peak_bytes()
