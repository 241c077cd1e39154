"""Search and filters in a browser: by keyboard, on a phone, without a script."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Visiting
from tests.browser.serving import Site
from tests.browser.visiting import PHONE

HELD = "document.activeElement"
COUNT = re.compile(r"[0-9][0-9,]*")


def first_number(words: str) -> int:
    found = COUNT.search(words)
    assert found is not None, words
    return int(found[0].replace(",", ""))


def test_a_search_is_made_and_read_with_the_keyboard_alone(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go("/", "now")
    page.keyboard.press("/")
    page.keyboard.type("eart")
    tab.until("document.querySelectorAll('#suggestions option').length > 0")
    offered = page.locator("#suggestions option").evaluate_all(
        "(all) => all.map((each) => each.value)"
    )
    assert "earthquake" in offered
    page.keyboard.type("hquake")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=earthquake")
    tab.settle("search")

    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    assert page.evaluate(f"{HELD}.closest('[data-id]') !== null")
    story = page.evaluate(f"{HELD}.getAttribute('href')")
    for _ in range(40):  # back from the results to the filters
        page.keyboard.press("Shift+Tab")
        if page.evaluate(f"{HELD}.matches('.facet > summary')"):
            break
    page.keyboard.press("Enter")
    assert page.locator("details.facet[open]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("details.facet[open]").count() == 0
    assert page.evaluate(f"{HELD}.matches('.facet > summary')")

    page.evaluate(f"{HELD}.blur()")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{story}")
    assert tab.faults() == []


def test_a_filter_is_chosen_and_taken_away_on_a_phone(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site, viewport=PHONE, has_touch=True, is_mobile=True)
    page = tab.go("/?status=all", "now")
    whole = first_number(page.locator("#standing").inner_text())
    page.locator(".facet", has_text="Outlet").locator("summary").tap()
    choice = page.locator(".facet[open] a", has=page.locator(".count")).first
    expected = first_number(choice.locator(".count").inner_text())
    assert 0 < expected < whole
    assert tab.too_wide() == []
    choice.tap()
    page.wait_for_url("**source=**")
    tab.settle("now")

    assert first_number(page.locator("#standing").inner_text()) == expected
    assert "status=all" in page.url
    assert "=&" not in page.url
    page.locator(".used a", has_text="Outlet").tap()
    page.wait_for_url("**/?status=all")
    assert first_number(page.locator("#standing").inner_text()) == whole
    assert tab.faults() == []


def test_a_search_reads_well_without_a_script(site: Site, visit: Visiting) -> None:
    tab = visit(site, java_script_enabled=False)
    tab.page.goto("/")
    tab.page.locator("#search").fill("earthquake OR strike")
    tab.page.locator("#search").press("Enter")
    tab.page.wait_for_url("**q=earthquake+OR+strike**")
    marked = {each.lower() for each in tab.page.locator("#list mark").all_inner_texts()}
    assert marked <= {"earthquake", "strike"}
    assert marked
    tab.page.locator(".facet", has_text="Size").locator("summary").click()
    tab.page.locator(".facet[open] a", has_text="3 to 9").click()
    tab.page.wait_for_url("**size=medium**")
    tab.page.locator(".tabs a", has_text="Articles").click()
    tab.page.wait_for_url("**show=articles**")
    assert tab.page.locator(".hits .snippet").count() > 0
    tab.page.locator(".search-help summary").click()
    assert tab.page.locator(".search-help").inner_text().count("storm") > 2


def test_what_is_chosen_and_marked_shows_in_forced_colours(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site, forced_colors="active")
    page = tab.go("/?q=earthquake&status=live", "search")
    for selector in (".used-chip > span", "mark", ".tabs a[aria-current]"):
        first = page.locator(selector).first
        border = first.evaluate(
            "(e) => { const s = getComputedStyle(e); return s.borderBottomStyle"
            " + ' ' + s.borderBottomWidth; }"
        )
        assert border.startswith("solid"), selector
        assert not border.endswith(" 0px"), selector
    page.locator(".facet", has_text="Status").locator("summary").click()
    chosen = page.locator(".facet[open] a[aria-current] > span").first
    mark = chosen.evaluate("(e) => getComputedStyle(e, '::before').content")
    assert "✓" in mark
    assert tab.faults() == []


@pytest.mark.parametrize("path", ["/?q=eartquake", "/?q=the&show=articles"])
def test_mended_and_listed_articles_have_no_fault(
    site: Site, visit: Visiting, path: str
) -> None:
    tab = visit(site)
    page = tab.go(path, "search")

    assert page.locator("mark").count() > 0
    assert tab.faults() == []
