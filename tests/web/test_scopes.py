"""Keys have a name, are good for something, end, and can be revoked while it runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from tests.web.conftest import GENEROUS, KEY, WRITER, open_service
from ustory.cli.main import cli
from ustory.service.clock import wall_time
from ustory.store import Store
from ustory.store.articles import article
from ustory.store.keys import all_keys, put_key, revoke_key
from ustory.store.meta import get_meta, put_meta
from ustory.store.migrate import downgrade, upgrade_to
from ustory.store.tables import KeyRow
from ustory.web.app import create_app
from ustory.web.keys import FIRST, SCOPES, Keys, digest_of, keys_of
from ustory.web.service import Rules, Service

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ARTICLE = {"title": "A quake in Kestrel Bay", "url": "https://a.example/quake"}
FEED = {"url": "https://a.example/rss"}
WATCHLIST = {"name": "Quakes", "keywords": ["quake"]}


def _row(name: str, *scopes: str, key: str | None = None, **more: datetime) -> KeyRow:
    digest = digest_of(key or f"the key of {name}")
    return KeyRow(name=name, digest=digest, scopes=scopes, created_at=NOW, **more)


def _bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer the key of {name}"}


@contextmanager
def _client(
    database: Path, *rows: KeyRow, private: bool = False
) -> Iterator[TestClient]:
    rules = Rules(keys=Keys.of([KEY]), private=private, limits=GENEROUS)
    service = open_service(database, rules)
    with service.store.write() as connection:
        for row in rows:
            put_key(connection, row)
    with TestClient(create_app(service)) as client:
        yield client
    service.store.close()


def _may(client: TestClient, name: str) -> set[str]:
    """Return what a key is good for, found by trying it."""
    asked = {
        "articles": ("/api/articles", ARTICLE),
        "feeds": ("/api/feeds", FEED),
        "watchlists": ("/api/watchlists", WATCHLIST),
    }
    found = set()
    for scope, (path, body) in asked.items():
        answer = client.post(path, json=body, headers=_bearer(name))
        assert answer.status_code in (200, 201, 403), answer.text
        if answer.status_code == 403:
            assert answer.json()["error"]["kind"] == "forbidden"
            assert f"the scope {scope}" in answer.json()["error"]["message"]
        else:
            found.add(scope)
    return found


def test_a_key_is_good_for_its_scopes_and_nothing_else(database: Path) -> None:
    rows = [_row(scope, scope) for scope in SCOPES]
    with _client(database, *rows) as client:
        found = {scope: _may(client, scope) for scope in SCOPES if scope != "admin"}
    with _client(database, *rows) as client:
        client.delete("/api/feeds", params=FEED, headers=_bearer("admin"))
        admin = _may(client, "admin")

    assert found == {
        "read": set(), "articles": {"articles"}, "feeds": {"feeds"},
        "watchlists": {"watchlists"},
    }  # fmt: skip
    assert admin == {"articles", "feeds", "watchlists"}


def test_a_private_service_is_read_with_a_key_for_reading_alone(database: Path) -> None:
    rows = [_row("reader", "read"), _row("sender", "articles")]
    with _client(database, *rows, private=True) as client:
        statuses = {
            name: client.get("/api/stories", headers=_bearer(name)).status_code
            for name in ("reader", "sender", "nobody")
        }
        sent = client.post("/api/articles", json=ARTICLE, headers=_bearer("sender"))
        matched = [
            client.post("/api/match", json=ARTICLE, headers=_bearer(name)).status_code
            for name in ("reader", "sender", "nobody")
        ]

    assert statuses == {"reader": 200, "sender": 403, "nobody": 401}
    assert sent.status_code == 200
    assert matched == [200, 403, 401]


def test_a_key_that_ended_or_was_revoked_opens_nothing() -> None:
    now = NOW
    keys = Keys((), lambda: now)
    keys.load(
        [_row("short", "admin", expires_at=NOW + timedelta(days=1)),
         _row("gone", "admin", revoked_at=NOW), _row("stays", "admin")]
    )  # fmt: skip
    before = [keys.know(f"the key of {name}") for name in ("short", "gone", "stays")]
    now = NOW + timedelta(days=1)
    after = [keys.know(f"the key of {name}") for name in ("short", "gone", "stays")]

    assert before == [True, False, True]
    assert after == [False, False, True]
    assert keys.used() == {"short": NOW, "stays": now}


def test_a_key_revoked_while_it_runs_stops_within_seconds(database: Path) -> None:
    with _client(database) as client:
        made = CliRunner().invoke(
            cli, ["keys", "add", "agency", "--scope", "articles", "--expires", "90d",
                  "--database", str(database)],
        )  # fmt: skip
        key = made.output.rsplit(": ", 1)[1].strip()
        headers = {"Authorization": f"Bearer {key}"}

        def status() -> int:
            return client.post(
                "/api/articles", json=ARTICLE, headers=headers
            ).status_code

        added = _becomes(status, 200)
        CliRunner().invoke(
            cli, ["keys", "revoke", "agency", "--database", str(database)]
        )
        revoked = _becomes(status, 401)

    assert made.exit_code == 0
    assert added
    assert revoked


def _becomes(status: object, wanted: int, seconds: float = 10.0) -> bool:
    assert callable(status)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if status() == wanted:
            return True
        time.sleep(0.1)
    return False


def test_articles_say_which_key_sent_them(database: Path) -> None:
    with _client(database, _row("agency", "articles")) as client:
        for headers, name in ((_bearer("agency"), "one"), (WRITER, "two")):
            body = {"id": name, "title": name, "url": f"https://a.example/{name}"}
            client.post("/api/articles", json=body, headers=headers)
        service: Service = client.app.state.service  # type: ignore[attr-defined]
        with service.store.read() as connection:
            rows = [article(connection, name) for name in ("one", "two")]

    assert [row and row.origin for row in rows] == ["api:agency", "api:given"]


def test_keys_that_are_given_replace_the_first_one(tmp_path: Path) -> None:
    store = Store.open(str(tmp_path / "a.db"))
    _, made = keys_of(store, [], wall_time())
    given, none = keys_of(store, ["another key, long enough"], wall_time())
    later, again = keys_of(store, [], wall_time())
    store.close()

    assert made is not None
    assert none is None
    assert given.know("another key, long enough")
    assert not given.know(made), "the first key still opens everything"
    assert again is not None, "there would be no key at all"
    assert later.know(again)
    assert not later.know(made)


def test_the_first_key_can_be_revoked(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    store = Store.open(str(database))
    keys, made = keys_of(store, [], wall_time())
    with store.write() as connection:
        put_key(connection, _row("mine", "admin"))
    done = CliRunner().invoke(
        cli, ["keys", "revoke", FIRST, "--database", str(database)]
    )
    keys, again = keys_of(store, [], wall_time())
    store.close()

    assert done.output == "key first is revoked\n"
    assert again is None
    assert not keys.know(made)


def test_keys_are_listed_without_what_would_open_anything(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    store = Store.open(str(database))
    with store.write() as connection:
        put_key(connection, _row("agency", "articles", "feeds"))
        put_key(connection, _row("gone", "read"))
        revoke_key(connection, "gone", NOW)
    store.close()

    listed = CliRunner().invoke(cli, ["keys", "list", "--database", str(database)])

    assert listed.exit_code == 0
    assert "agency" in listed.output
    assert "articles, feeds" in listed.output
    assert "revoked 2026-01-01" in listed.output
    assert digest_of("the key of agency") not in listed.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["add", "given-1", "--scope", "read"], "does not begin with 'given'"),
     (["add", "a b", "--scope", "read"], "the name of a key"),
     (["add", "there", "--scope", "read"], "there is a key there already"),
     (["add", "new", "--scope", "read", "--expires", "12"], "--expires takes"),
     (["revoke", "nobody"], "there is no key nobody to revoke; there are: there")],
)  # fmt: skip
def test_what_cannot_be_a_key_is_refused_in_words(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    database = tmp_path / "a.db"
    store = Store.open(str(database))
    with store.write() as connection:
        put_key(connection, _row("there", "read"))
    store.close()

    done = CliRunner().invoke(cli, ["keys", *arguments, "--database", str(database)])

    assert done.exit_code == 1
    assert said in done.output


def test_the_key_of_an_older_database_is_its_first_one(tmp_path: Path) -> None:
    store = Store.open(str(tmp_path / "a.db"))
    downgrade(store, "0006")
    with store.write() as connection:
        put_meta(connection, "keys", [digest_of("the key of first")])
        upgrade_to(connection, "head")
        rows = all_keys(connection)
        left = get_meta(connection, "keys")
    downgrade(store, "0006")
    with store.read() as connection:
        again = get_meta(connection, "keys")
    store.close()

    assert [(row.name, row.scopes) for row in rows] == [("first", ("admin",))]
    assert rows[0].digest == digest_of("the key of first")
    assert left is None
    assert again == [digest_of("the key of first")]
