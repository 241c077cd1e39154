"""The timeline, the map and the operations as pages."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.conftest import get, open_service, the_service
from ustory.store.problems import add_problem
from ustory.web.app import create_app
from ustory.web.pages.charts import HEIGHT, WIDTH, area, stacked
from ustory.web.service import Service


def _page(client: TestClient, path: str) -> str:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    return answer.text


def _twin(html: str) -> str:
    found = re.search(
        r'<link rel="alternate" type="application/json" href="(.*?)"', html
    )
    assert found is not None
    return unescape(found[1])


def _told(client: TestClient, html: str) -> Any:  # noqa: ANN401 - JSON
    """Return what the JSON twin of a page says."""
    return client.get(_twin(html)).json()


@pytest.fixture
def empty(tmp_path: Path) -> Service:
    """Return a service that has never seen an article."""
    return open_service(tmp_path / "empty.db")


@pytest.mark.parametrize(
    "path",
    ["/timeline", "/timeline?zoom=hour&days=1&sort=heat&until=2024-03-08", "/map",
     "/operations"],
)  # fmt: skip
def test_every_page_names_its_json_twin(reader: TestClient, path: str) -> None:
    twin = _twin(_page(reader, path))

    assert reader.get(twin).status_code == 200
    assert twin.split("?")[0] == "/api" + path.split("?")[0]


@pytest.mark.parametrize("path", ["/timeline", "/map", "/operations"])
def test_a_page_of_nothing_says_so(empty: Service, path: str) -> None:
    with TestClient(create_app(empty)) as client:
        html = _page(client, path)
    empty.store.close()

    assert 'class="nothing"' in html
    assert "plotly" not in html


@pytest.mark.parametrize("path", ["/timeline", "/map", "/operations"])
def test_no_script_or_style_is_written_into_a_page(
    reader: TestClient, path: str
) -> None:
    html = _page(reader, path)

    kinds = re.findall(r"<script(.*?)>", html)
    assert all("src=" in kind or "application/json" in kind for kind in kinds)
    assert not re.search(r"\s(on[a-z]+|style)=", html)


def test_the_timeline_shows_what_its_twin_tells(reader: TestClient) -> None:
    html = _page(reader, "/timeline")
    told = _told(reader, html)

    for line in told["stories"]:
        assert f'href="/stories/{line["story"]["id"]}"' in html
        assert unescape(line["story"]["headline"]) in unescape(html)
    most = max(max(line["sizes"]) for line in told["stories"])
    areas = re.findall(r'<path class="area" d="(.*?)"/>', html)
    assert areas == [area(line["sizes"], most) for line in told["stories"]]
    data = re.search(r'data-from="(.*?)"', html)  # for those who explore
    assert data is not None
    assert reader.get(unescape(data[1])).json()["stories"] == told["stories"]


def test_a_day_of_the_timeline_leads_to_its_hours(reader: TestClient) -> None:
    html = _page(reader, "/timeline")

    found = re.search(r'<th scope="row"><a href="(.*?)">', html)

    assert found is not None
    by_hour = _page(reader, unescape(found[1]))
    assert _told(reader, by_hour)["zoom"] == "hour"


def test_earlier_and_later_lead_there_and_back(reader: TestClient) -> None:
    html = _page(reader, "/timeline?days=7")
    assert 'rel="next"' not in html
    earlier = re.search(r'href="([^"]*)" rel="prev"', html)
    assert earlier is not None

    before = _page(reader, unescape(earlier[1]))
    later = re.search(r'href="([^"]*)" rel="next"', before)
    assert later is not None
    again = _page(reader, unescape(later[1]))

    first, second = _told(reader, html), _told(reader, before)
    assert second["until"] == first["since"]
    assert _told(reader, again)["until"] == first["until"]


@pytest.mark.parametrize("asked", ["zoom=minute", "days=0", "until=soon"])
def test_what_a_timeline_cannot_show_is_refused_as_a_page(
    reader: TestClient, asked: str
) -> None:
    answer = reader.get(f"/timeline?{asked}")

    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("text/html")


def test_the_page_of_the_map_tells_its_stories_in_words(reader: TestClient) -> None:
    the_service(reader).map.update()
    html = _page(reader, "/map")

    for story in get(reader, "/api/map")["stories"]:
        assert f'href="/stories/{story["id"]}"' in html
    assert "nearest neighbour in their own story" in html


def test_the_operations_tell_problems_as_text(client: TestClient) -> None:
    service = the_service(client)
    with service.store.write() as connection:
        attack = "<script>alert(1)</script>"
        add_problem(connection, service.clock(), attack, "http", f"said {attack}")

    html = _page(client, "/operations")

    assert "<script>alert" not in html
    assert "said &lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_the_operations_say_first_whether_all_is_well(client: TestClient) -> None:
    assert "All is well" in _page(client, "/operations")

    the_service(client).loop.problems.begin("loop", "bug", "no room on the disk")
    html = _page(client, "/operations")

    assert "Slides are not being computed" in html
    assert "no room on the disk" in html


def test_an_area_fills_its_box_and_no_more() -> None:
    path = area([0, 3, 1], 3)

    heights = [float(h) for h in re.findall(r"V([\d.]+)", path)]
    assert min(heights) == 0
    assert max(heights) == HEIGHT
    assert path.endswith(f"H{WIDTH}V{HEIGHT}Z")
    assert area([], 3) == ""


def test_bars_are_stacked_from_the_ground_and_cut_off_at_the_top() -> None:
    bars = [{"a": 1.0, "b": 1.0}, {"a": 9.0, "b": 1.0}, {}]

    pieces = stacked(bars, ["a", "b"], 4.0)

    assert [(p.y, p.height, p.series) for p in pieces] == [
        (45.0, 15.0, 1),
        (30.0, 15.0, 2),
        (0.0, 60.0, 1),
    ]
    assert stacked([], ["a"], 1.0) == []
