"""A page that somebody looks at, and all that goes wrong meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response

PLAIN = (
    "now",
    "search",
    "story",
    "article",
    "timeline",
    "hours",
    "map",
    "watch",
    "watchlist",
    "sources",
    "operations",
)
"""The names of the pages; see `Site.paths`."""
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
PATIENCE = 120_000
_DRAWN = {
    "timeline": ".line-picture .edge",
    "hours": ".line-picture .edge",
    "map": "#plain .map-picture .marks",
}
_EXPLORED = {
    "timeline": ".line-plot .main-svg",
    "hours": ".line-plot .main-svg",
    "map": "#plain .main-svg .points path",
}
_LISTEN = """
window.__violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.__violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
});
"""

_WIDE = """(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll("body *")]
    .filter((each) => each.getBoundingClientRect().right > clientWidth);
  return [`${scrollWidth} > ${clientWidth}`,
    ...wide.reverse().slice(0, 9).map((each) => each.outerHTML.slice(0, 150))];
})()"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Open a browser; a test that cannot have one is skipped and says why."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: no page is opened"
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


class Visit:
    """One reader's tab, with their cookies. `wrong` is what they never should see."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:  # noqa: ANN401 - Playwright's
        options = {"viewport": DESK, "reduced_motion": "reduce", **options}
        self._context = browser.new_context(base_url=address, **options)
        self._context.set_default_timeout(PATIENCE)
        self._context.add_init_script(_LISTEN)
        self.page: Page = self._context.new_page()
        self.wrong: list[str] = []
        self._listen()

    def _listen(self) -> None:
        note = self.wrong.append
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: note(f"threw: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("requestfailed", self._failed)
        self.page.on("response", self._answered)
        self.page.on("request", self._asked)

    def _console(self, told: ConsoleMessage) -> None:
        if told.type in ("error", "warning"):
            self.wrong.append(f"{told.type}: {told.text}")

    def _failed(self, asked: Request) -> None:
        why = asked.failure or ""
        # a page that is left gives up what it still asks for
        if "ABORTED" not in why:
            self.wrong.append(f"failed: {asked.url} {why}")

    def _answered(self, answer: Response) -> None:
        if answer.status >= 400:
            self.wrong.append(f"answered {answer.status}: {answer.url}")

    def _asked(self, asked: Request) -> None:
        if not asked.url.startswith(("http://127.0.0.1:", "data:")):
            self.wrong.append(f"asked {asked.url}")

    def _dismiss(self, box: Any) -> None:  # noqa: ANN401 - Playwright's
        self.wrong.append(f"dialog: {box.message}")
        box.dismiss()

    def go(self, path: str, name: str = "") -> Page:
        """Open a page and wait until all of it is there."""
        self.page.goto(path)
        self.settle(name)
        return self.page

    def settle(self, name: str = "") -> None:
        """Wait until the page is connected, and its pictures are there."""
        self.page.wait_for_selector("html[data-live=on]", state="attached")
        if name in _DRAWN:
            self.page.wait_for_selector(_DRAWN[name], state="attached")

    def explore(self, name: str) -> None:
        """Ask for plots that can be moved, and wait for them."""
        self.page.locator("#explore").press("Enter")
        self.page.wait_for_selector(_EXPLORED[name], state="attached")
        self.page.wait_for_selector("#explore", state="detached")

    def until(self, so: str) -> None:
        """Wait until an expression holds; the pages' policy forbids to poll in them."""
        for _ in range(PATIENCE // 100):
            if self.page.evaluate(so):
                return
            self.page.wait_for_timeout(100)
        pytest.fail(f"it never came to be that {so}")

    def unfold(self) -> None:
        """Open all that is folded in the page."""
        self.page.evaluate(
            "for (const each of document.querySelectorAll('main details'))"
            " each.open = true"
        )

    def faults(self) -> list[str]:
        """Return what went wrong, violations of the content policy included."""
        found: list[str] = self.page.evaluate("window.__violations")
        return [*self.wrong, *found]

    def too_wide(self) -> list[str]:
        """Return what makes the page wider than its window, the innermost first."""
        found: list[str] = self.page.evaluate(_WIDE)
        return found

    def colour(self) -> str:
        """Return the colour of the paper."""
        paper: str = self.page.evaluate(
            "getComputedStyle(document.documentElement).backgroundColor"
        )
        return paper

    def close(self) -> None:
        """Leave."""
        self._context.close()
