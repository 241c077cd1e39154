"""What a first visit to a page costs on the wire, as Chromium counts it.

`python -m tests.browser.wire` measures all pages for the documentation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.browser.serving import busy_site
from tests.browser.visiting import PLAIN, chromium
from ustory_bench.speed.machine import machine

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SLOW = {
    "offline": False,
    "latency": 400,
    "downloadThroughput": 400_000 / 8,
    "uploadThroughput": 400_000 / 8,
}
"""400 kbit/s, and 400 ms for each request."""
_PAINTED = """new Promise((done) => {
  const first = () => performance.getEntriesByName("first-contentful-paint")[0];
  if (first()) { done(first().startTime); return; }
  new PerformanceObserver(() => first() && done(first().startTime))
    .observe({ type: "paint", buffered: true });
})"""


@dataclass(slots=True)
class WireVisit:
    """A first visit: its requests with their bytes, and when something was seen."""

    requests: dict[str, int] = field(default_factory=dict)
    """Bytes of each, head and body as they were sent, by address."""
    painted: float = 0.0
    """Milliseconds until the first words or pictures were on the screen."""
    words: str = ""
    """What could be read then."""

    @property
    def total(self) -> int:
        """Bytes of all requests."""
        return sum(self.requests.values())


def first_visit(browser: Browser, url: str, *, slow: bool = False) -> WireVisit:
    """Open a page with an empty cache; return what it cost."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        wire = context.new_cdp_session(page)
        found, names = WireVisit(), dict[str, str]()

        def asked(event: dict[str, Any]) -> None:
            names[event["requestId"]] = event["request"]["url"]

        def came(event: dict[str, Any]) -> None:
            name = names.get(event["requestId"], "")
            if not name.startswith("data:"):
                found.requests[name] = int(event["encodedDataLength"])

        wire.on("Network.requestWillBeSent", asked)
        wire.on("Network.loadingFinished", came)
        wire.send("Network.enable")
        if slow:
            wire.send("Network.emulateNetworkConditions", SLOW)
        page.goto(url, wait_until="commit")
        found.painted = float(page.evaluate(_PAINTED))
        found.words = page.locator("main").inner_text()
        page.wait_for_load_state("load")
        page.wait_for_selector("html[data-live=on]", state="attached")
        page.wait_for_timeout(500)  # what a script asks for when all is there
        return found
    finally:
        context.close()


RESULTS = Path(__file__).parents[2] / "bench" / "results" / "wire.json"


def measure(folder: Path) -> dict[str, Any]:
    """Return bytes, requests and time until the first paint of every page."""
    site = busy_site(folder)
    rows = []
    with chromium() as browser:
        for name in PLAIN:
            address = site.address + site.paths()[name]
            whole = first_visit(browser, address)
            slow = first_visit(browser, address, slow=True)
            rows.append(
                {
                    "page": name,
                    "bytes": whole.total,
                    "requests": len(whole.requests),
                    "slow_ms": round(slow.painted),
                }
            )
    status = site.service.loop.status()
    found = {
        "machine": machine(),
        "inside": status.inside,
        "stories": status.stories,
        "on_map": len(site.service.map.picture.spots),
        "pages": rows,
    }
    site.stop()
    return found


if __name__ == "__main__":
    with TemporaryDirectory() as here:
        text = json.dumps(measure(Path(here)), indent=1)
    RESULTS.write_text(f"{text}\n", encoding="utf-8")
