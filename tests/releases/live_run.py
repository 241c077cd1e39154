"""A service that reads part of a stream into a database, with any release's code.

`python -m tests.releases.live_run URL FROM TO STREAM...`: the articles of the streams
by date, from one to another. It prints what each article is in, as JSON.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta

from sqlalchemy import select

from ustory.core.article import Article
from ustory.service.clock import StreamClock
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.service.settings import live_settings
from ustory.sources.open import open_source
from ustory.store import Store
from ustory.store.tables import articles, stories
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder


def read(streams: list[str]) -> list[Article]:
    """Return the articles of some files, the oldest first."""
    found = [a.article for name in streams for a in open_source(name).read()]
    return sorted(found, key=lambda article: (article.published_at, article.id))


def run(url: str, given: list[Article]) -> dict[str, object]:
    """Take articles in and tell their slides; return what is in the archive then."""
    store = Store.open(url)
    clock = StreamClock()
    loop = Loop(store, live_settings(slide=timedelta(days=1)), TinyEncoder(), clock)
    loop.start()
    intake = Intake(store, loop.calendar, clock)
    for first in range(0, len(given), 100):
        intake.accept(given[first : first + 100], "stream", str(first))
        loop.catch_up()
    loop.finish()
    with store.read() as connection:
        rows = connection.execute(select(articles.c.id, articles.c.story)).all()
        over = select(stories.c.id, stories.c.merged_into)
        merged = {row.id: row.merged_into for row in connection.execute(over)}
    faults, window = check(store), sorted(loop.state.records)
    store.close()
    return {
        "places": {row.id: row.story for row in rows},
        "merged": {story: into for story, into in merged.items() if into},
        "window": window,
        "faults": faults,
    }


def main(url: str, first: str, last: str, *streams: str) -> None:
    """Run, and print."""
    given = read(list(streams))[int(first) : int(last)]
    sys.stdout.write(json.dumps(run(url, given)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
