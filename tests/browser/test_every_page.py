"""Every page: opens in peace, fits a phone, and has no serious fault for anybody."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.browser.conftest import Visiting
from tests.browser.serving import Site
from tests.browser.visiting import DESK, PHONE, PLAIN, Visit

SERIOUS = ("serious", "critical")
SMALL = """[...document.querySelectorAll('button, summary, input, select, nav a')]
  .filter((each) => each.checkVisibility() && !each.closest('.hidden'))
  .filter((each) => each.getBoundingClientRect().height < 31.5)
  .map((each) => each.outerHTML.slice(0, 120))"""
"""What is too small to be touched; links within sentences may be."""


def _serious(visit: Visit) -> list[str]:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe-playwright-python is not installed: faults are not looked for",
    )
    found: dict[str, Any] = axe.Axe().run(visit.page).response
    return [
        f"{rule['id']}: {json.dumps([node['html'][:160] for node in rule['nodes']])}"
        for rule in found["violations"]
        if rule["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("name", PLAIN)
def test_a_page_has_no_serious_fault_in_light_and_dark(
    site: Site, visit: Visiting, name: str
) -> None:
    tab = visit(site, color_scheme="light")
    page = tab.go(site.paths()[name], name)
    tab.unfold()

    light = tab.colour()
    assert _serious(tab) == []
    page.emulate_media(color_scheme="dark")
    assert tab.colour() != light
    assert _serious(tab) == []
    assert tab.faults() == []


@pytest.mark.parametrize("name", PLAIN)
def test_a_page_fits_a_phone(site: Site, visit: Visiting, name: str) -> None:
    tab = visit(site, viewport=PHONE, has_touch=True, is_mobile=True)
    page = tab.go(site.paths()[name], name)

    assert tab.too_wide() == []
    tab.unfold()
    assert tab.too_wide() == []
    assert page.evaluate(SMALL) == []
    assert tab.faults() == []


@pytest.mark.parametrize("name", PLAIN)
def test_a_page_has_a_twin_landmarks_and_headings_in_order(
    site: Site, visit: Visiting, name: str
) -> None:
    tab = visit(site, java_script_enabled=False)
    page = tab.page
    page.goto(site.paths()[name])

    for landmark in ("header.top", "nav[aria-label=Pages]", "main", "footer"):
        assert page.locator(landmark).count() == 1
    levels = [
        int(heading.evaluate("(each) => each.tagName")[1])
        for heading in page.locator("main :is(h1, h2, h3, h4)").all()
    ]
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    twin = page.locator("link[rel=alternate][type='application/json']")
    answer = page.request.get(str(twin.get_attribute("href")))
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.ok
    assert page.locator("main").inner_text().strip()  # without any script


def test_pages_lead_to_each_other(site: Site, visit: Visiting) -> None:
    tab = visit(site, viewport=DESK)
    page = tab.go("/", "now")
    for name in ("Timeline", "Map", "Watch", "Sources", "Operations", "Now"):
        page.get_by_role("navigation", name="Pages").get_by_text(name).click()
        tab.settle(name.lower())
        current = page.locator("nav[aria-label=Pages] [aria-current=page]")
        assert current.inner_text() == name
        assert page.title().startswith(name)
    assert tab.faults() == []
