"""Light and dark, and the keyboard alone."""

from __future__ import annotations

from tests.browser.conftest import Visiting
from tests.browser.serving import Site

HELD = "document.activeElement"
VISIBLE = f"""(() => {{
  const style = getComputedStyle({HELD});
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
    || style.boxShadow !== "none";
}})()"""


def test_dark_is_remembered_on_every_page_and_never_flashes(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site, color_scheme="light")
    page = tab.go("/", "now")
    day = tab.colour()
    switch = page.locator("#theme")
    words = []
    for _ in range(2):
        switch.press("Enter")
        words.append(switch.get_attribute("aria-label"))
    night = tab.colour()

    assert words == ["Colours: light", "Colours: dark"]
    assert night != day
    for path in ("/", "/operations"):
        answer = page.goto(path)
        assert answer is not None
        assert 'data-theme="dark"' in answer.text()  # before any script runs
        assert tab.colour() == night
    page.locator("#theme").press("Enter")
    page.reload()
    assert tab.colour() == day
    assert tab.faults() == []


def test_the_system_decides_until_the_reader_does_and_plots_follow(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site, color_scheme="dark")
    page = tab.go("/timeline", "timeline")
    tab.explore("timeline")
    fill = "getComputedStyle(document.querySelector('.xtick text')).fill"
    night = tab.colour(), page.evaluate(fill)
    page.emulate_media(color_scheme="light")
    tab.until(f"{fill} !== '{night[1]}'")

    assert tab.colour() != night[0]
    assert tab.faults() == []


def test_the_first_key_leads_past_the_navigation(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    paths = site.paths()
    for name in ("now", "story", "article", "timeline", "watch", "operations"):
        page = tab.page
        page.goto(paths[name])
        page.keyboard.press("Tab")
        assert page.evaluate(f"{HELD}.className") == "skip"
        assert page.evaluate(VISIBLE)
        page.keyboard.press("Enter")
        page.wait_for_selector("main:focus")


def test_stories_are_read_with_keys_alone(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    page = tab.go("/", "now")
    links = page.locator("#list [data-open]").all_inner_texts()
    seen = []
    for key in "jjjk":
        page.keyboard.press(key)
        seen.append(page.evaluate(f"{HELD}.textContent"))

    assert seen == [*links[:3], links[1]]
    assert page.evaluate(VISIBLE)
    page.keyboard.press("Enter")
    page.wait_for_url("**/stories/*")
    assert page.locator("h1").inner_text() == links[1]
    assert tab.faults() == []


def test_keys_search_and_help_and_let_go_again(site: Site, visit: Visiting) -> None:
    tab = visit(site)
    page = tab.go("/", "now")
    page.keyboard.press("/")
    page.keyboard.type("jk?/")

    assert page.evaluate(f"{HELD}.value") == "jk?/"  # keys are letters there
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("j")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    page.keyboard.press("Control+j")  # the browser's own
    assert page.evaluate(f"{HELD}.closest('[data-item]')") is None
    assert tab.faults() == []


def test_tab_goes_through_a_page_in_its_order_and_out_of_it(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    page = tab.go("/sources", "sources")
    tops, words = [], []
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"{HELD} === document.body"):
            break
        assert page.evaluate(VISIBLE), page.evaluate(f"{HELD}.outerHTML")
        words.append(page.evaluate(f"{HELD}.textContent.trim()"))
        tops.append(page.evaluate(f"document.evaluate('count(preceding::*)', {HELD})"
                                  ".numberValue"))  # fmt: skip
    else:
        raise AssertionError(f"Tab never leaves: {words[-5:]}")

    assert tops == sorted(tops)
    assert words[:3] == ["Skip to the content", "ustory", "Now"]
    assert "Feed" in words
