"""New stories come into a list that nobody holds, and wait where somebody does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Visiting
from tests.browser.serving import Site
from tests.browser.telling import BAR, rows, slide
from tests.browser.visiting import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOVING = {"reduced_motion": "no-preference"}
HOLDS: dict[str, Callable[[Page], object]] = {
    "focus on a story": lambda page: page.locator("#list [data-open]").first.focus(),
    "focus on the search": lambda page: page.locator("#search").focus(),
    "a selection": lambda page: page.evaluate(
        "getSelection().selectAllChildren(document.querySelector('h1'))"
    ),
    "a pointer over the list": lambda page: page.hover("#list [data-id] >> nth=1"),
    "a page that is scrolled": lambda page: page.evaluate("scrollTo(0, 120)"),
    "reduced motion": lambda page: page.emulate_media(reduced_motion="reduce"),
}


def _standing(tab: Visit) -> int:
    """Return how many stories the line above the list says there are."""
    return int(tab.page.locator("#standing").inner_text().split()[0])


def test_news_comes_into_a_list_that_nobody_holds(
    living: Site, visit: Visiting
) -> None:
    tab = visit(living, **MOVING)
    page = tab.go("/", "now")
    before = rows(tab)
    assert _standing(tab) == len(before)
    page.evaluate("window.__same = true")
    slide(tab)
    page.wait_for_selector("#said-calmly:has-text('up to date')", state="attached")

    after = rows(tab)
    assert after != before
    assert _standing(tab) == len(after)
    assert page.locator(BAR).count() == 0
    assert page.locator("#said-calmly").get_attribute("aria-live") == "polite"
    assert page.evaluate("window.scrollY") == 0
    assert page.evaluate("document.activeElement === document.body")
    assert page.evaluate("window.__same") is True  # nothing was loaded anew
    other = visit(living)
    other.go("/", "now")
    assert rows(other) == after  # the order of the server
    assert tab.faults() == []


@pytest.mark.parametrize("hold", HOLDS)
def test_news_waits_while_somebody_holds_the_list(
    living: Site, visit: Visiting, hold: str
) -> None:
    tab = visit(living, **MOVING)
    page = tab.go("/", "now")
    before, count = rows(tab), _standing(tab)
    HOLDS[hold](page)
    scrolled = page.evaluate("window.scrollY")
    slide(tab)
    page.wait_for_selector(BAR)

    assert rows(tab) == before
    assert _standing(tab) == count == len(before)
    assert page.evaluate("window.scrollY") == scrolled
    assert page.locator("#said-calmly").inner_text() == ""
    page.locator(f"{BAR} button").click()
    page.wait_for_selector(BAR, state="detached")
    assert rows(tab) != before
    assert _standing(tab) == len(rows(tab))
    assert tab.faults() == []
