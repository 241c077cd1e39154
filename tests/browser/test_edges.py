"""The edges of the pages: the reader's zone, paper, forced colours, narrow screens."""

from __future__ import annotations

import json
import re

import pytest

from tests.browser.conftest import Visiting
from tests.browser.serving import Site
from tests.browser.visiting import PHONE

HELD = "document.activeElement"
NAV = "nav[aria-label=Pages] a"
TOPS = f"[...new Set([...document.querySelectorAll('{NAV}')].map((e) => e.offsetTop))]"
SHOW_BAR = """(() => {
  const bar = document.querySelector('#changes .change-in');
  bar.querySelector('.change-words').textContent = '28 stories changed';
  bar.hidden = false;
})()"""
OVERLAP = """(() => {
  const a = document.querySelector('#changes .change-in').getBoundingClientRect();
  const b = document.querySelector('h1').getBoundingClientRect();
  return a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right;
})()"""


def test_times_are_those_of_the_reader_and_need_no_script_then(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site, timezone_id="Asia/Tokyo")
    page = tab.go("/", "now")
    page.wait_for_selector("html[data-zone='Asia/Tokyo']", state="attached")
    titles = page.locator("time[data-ago]").evaluate_all(
        "(all) => all.map(e => e.title)"
    )
    assert titles
    assert all(title.endswith(" JST") for title in titles)
    words = page.locator("time[data-ago]").all_inner_texts()
    page.evaluate("import('/static/js/times.js').then((times) => times.refresh())")
    assert page.locator("time[data-ago]").all_inner_texts() == words
    assert any(re.fullmatch(r"[A-Z][a-z]{2} \d\d:\d\d", each) for each in words)

    (kept,) = [c for c in page.context.cookies() if c["name"] == "ustory-zone"]
    cookie = f"{kept['name']}={kept['value']}"
    plain = visit(
        site, java_script_enabled=False, extra_http_headers={"Cookie": cookie}
    )
    plain.page.goto("/")
    assert plain.page.locator("html").get_attribute("data-zone") == "Asia/Tokyo"
    assert "your local zone, Asia/Tokyo" in plain.page.locator(".zone").inner_text()
    assert tab.faults() == []


def test_a_zone_is_chosen_in_the_foot_and_stays(site: Site, visit: Visiting) -> None:
    tab = visit(site, timezone_id="Europe/Berlin")
    path = site.paths()["story"]
    page = tab.go(path, "story")
    page.wait_for_selector("html[data-zone='Europe/Berlin']", state="attached")
    page.locator(".zone-choice summary").filter(has_text="Time zone").click()
    page.get_by_label("City or zone").fill("new york")
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-zone='America/New_York']", state="attached")
    assert page.url.endswith(path)
    tab.go("/", "now")
    assert "America/New_York" in page.locator(".zone").inner_text()
    page.locator(".zone-choice summary").filter(has_text="Time zone").click()
    page.get_by_role("button", name="Local: Europe/Berlin").click()
    page.wait_for_selector("html[data-zone='Europe/Berlin']", state="attached")
    assert tab.faults() == []


def test_without_cookies_the_page_stays_in_utc(site: Site, visit: Visiting) -> None:
    tab = visit(site, timezone_id="Asia/Tokyo")
    tab.page.add_init_script(
        "Object.defineProperty(Document.prototype, 'cookie', "
        "{ get: () => '', set: () => {} })"
    )
    page = tab.go("/", "now")

    assert page.locator("html").get_attribute("data-zone") == "UTC"
    assert "Times are in UTC" in page.locator(".zone").inner_text()
    assert tab.faults() == []


@pytest.mark.parametrize("name", ["now", "story"])
def test_paper_has_moments_an_address_and_a_date_and_no_controls(
    site: Site, visit: Visiting, name: str
) -> None:
    tab = visit(site, color_scheme="dark")
    path = site.paths()[name]
    page = tab.go(path, name)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    told = page.evaluate(
        "[...document.querySelectorAll('time[data-ago]')].map((each) =>"
        " [getComputedStyle(each).fontSize, getComputedStyle(each, '::after').content,"
        " each.title])"
    )
    assert told
    assert all(size == "0px" and text == f'"{title}"' for size, text, title in told)
    assert page.locator(".printed").is_visible()
    printed = page.locator(".printed").inner_text()
    assert f"{site.address}{path}" in printed
    assert re.search(r"Printed \d+ \w+ \d{4}, \d\d:\d\d UTC", printed)
    for control in ("main select", "main button", ".pager", ".switch", ".top", ".foot"):
        for each in page.locator(control).all():
            assert not each.is_visible(), control
    assert tab.colour() in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")


