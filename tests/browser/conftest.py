"""One browser and one server for all tests of the folder.

Their scope is the package, not the session: as long as Playwright runs, no other
test of the same thread could run an event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from tests.browser.hostile import KEYWORDS, NAME, hostile_articles
from tests.browser.serving import Site, busy_site, fill
from tests.browser.visiting import Visit, chromium
from tests.web.conftest import copied
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Visiting: TypeAlias = Callable[..., Visit]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Return a browser."""
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="package")
def filled(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with the stories of the demo stream; no browser, no work."""
    del browser
    database: Path = tmp_path_factory.mktemp("filled") / "filled.db"
    articles = [each.article for each in open_source(str(demo_stream())).read()]
    fill(database, articles, "Shaking ground", ["earthquake", "tsunami advisory"])
    return database


@pytest.fixture(scope="package")
def site(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Return a server that all tests share which change nothing."""
    opened = Site(copied(filled, tmp_path_factory.mktemp("site"))).start()
    yield opened
    opened.stop()


@pytest.fixture(scope="package")
def attacked(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Return a server whose articles, feeds and watchlists are attacks."""
    del browser
    database: Path = tmp_path_factory.mktemp("attacked") / "attacked.db"
    fill(database, hostile_articles(), NAME, KEYWORDS)
    opened = Site(database).start()
    yield opened
    opened.stop()


@pytest.fixture(scope="package")
def busy(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Return a server of 350 live stories, with 2,000 articles on its map."""
    del browser
    opened = busy_site(tmp_path_factory.mktemp("busy"))
    yield opened
    opened.stop()


@pytest.fixture
def living(filled: Path, tmp_path: Path) -> Iterator[Site]:
    """Return a server that a test may change."""
    opened = Site(copied(filled, tmp_path)).start()
    yield opened
    opened.stop()


@pytest.fixture
def empty(browser: Browser, tmp_path: Path) -> Iterator[Site]:
    """Return a server that no article has come to."""
    del browser
    opened = Site(tmp_path / "empty.db").start()
    yield opened
    opened.stop()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visiting]:
    """Return a function that opens a tab."""
    opened: list[Visit] = []

    def visiting(site: Site, **options: Any) -> Visit:  # noqa: ANN401 - Playwright's
        opened.append(Visit(browser, site.address, **options))
        return opened[-1]

    yield visiting
    for each in opened:
        each.close()
