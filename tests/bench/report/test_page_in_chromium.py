"""A browser opens the page: it draws, switches, fits a phone and asks nobody."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.bench.report import samples

from ustory_bench.report.page import write_page

DRAWN = "html[data-drawn=yes]"
HOSTILE, ODD = "hostile.html", "odd.html"
FITTED = """[...document.querySelectorAll('.plot[data-width]')].every(
    (plot) => plot.dataset.width === String(plot.parentElement.clientWidth)
)"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where a plain page is, one full of attacks, one with odd figures."""
    pytest.importorskip("plotly", reason="plotly, of the extra bench, is missing")
    path: Path = tmp_path_factory.mktemp("page")
    plain = samples.sections()
    hostile = [samples.full_of(text) for text in samples.ATTACKS]
    write_page("A report", {"a": "b"}, plain, path / "report.html")
    write_page("A report", {"a": "b"}, [*plain, *hostile], path / HOSTILE)
    odd = samples.section("odd", samples.broken(), samples.logarithmic())
    write_page("A report", {"a": "b"}, [odd], path / ODD)
    return path


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
def visit(browser: Any, folder: Path) -> Iterator[Any]:  # noqa: ANN401
    """Return a function that opens the page and notes what went wrong in it."""
    opened = []

    def open_page(
        name: str = "report.html",
        **options: Any,  # noqa: ANN401
    ) -> tuple[Any, list[str]]:
        address = (folder / name).as_uri()
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


def turn_to(page: Any, width: int) -> None:  # noqa: ANN401
    """Make the window that wide, and wait until its figures are."""
    page.set_viewport_size({"width": width, "height": 740})
    for _ in range(100):
        page.wait_for_timeout(50)
        if page.evaluate(FITTED):
            return
    pytest.fail(f"the figures were not drawn again for a window of {width} px")


def test_all_figures_are_drawn_and_nothing_is_asked_or_told(visit: Any) -> None:  # noqa: ANN401
    page, wrong = visit(HOSTILE)
    assert wrong == []
    plots = page.locator(".plot").count()
    assert plots == 2 + len(samples.ATTACKS)
    assert page.locator(".plot:has(svg .trace)").count() == plots
    assert page.locator("svg a").count() == 0
    text = page.locator("#plot-lines .legendtext").all_text_contents()
    assert text == ["ours", "b"]


def test_no_page_is_wider_than_its_screen(visit: Any) -> None:  # noqa: ANN401
    page, _ = visit(HOSTILE, viewport={"width": 360, "height": 740})
    for width in (360, 768, 1280):
        turn_to(page, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_panels_stand_above_each_other_on_a_phone(visit: Any) -> None:  # noqa: ANN401
    heights = []
    page, _ = visit(viewport={"width": 1280, "height": 740})
    for width in (1280, 360):
        turn_to(page, width)
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
    page, _ = visit(color_scheme="dark")
    night = paper_of(page), tick_of(page)
    page.emulate_media(color_scheme="light")
    page.wait_for_selector("[aria-pressed=false]")
    assert night[0] != paper_of(page) == "rgb(255, 255, 255)"
    assert night[1] != tick_of(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("[aria-pressed=true]")
    assert (paper_of(page), tick_of(page)) == night


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


def test_a_figure_that_cannot_be_drawn_says_so_and_the_others_are_drawn(
    visit: Any,  # noqa: ANN401
) -> None:
    page, _ = visit(ODD)
    told = page.locator("#plot-broken").inner_text()
    assert told == "This figure could not be drawn; it says: Nothing is seen."
    assert page.locator("#plot-logarithmic:has(svg .trace)").count() == 1
    page.locator("#page-switch").click()
    assert page.locator("#plot-broken").inner_text() == told


def test_ticks_of_a_logarithmic_axis_are_numbers_in_full(visit: Any) -> None:  # noqa: ANN401
    page, _ = visit(ODD)
    ticks = page.locator("#plot-logarithmic .xtick text").all_text_contents()
    assert [tick for tick in ticks if len(tick) == 1] == []
    assert {"50", "100", "200", "10,000", "20,000"} <= set(ticks)
    turn_to(page, 360)
    ticks = page.locator("#plot-logarithmic .xtick text").all_text_contents()
    assert ticks == ["100", "1,000", "10,000"]


def test_a_finger_that_scrolls_does_not_zoom(visit: Any) -> None:  # noqa: ANN401
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    page, _ = visit(is_mobile=True, **phone)
    modes = "[...document.querySelectorAll('.plot')].map((p) => p.layout.dragmode)"
    assert page.evaluate(modes) == [False, False]
    assert page.locator(".modebar-btn").count() == 0
