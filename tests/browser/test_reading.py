"""Somebody reads: searches, filters, opens a story, asks why, looks at charts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.browser.conftest import Visiting
from tests.browser.serving import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROWS = "#list [data-id]"


def test_a_search_finds_stories_and_articles_and_opens_one(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go("/", "now")
    everything = page.locator(ROWS).count()
    page.locator("#search").fill("earthquake")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=earthquake")

    assert page.locator("h1").inner_text() == "Results for “earthquake”"
    assert 0 < page.locator(ROWS).count() < everything
    assert page.locator(".hits a").count() > 0
    assert page.locator("#search").input_value() == "earthquake"
    headline = page.locator(f"{ROWS} [data-open]").first.inner_text()
    page.locator(f"{ROWS} [data-open]").first.click()
    page.wait_for_url("**/stories/*")
    assert page.locator("h1").inner_text() == headline
    assert tab.faults() == []


def test_filters_narrow_the_list_and_can_be_cleared(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go("/", "now")
    everything = page.locator(ROWS).count()
    page.locator(".facet", has_text="Order").locator("summary").click()
    page.locator(".facet[open] a", has_text="Most articles").click()
    page.wait_for_url("**sort=size*")
    page.locator(".chip", has_text="earthquake").first.click()
    page.wait_for_url("**keyword=earthquake*")
    page.goto(f"{page.url}&sort=size")

    counts = page.locator(f"{ROWS} .story-counts strong:first-child").all_inner_texts()
    assert 0 < len(counts) < everything
    assert counts == sorted(counts, key=int, reverse=True)
    page.locator(".used a", has_text="earthquake").click()
    page.wait_for_url(f"{site.address}/?sort=size")
    assert page.locator(ROWS).count() == everything
    page.goto("/?keyword=nothing-has-this-word")
    assert page.locator(".nothing-title").inner_text() == "No story matches"
    assert tab.faults() == []


def test_a_story_tells_its_days_its_keywords_and_its_articles_both_ways(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go(site.paths()["story"], "story")

    assert page.locator(".days .day").count() > 1
    assert page.locator(".day-central").count() > 1
    assert page.locator(".turns li").count() > 0
    assert page.locator(".moves [data-word]").count() > 5
    days = page.locator(".group h3").all_inner_texts()
    page.get_by_role("link", name="By source").click()
    page.wait_for_url("**by=source*")
    assert page.locator(".group h3").all_inner_texts() != days
    page.locator(".moves [data-word]").first.hover()
    assert page.locator(".moves.tracing .traced").count() > 0
    assert tab.faults() == []


def test_an_article_is_explained_in_words_first(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    page = tab.go(site.paths()["story"], "story")
    page.locator(".group a[href^='/articles/']").first.click()
    page.wait_for_url("**/articles/*")

    why = page.get_by_role("region", name="Why this story")
    words = why.locator("p").first.inner_text()
    assert len(words.split()) > 5
    shown = why.inner_text()
    assert shown.index(words) < shown.index("In numbers")
    assert why.locator("table.data tbody tr").count() > 1
    assert page.locator(".words .shade").count() > 0
    shades = page.evaluate(
        "[...document.querySelectorAll('.words .shade')]"
        ".map((each) => getComputedStyle(each).backgroundColor)"
    )
    assert len(set(shades)) > 1
    page.get_by_text("Sentences by weight").click()
    weights = page.locator("caption:has-text('100') ~ tbody .num").all_inner_texts()
    shares = [float(re.sub(r"[^\d.]", "", each)) for each in weights]
    assert shares == sorted(shares, reverse=True)
    assert tab.faults() == []


def _zoom(page: Page) -> tuple[datetime, datetime]:
    """Drag across the first line; return what all lines show then."""
    box = page.locator(".line-plot .nsewdrag").first.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.5, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=4)
    page.mouse.up()
    page.wait_for_selector("#whole:not([hidden])")
    ranges = page.evaluate(
        "[...document.querySelectorAll('[data-line]')]"
        ".map((each) => each.layout.xaxis.range.map(String).join())"
    )
    assert len(set(ranges)) == 1  # all lines are zoomed together
    since, until = (datetime.fromisoformat(each) for each in ranges[0].split(","))
    return since.replace(tzinfo=UTC), until.replace(tzinfo=UTC)


def test_the_timeline_zooms_by_hand_and_by_hour(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    page = tab.go("/timeline", "timeline")
    tab.explore("timeline")
    _zoom(page)
    assert page.locator(".plotly-notifier .notifier-note").count() == 0
    page.locator("#whole").click()
    page.wait_for_selector("#whole", state="hidden")
    assert page.url == f"{site.address}/timeline"
    page.get_by_role("link", name="By hour").click()
    page.wait_for_url("**zoom=hour*")
    tab.settle("hours")
    page.get_by_text("The numbers").click()
    assert "Hour" in page.locator("details.numbers thead").inner_text()
    assert tab.faults() == []


def test_what_the_timeline_is_zoomed_to_is_in_its_address(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go("/timeline", "timeline")
    tab.explore("timeline")
    since, until = _zoom(page)
    page.reload()  # now the server draws it

    told = page.request.get(f"/api/timeline?{page.url.partition('?')[2]}").json()
    first, last = (datetime.fromisoformat(told[name]) for name in ("since", "until"))
    assert first <= since < until <= last
    assert last - first < until - since + timedelta(days=2)
    assert page.locator(".line-picture").count() == len(told["stories"])
    assert tab.faults() == []


def test_a_story_is_found_on_both_maps(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    page = tab.go("/map", "map")
    button = page.locator(".find-story").first
    story = button.get_attribute("data-story")
    button.click()

    assert button.get_attribute("aria-pressed") == "true"
    found = page.locator("#maps.finding .marks.found")
    assert [each.get_attribute("data-story") for each in found.all()] == [story] * 2
    page.reload()  # it is in the address
    assert page.url.endswith(f"/map?find={story}")
    assert found.count() == 2
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert page.url.endswith("/map")
    assert found.count() == 0
    page.locator("#thematic a.marks path").last.dispatch_event("pointerover")
    assert page.locator("#maps.pointing .marks.pointed").count() == 2
    assert tab.faults() == []


def test_a_story_is_found_on_the_plots_too(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    page = tab.go("/map", "map")
    names = page.locator("#plain .map-names text").all_inner_texts()
    tab.explore("map")
    assert page.locator("#plain .annotation-text").all_inner_texts() == names != []
    points = [
        page.locator(f"#{panel} .points path").count()
        for panel in ("thematic", "plain")
    ]
    assert points[0] == points[1] > 20
    button = page.locator(".find-story").first
    button.click()

    assert button.get_attribute("aria-pressed") == "true"
    largest = page.evaluate("Math.max(...document.getElementById('plain').data[1]"
                            ".marker.size)")  # fmt: skip
    assert largest > 10
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert tab.faults() == []


def test_operations_tells_steps_slides_and_problems(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go("/operations", "operations")
    page.get_by_text("The last slides, one by one").click()

    assert page.locator("details table tbody tr").count() > 10
    assert page.locator(".steps tbody tr").count() > 2
    assert "it answered Shaking ground" in page.locator(".problems").inner_text()
    assert tab.faults() == []
