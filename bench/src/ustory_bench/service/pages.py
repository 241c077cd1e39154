"""What each page costs the server, over a small archive and over a large one."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from fastapi.testclient import TestClient

from ustory.service.clock import StreamClock
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.service.settings import live_settings
from ustory.store import Store
from ustory.store.articles import articles_of_story
from ustory.store.query import StoryQuery, list_stories
from ustory.testing import TinyEncoder
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.service import Rules, Service
from ustory_bench.service.archive import SIZES

MOST = 1.5
_ROUNDS = 15


def measure(folder: Path) -> dict[str, Any]:
    """Return the processor time of each page as a ratio, large against small.

    The databases are those of `archive`. Nothing is in the window of the engine, so
    explanations come from the archive and the map is empty.
    """
    sites = [_site(folder / f"sqlite-{size}.db") for size in SIZES]
    rows = []
    for page in sites[0][1]:
        spent: tuple[list[float], list[float]] = [], []
        for _ in range(_ROUNDS):
            for times, (client, pages) in zip(spent, sites, strict=True):
                began = time.process_time()
                answer = client.get(pages[page])
                times.append(time.process_time() - began)
                answer.raise_for_status()
        small, large = map(median, spent)
        rows.append(
            {
                "page": page,
                "small_ms": round(small * 1e3, 2),
                "large_ms": round(large * 1e3, 2),
                "ratio": round(large / small, 2),
                "most": MOST,
                "holds": large <= MOST * small,
            }
        )
    return {"articles": list(SIZES), "sqlite": rows}


def _site(path: Path) -> tuple[TestClient, dict[str, str]]:
    """Return a client of a service over a database, and the addresses to ask."""
    store, clock = Store.open(str(path)), StreamClock()
    loop = Loop(store, live_settings(), TinyEncoder(), clock)
    intake = Intake(store, loop.calendar, clock)
    service = Service(loop, intake, Rules(keys=Keys.of(["a key of the benchmark"])))
    with store.read() as connection:
        story = list_stories(connection, StoryQuery(limit=1)).items[0].id
        article = articles_of_story(connection, story, 1).items[0].id
    pages = {
        name: f"/{name}"
        for name in ("timeline", "map", "watch", "sources", "operations")
    }
    told = {
        "now": "/",
        "story": f"/stories/{quote(story, safe='')}",
        "article": f"/articles/{quote(article, safe='')}",
    }
    return TestClient(create_app(service)), {**told, **pages}
