"""Pictures of the pages for the documentation: the demo at its end, in Chromium."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from tests.browser.serving import WATCHED
from tests.browser.visiting import DESK, Visit, chromium
from tests.web.conftest import GENEROUS
from tests.web.running import running
from ustory.encode import load_encoder
from ustory.service.clock import StreamClock
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source
from ustory.store import Store
from ustory.store.feeds import put_feeds
from ustory.store.tables import FeedRow, Watchlist, articles, stories
from ustory.store.watchlists import put_watchlist
from ustory.web.assembly import Plan, settings_for
from ustory.web.pages.formatting import article_path, story_path
from ustory.web.service import Rules, Service

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FOLDER = Path(__file__).parents[2] / "docs" / "assets" / "pages"
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "light": {"viewport": DESK, "color_scheme": "light"},
    "dark": {"viewport": DESK, "color_scheme": "dark"},
    "phone": {
        "viewport": {"width": 360, "height": 740},
        "color_scheme": "light",
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
    },
}
NAMES = (
    "now", "search", "story", "article", "timeline", "map", "watch", "sources",
    "operations",
)  # fmt: skip
_COLOURS = 128
_PATIENCE = 300.0
_WALL = datetime(2024, 3, 18, 9, 30, tzinfo=UTC)
"""The day after the demo's last article."""

logger = logging.getLogger(__name__)


def main(names: Sequence[str] = NAMES) -> None:
    """Write the pictures of some pages anew."""
    logging.basicConfig(format="%(message)s")
    logger.setLevel(logging.INFO)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo_at_its_end() as (address, paths), chromium() as browser:
        for name in names:
            for look, options in LOOKS.items():
                content = _smaller(
                    _shot(browser, address, (name, paths[name]), options)
                )
                (FOLDER / f"{name}-{look}.png").write_bytes(content)
                logger.info("%s-%s.png: %d kB", name, look, len(content) // 1000)


@contextmanager
def demo_at_its_end() -> Iterator[tuple[str, dict[str, str]]]:
    """Serve the demo with nothing more to come; give the address and its pages."""
    with TemporaryDirectory() as folder:
        store = Store.open(str(Path(folder) / "demo.db"))
        _furnish(store)
        service = _service(store)
        _tell(service)
        with running(service) as address:
            _until_drawn(service)
            yield address, _paths(store)
        store.close()


def _service(store: Store) -> Service:
    """Return what `ustory serve --demo` runs, but for the reading of feeds."""
    rules = Rules(limits=GENEROUS, wall=lambda: _WALL)
    settings, clock = settings_for(store, Plan(demo=True)), StreamClock()
    loop = Loop(store, settings, load_encoder(settings.encoder), clock)
    intake = Intake(store, loop.calendar, clock)
    return Service(loop, intake, rules)


def _tell(service: Service) -> None:
    """Tell the stream, each slide as soon as it ends."""
    service.prepare()
    for number, arrival in enumerate(open_source(str(demo_stream())).read()):
        service.intake.accept([arrival.article], "demo", cursor=str(number))
        _do(service)
    service.intake.close_open()
    _do(service)


def _do(service: Service) -> None:
    while service.loop.step() is not None:
        pass


def _furnish(store: Store) -> None:
    """Let there be something to watch, and feeds: none of them is ever asked."""
    begun = _WALL - timedelta(days=14)
    kept = Watchlist(
        id=WATCHED,
        name="Earthquakes and floods",
        created_at=begun,
        keywords=("earthquake", "aftershock", "flood"),
    )
    other = Watchlist(
        id=f"{WATCHED}-2",
        name="Elections",
        created_at=begun,
        keywords=("ballot", "vote"),
    )
    feeds = [
        FeedRow(
            url=f"https://{host}.example/feed.xml",
            title=title,
            added_at=begun,
            next_at=_WALL + timedelta(minutes=15 * 2**failures - minutes % 15),
            last_ok=_WALL - timedelta(minutes=minutes),
            failures=failures,
            last_error="the server answered 503: it is overloaded"
            if failures
            else None,
            articles=count,
        )
        for host, title, minutes, failures, count in (
            ("continentalwire", "Continental Wire", 4, 0, 312),
            ("harbourpost", "The Harbour Post", 9, 0, 127),
            ("northerncourier", "Northern Courier", 185, 3, 64),
            ("sciencedesk", "Science Desk", 12, 0, 41),
        )
    ]
    with store.write() as connection:
        put_watchlist(connection, kept)
        put_watchlist(connection, other)
        put_feeds(connection, feeds)


def _until_drawn(service: Service) -> None:
    until = time.monotonic() + _PATIENCE
    while service.map.is_behind:
        assert time.monotonic() < until, "the map was not drawn"
        time.sleep(0.2)


def _paths(store: Store) -> dict[str, str]:
    """Return the pages; the story is the largest live one, the article its newest."""
    largest = stories.c.articles.desc(), stories.c.id
    live = select(stories.c.id).where(stories.c.status == "live")
    with store.read() as connection:
        story: str = connection.scalars(live.order_by(*largest)).all()[0]
        own = select(articles.c.id).where(articles.c.story == story)
        newest = articles.c.seq.desc()
        article: str = connection.scalars(own.order_by(newest)).all()[0]
    paths = {
        "now": "/",
        "search": "/?q=earthquake",
        "story": story_path(story),
        "article": article_path(article),
    }
    return {name: paths.get(name, f"/{name}") for name in NAMES}


def _shot(
    browser: Browser, address: str, page: tuple[str, str], options: Mapping[str, Any]
) -> bytes:
    tab = Visit(browser, address, **options)
    try:
        opened = tab.go(page[1], page[0])
        opened.mouse.move(0, 0)
        opened.wait_for_timeout(400)
        assert tab.faults() == [], tab.faults()
        return opened.screenshot(animations="disabled")
    finally:
        tab.close()


def _smaller(content: bytes) -> bytes:
    """Return a picture with a palette, where Pillow is there to make it."""
    try:
        from PIL import Image  # noqa: PLC0415 - not needed otherwise
    except ImportError:
        return content
    made = BytesIO()
    flat = Image.open(BytesIO(content)).convert("RGB")
    flat.quantize(_COLOURS, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
    return min(made.getvalue(), content, key=len)


if __name__ == "__main__":
    main(sys.argv[1:] or NAMES)
