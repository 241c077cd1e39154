"""Light on the wire: little is sent, a slow line is enough, no script is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Visiting
from tests.browser.serving import Site
from tests.browser.visiting import PLAIN
from tests.browser.wire import first_visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MAX_BYTES = 100_000
MAX_PAINT = 3_000.0
"""Milliseconds at 400 kbit/s and 400 ms."""
_TRIES = 3
"""A busy machine may delay a visit; the line is the same in each."""


@pytest.mark.parametrize("name", PLAIN)
def test_a_first_visit_is_light_and_does_not_wait_for_plotly(
    busy: Site, browser: Browser, name: str
) -> None:
    seen = first_visit(browser, busy.address + busy.paths()[name])

    assert 1_000 < seen.total <= MAX_BYTES
    asked = " ".join(seen.requests)
    assert "/static/js/core.js" in asked
    assert "plot" not in asked
    assert "/api/map" not in asked
    assert len(seen.requests) <= 16


@pytest.mark.parametrize("name", PLAIN)
def test_a_page_is_read_within_three_seconds_on_a_slow_line(
    busy: Site, browser: Browser, name: str
) -> None:
    address = busy.address + busy.paths()[name]
    for _ in range(_TRIES):
        seen = first_visit(browser, address, slow=True)
        if seen.painted <= MAX_PAINT:
            break

    assert 400 < seen.painted <= MAX_PAINT  # the line was slow, and it was enough
    assert len(seen.words) > 100


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_are_complete_without_a_script(
    site: Site, visit: Visiting, scheme: str
) -> None:
    tab = visit(site, java_script_enabled=False, color_scheme=scheme)
    page = tab.page
    page.goto("/map")
    assert page.locator("#thematic .marks").count() > 8
    assert "being drawn" not in page.locator("main").inner_text()
    assert not page.locator("#explore").is_visible()
    page.locator(".find-story").nth(1).click()
    page.wait_for_url("**/map?find=*")
    assert page.locator("#maps.finding .found").count() == 2

    page.goto("/timeline")
    edges = page.locator(".line-picture .edge")
    assert edges.count() == page.locator("ol.lines > li").count() > 3
    box = edges.first.bounding_box()
    assert box is not None
    assert box["width"] > 300
    assert page.locator(".line-picture text", has_text="Mar").count() > 8
    # Chromium refuses to load scripts ahead that it may not run
    assert not [each for each in tab.wrong if not each.endswith(" csp")]


def test_a_mark_of_the_map_leads_to_its_story(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    page = tab.go("/map", "map")
    link = page.locator("#thematic a.marks[data-story]").last
    title = str(link.locator("title").text_content())
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/stories/*")

    assert title.startswith(page.locator("h1").inner_text())
    assert tab.faults() == []


def test_plots_come_when_they_are_asked_for_and_once(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url))
    for path, name in (("/map", "map"), ("/timeline", "timeline")):
        page = tab.go(path, name)
        page.mouse.move(400, 500)
        page.mouse.wheel(0, 300)
        page.wait_for_timeout(300)
        assert not [url for url in asked if "plot" in url or "/api/map" in url]
        tab.explore(name)
        assert page.evaluate("document.activeElement.id") == "explore-about"
        assert sum("plotly.min.js" in url for url in asked) == 1
        asked.clear()
    assert tab.faults() == []


def test_a_picture_stays_if_plotly_cannot_be_had(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    tab.page.route("**/plotly.min.js*", lambda route: route.abort())
    page = tab.go("/map", "map")
    page.locator("#explore").click()
    page.get_by_text("That did not work").wait_for()

    assert page.locator("#thematic .map-picture .marks").count() > 8
    tab.page.unroute("**/plotly.min.js*")
    tab.explore("map")
    assert not [each for each in tab.faults() if "plotly" not in each.lower()
                and "ERR_FAILED" not in each]  # fmt: skip


def test_marks_are_seen_in_forced_colours_and_on_paper(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site, forced_colors="active")
    page = tab.go("/map", "map")
    fill = "getComputedStyle(document.querySelector('a.marks.series-1 path')).fill"
    ink = "getComputedStyle(document.body).color"
    assert page.evaluate(fill) == page.evaluate(ink)
    page.emulate_media(media="print")
    assert page.locator(".map-picture").first.is_visible()
    assert not page.locator("#explore").is_visible()
    assert tab.faults() == []