def test_forced_colours_mark_the_page_and_keep_the_shape_of_chips(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site, forced_colors="active")
    page = tab.go("/", "now")
    borders = page.locator(NAV).evaluate_all(
        "(all) => all.map((each) => [each, getComputedStyle(each)]).map("
        "([each, style]) => [each.hasAttribute('aria-current'),"
        " style.borderBottomColor, style.textDecorationLine])"
    )
    current = [each[1:] for each in borders if each[0]]
    others = [each[1:] for each in borders if not each[0]]
    assert current[0][1] == "underline"
    assert all(one[0] != current[0][0] and one[1] == "none" for one in others)
    chips = page.locator(".chip > span").evaluate_all(
        "(all) => all.map((e) => getComputedStyle(e).borderTopWidth)"
    )
    assert set(chips) == {"1px"}
    page = tab.go(site.paths()["story"], "story")
    switch = page.locator(".switch a[aria-current]")
    assert switch.evaluate("(e) => getComputedStyle(e).outlineStyle") == "solid"
    assert tab.faults() == []


@pytest.mark.parametrize(
    "width", [320, 360, 480, 600, 719, 720, 768, 820, 900, 959, 960]
)
def test_the_pages_are_in_one_row_at_every_width(
    site: Site, visit: Visiting, width: int
) -> None:
    tab = visit(site, viewport={"width": width, "height": 700})
    page = tab.go("/", "now")

    assert len(page.evaluate(TOPS)) == 1
    assert tab.too_wide() == []
    line = page.locator(f"{NAV}[aria-current]").bounding_box()
    head = page.locator("header.top").bounding_box()
    assert line is not None
    assert head is not None
    # the mark of the current page is on the edge of the head, not within it
    assert abs(line["y"] + line["height"] - head["y"] - head["height"]) < 2


def test_closing_the_help_gives_the_focus_back(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    page = tab.go("/", "now")
    for close in ("Escape", "Enter"):
        page.keyboard.press("j")
        held = page.evaluate(f"{HELD}.textContent")
        page.keyboard.press("?")
        assert page.evaluate(f"{HELD}.closest('#help') !== null")
        page.keyboard.press(close)
        assert not page.locator("#help").is_visible()
        assert page.evaluate(f"{HELD}.textContent") == held
    page.locator("#keys").click()
    page.keyboard.press("Escape")
    assert page.evaluate(f"{HELD}.id") == "keys"
    assert tab.faults() == []


def test_the_help_gives_the_focus_back_to_a_story_that_was_renewed(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go("/", "now")
    page.keyboard.press("j")
    held = page.evaluate(f"{HELD}.textContent")
    page.keyboard.press("?")
    page.evaluate(
        "document.querySelector('#list').replaceWith("
        "document.querySelector('#list').cloneNode(true))"
    )
    page.keyboard.press("Escape")

    tab.until(f"{HELD}.textContent === {json.dumps(held)}")


def test_tab_goes_on_from_where_somebody_clicked_before_the_help(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go("/", "now")
    page.locator("#list [data-id] .story-counts").nth(4).click()
    scrolled = page.evaluate("window.scrollY")
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    tab.until(f"{HELD} === document.body")
    assert page.evaluate("window.scrollY") == scrolled
    page.keyboard.press("Tab")

    following = page.locator("#list [data-open]").nth(5).inner_text()
    assert page.evaluate(f"{HELD}.textContent") == following
    assert page.locator("#list [tabindex]").count() == 0
    assert tab.faults() == []


@pytest.mark.parametrize("name", ["now", "story"])
def test_the_bar_never_covers_the_title(site: Site, visit: Visiting, name: str) -> None:
    for size in (PHONE, {"width": 768, "height": 900}):
        tab = visit(site, viewport=size)
        page = tab.go(site.paths()[name], name)
        page.evaluate(SHOW_BAR)

        assert page.locator("#changes button").is_visible()
        assert not page.evaluate(OVERLAP)
        assert tab.too_wide() == []
