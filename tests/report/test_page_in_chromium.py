"""A browser opens the page: it draws, switches, fits a phone and asks nobody."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report import samples
from ustory.report.page import write_page

pytestmark = pytest.mark.slow

DRAWN = "html[data-drawn=yes]"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("plotly", reason="plotly, of the extra bench, is missing")
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    hostile = [samples.full_of(text) for text in samples.ATTACKS]
    write_page("A report", {"a": "b"}, [*samples.sections(), *hostile], path)
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed: no page is opened")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Any]:  # noqa: ANN401
    """Return a function that opens the page and notes what went wrong in it."""
    opened = []

    def open_page(**options: Any) -> tuple[Any, list[str]]:  # noqa: ANN401
        context = browser.new_context(**options)
        opened.append(context)
        page = context.new_page()
        wrong: list[str] = []
        page.on("console", lambda told: wrong.append(told.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda box: wrong.append(box.message))
        page.on("request", lambda asked: wrong.append(asked.url))
        page.goto(address)
        page.wait_for_selector(DRAWN)
        wrong.remove(address)
        return page, wrong

    yield open_page
    for context in opened:
        context.close()


def paper_of(page: Any) -> str:  # noqa: ANN401
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


def tick_of(page: Any) -> str:  # noqa: ANN401
    colour: str = page.evaluate(
        "getComputedStyle(document.querySelector('.xtick text')).fill"
    )
    return colour


def test_all_figures_are_drawn_and_nothing_is_asked_or_told(visit: Any) -> None:  # noqa: ANN401
    page, wrong = visit()
    assert wrong == []
    plots = page.locator(".plot").count()
    assert plots == 2 + len(samples.ATTACKS)
    assert page.locator(".plot:has(svg .trace)").count() == plots
    assert page.locator("svg a").count() == 0
    text = page.locator("#plot-lines .legendtext").all_text_contents()
    assert text == ["ours", "b"]


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_no_page_is_wider_than_its_screen(visit: Any, width: int) -> None:  # noqa: ANN401
    page, _ = visit(viewport={"width": width, "height": 740})
    inner = page.evaluate("document.documentElement.scrollWidth")
    assert inner <= width


def test_panels_stand_above_each_other_on_a_phone(visit: Any) -> None:  # noqa: ANN401
    heights = []
    for width in (1280, 360):
        page, _ = visit(viewport={"width": width, "height": 740})
        heights.append(page.locator("#plot-panels").bounding_box()["height"])
        tops = page.evaluate(
            "[...document.querySelectorAll('#plot-panels .annotation-text')]"
            ".map((each) => each.getBoundingClientRect().top)"
        )
        assert (tops[0] < tops[1] - 100) == (width == 360)
    assert heights[1] > heights[0] * 1.5


def test_the_switch_turns_page_and_figures_and_is_remembered(visit: Any) -> None:  # noqa: ANN401
    page, wrong = visit(color_scheme="light")
    day = paper_of(page), tick_of(page)
    switch = page.locator("#page-switch")
    assert switch.get_attribute("aria-pressed") == "false"
    switch.press("Enter")
    night = paper_of(page), tick_of(page)
    assert switch.get_attribute("aria-pressed") == "true"
    assert day[0] != night[0]
    assert day[1] != night[1]
    page.reload()
    page.wait_for_selector(DRAWN)
    assert (paper_of(page), tick_of(page)) == night
    assert [told for told in wrong if not told.startswith("file:")] == []


def test_the_system_decides_until_the_reader_does(visit: Any) -> None:  # noqa: ANN401
    dark, _ = visit(color_scheme="dark")
    light, _ = visit(color_scheme="light")
    assert paper_of(dark) != paper_of(light) == "rgb(255, 255, 255)"
    light.emulate_media(color_scheme="dark")
    light.wait_for_selector("[aria-pressed=true]")
    assert (paper_of(light), tick_of(light)) == (paper_of(dark), tick_of(dark))


def test_paper_is_light_and_has_no_switch(visit: Any) -> None:  # noqa: ANN401
    page, _ = visit(color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert paper_of(page) == "rgb(255, 255, 255)"
    assert not page.locator("#page-switch").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = tick_of(page)
    assert page.locator("#plot-lines .main-svg").first.get_attribute("width") == "650"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tick_of(page) != printed


def test_the_first_key_leads_past_the_contents(visit: Any) -> None:  # noqa: ANN401
    page, _ = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_selector("#page-main:focus")
