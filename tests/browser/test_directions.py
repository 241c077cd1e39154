"""Titles of several directions on one page: each reads right, and moves no other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Visiting
from tests.browser.serving import Site, fill
from tests.polyglot import TITLES, polyglot, tags_hold

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARABIC = TITLES["bridge"][5][1]
CHINESE = TITLES["bridge"][6][1]
OUTLET = "صحيفة الميناء"
_PLACES = """words => {
  const walk = document.createTreeWalker(document.querySelector("main"), 4);
  const found = {};
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    for (const word of words) {
      const at = node.data.indexOf(word);
      if (at < 0 || found[word] || !node.parentElement.checkVisibility()) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      const box = range.getBoundingClientRect();
      found[word] = { left: box.left, right: box.right, top: box.top };
    }
  }
  return found;
}"""


@pytest.fixture(autouse=True, scope="module")
def _tags() -> Iterator[None]:
    with tags_hold():
        yield


@pytest.fixture(scope="module")
def foreign(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Return a server with a story in four languages, with an outlet in Arabic."""
    del browser
    database: Path = tmp_path_factory.mktemp("foreign") / "foreign.db"
    told = [
        replace(each, source=OUTLET) if each.title == ARABIC else each
        for each in polyglot()
    ]
    fill(database, told, "جسر", ["bridge", "مارلو"])
    opened = Site(database).start()
    yield opened
    opened.stop()


def direction(page: Page, selector: str) -> str:
    found: str = page.locator(selector).first.evaluate(
        "each => getComputedStyle(each).direction"
    )
    return found


@pytest.mark.parametrize("width", [1280, 360])
def test_an_arabic_headline_reads_from_right_to_left(
    foreign: Site, visit: Visiting, width: int
) -> None:
    tab = visit(foreign, locale="ar-EG", viewport={"width": width, "height": 900})
    page = tab.go("/", "now")
    head = page.locator("h2.story-head", has_text="انهيار")
    assert head.inner_text() == ARABIC
    assert head.get_attribute("lang") == "ar"
    assert direction(page, "h2.story-head[lang=ar]") == "rtl"
    assert direction(page, "main") == "ltr"
    places = page.evaluate(_PLACES, ["انهيار", "(3)"])
    assert places["(3)"]["right"] < places["انهيار"]["left"]
    assert tab.too_wide() == []
    tab.go(foreign.paths()["story"], "story")
    assert direction(page, "h1") == "rtl"
    assert page.locator("h1").get_attribute("lang") == "ar"
    assert tab.too_wide() == []
    assert tab.faults() == []


def test_names_and_numbers_beside_an_arabic_title_stay_where_they_are(
    foreign: Site, visit: Visiting
) -> None:
    tab = visit(foreign, locale="en-GB", viewport={"width": 1600, "height": 900})
    page = tab.go(f"{foreign.paths()['story']}?by=day", "story")
    tab.unfold()
    line = page.locator(".group li", has_text="انهيار").last
    assert line.locator("bdi").first.get_attribute("lang") == "ar"
    boxes = line.evaluate(
        """line => [...line.querySelectorAll("bdi, time")]
          .map(each => each.getBoundingClientRect().left)"""
    )
    title, outlet, moment = boxes
    assert title < outlet < moment, "title, outlet and time, from left to right"
    # the mark behind the last word of an Arabic title is on its left
    assert page.locator("h1").inner_text() in [t for _, t in TITLES["bridge"]]
    assert direction(page, "h1") == "ltr"
    assert tab.faults() == []


def test_a_chinese_title_says_its_language_in_lists_and_is_found(
    foreign: Site, visit: Visiting
) -> None:
    tab = visit(foreign, locale="zh-CN")
    page = tab.go("/?q=大桥", "search")
    head = page.locator("h2.story-head")
    assert head.inner_text() == CHINESE
    assert head.get_attribute("lang") == "zh"
    assert page.locator(".languages").first.inner_text().startswith("in English")
    assert tab.faults() == []


def test_a_language_is_chosen_without_a_script(foreign: Site, visit: Visiting) -> None:
    tab = visit(foreign, locale="en-GB", java_script_enabled=False)
    page = tab.page
    page.goto(foreign.paths()["story"])
    page.locator("summary", has_text="Language of headlines").click()
    page.locator("#language-name").fill("Spanish")
    page.locator("form[action='/language'] button", has_text="Use it").click()
    assert page.locator("h1").inner_text() in [
        title for tag, title in TITLES["bridge"] if tag == "es"
    ]
    assert "Headlines are in Spanish" in page.locator("footer").inner_text()
