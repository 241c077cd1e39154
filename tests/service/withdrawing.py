"""An archive with articles to withdraw, and all that is in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import select

from tests.service.running import (
    DAY,
    ORIGIN,
    Rig,
    demo_articles,
)
from ustory.core.article import Article
from ustory.service.settings import live_settings
from ustory.store import Store
from ustory.store.facts import SEARCH_TABLES
from ustory.store.tables import (
    tables,
)

SECRET = "Xanthipporelia"
MODES = {
    "links": live_settings(slide=DAY),
    "paper": live_settings(slide=DAY, mode="paper", min_articles=2),
}


def news() -> list[Article]:
    """Return a stream in which three articles of a story name somebody."""
    stream = list(demo_articles())
    first = stream[0]
    for number in range(3):
        stream.insert(
            5 + number,
            replace(
                first,
                id=f"zqx-{number}",
                url=f"https://gossip.example/{number}",
                source="Gossip",
                title=f"{SECRET} {first.title} {number}",
                text=f"{SECRET} Smith was there, said {number}. {first.text}",
                published_at=first.published_at + timedelta(hours=1 + number),
            ),
        )
    return sorted(stream, key=lambda a: a.published_at)


def told(store: Store, mode: str = "links", upto: int | None = None) -> Rig:
    rig = Rig(store, settings=MODES[mode])
    rig.intake.accept(news()[:upto], ORIGIN)
    rig.loop.finish()
    return rig


def everything(store: Store) -> str:
    """Return all rows of all tables, in words; snapshots as their bytes."""
    parts = []
    with store.read() as connection:
        for table in (*tables.sorted_tables, *SEARCH_TABLES.sorted_tables):
            for row in connection.execute(select(table)):
                parts += [str(v) if not isinstance(v, bytes) else v.decode("latin-1")
                          for v in row]  # fmt: skip
    return "\n".join(parts).lower()
