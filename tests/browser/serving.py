"""A service behind a real web server that can be stopped, and started where it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

from sqlalchemy import select

from tests.web.conftest import open_service
from ustory.core.article import Article
from ustory.store.feeds import put_feeds
from ustory.store.listing import stories_by_id
from ustory.store.tables import FeedRow, Watchlist, articles, stories
from ustory.store.watchlists import put_watchlist
from ustory.web.app import create_app
from ustory.web.pages.formatting import article_path, story_path
from ustory.web.server import address_of, listen, make_server
from ustory.web.service import Service
from ustory_bench.simulate import SimulationPlan, simulate

WATCHED = "w-test"
_PATIENCE = 180.0
_AT = datetime(2024, 3, 4, tzinfo=UTC)


class Site:
    """A service that is looked at in a browser. Mutable: it starts and stops."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._port = 0
        self.address = ""
        self.service: Service

    def start(self) -> Site:
        """Serve, on the port of the last time if there was one."""
        self.service = open_service(self._database)
        listener = listen("127.0.0.1", self._port)
        self._port = listener.getsockname()[1]
        self.address = address_of(listener)
        app = create_app(self.service)
        self._server = make_server(app, self.service.close_streams)
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [listener]})
        self._listener = listener
        self._thread.start()
        self._wait(lambda: self._server.started, "the server did not start")
        self._wait(lambda: not self.service.map.is_behind, "no map was drawn")
        return self

    def stop(self) -> None:
        """Stop as on a signal."""
        self._server.should_exit = True
        self._thread.join(_PATIENCE)
        self._listener.close()
        self.service.store.close()
        assert not self._thread.is_alive(), "the server did not stop"

    def paths(self) -> dict[str, str]:
        """Return the pages by their names, with the largest story and its newest."""
        with self.service.store.read() as connection:
            by_size = select(stories.c.id).order_by(stories.c.articles.desc())
            story: str = connection.scalars(by_size).all()[0]
            newest = articles.c.published_at.desc()
            own = select(articles.c.id).where(articles.c.story == story)
            article: str = connection.scalars(own.order_by(newest)).all()[0]
            word = stories_by_id(connection, [story])[story].keywords[0]
        return {
            "now": "/",
            "search": f"/?q={word}",
            "story": story_path(story),
            "article": article_path(article),
            "timeline": "/timeline",
            "hours": "/timeline?zoom=hour&days=3",
            "map": "/map",
            "watch": "/watch",
            "watchlist": f"/watch/{WATCHED}",
            "sources": "/sources",
            "operations": "/operations",
        }

    def _wait(self, is_so: Callable[[], bool], words: str) -> None:
        until = time.monotonic() + _PATIENCE
        while not is_so():
            assert self._thread.is_alive(), words
            assert time.monotonic() < until, words
            time.sleep(0.02)


def fill(
    database: Path, told: Sequence[Article], name: str, words: Sequence[str]
) -> None:
    """Tell articles to a new database, with feeds and a watchlist called `name`."""
    service = open_service(database)
    lists = Watchlist(id=WATCHED, name=name, created_at=_AT, keywords=tuple(words))
    with service.store.write() as connection:
        put_watchlist(connection, lists)
        put_feeds(connection, _feeds(name))
    service.loop.start()
    for start in range(0, len(told), 40):
        service.intake.accept(told[start : start + 40], name, cursor=name)
    service.loop.problems.log(name, "feed", f"it answered {name}")
    service.loop.problems.flush()
    service.loop.finish()
    service.store.close()


def busy_site(folder: Path) -> Site:
    """Return a server of hundreds of live stories, with 2,000 articles on its map."""
    database = folder / "busy.db"
    plan = SimulationPlan(articles=2_400, days=8, sentences=12)
    fill(database, list(simulate(plan)), "Ministers", ["minister"])
    opened = Site(database).start()
    assert len(opened.service.map.picture.spots) == 2_000
    return opened


def _feeds(name: str) -> list[FeedRow]:
    address = "https://{}.example/feed.xml"
    return [
        FeedRow(url=address.format("well"), title=name, added_at=_AT, last_ok=_AT),
        FeedRow(
            url=address.format("failing"),
            title=f"{name} again",
            added_at=_AT,
            failures=3,
            last_error=f"the server answered 500 {name}",
        ),
        FeedRow(url=address.format("new"), added_at=_AT),
    ]
