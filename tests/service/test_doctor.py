"""What is wrong with an archive is found, said, and comes with what to do."""

from __future__ import annotations

import json
import os
import shutil
from collections import namedtuple
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import update

from tests.service.running import DAY, START, demo_articles, opened, tell_all
from tests.service.test_survival import spoil
from ustory.cli.main import cli
from ustory.service.doctor import examine
from ustory.service.examine_archive import Finding
from ustory.store import Store
from ustory.store.articles import put_aside
from ustory.store.feeds import put_feeds
from ustory.store.migrate import downgrade
from ustory.store.problems import add_problem
from ustory.store.tables import AsideRow, Delivery, FeedRow, Watchlist, slides, stories
from ustory.store.watchlists import put_deliveries, put_watchlist

NOW = START + 60 * DAY


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive with nothing wrong."""
    file = tmp_path_factory.mktemp("doctor") / "whole.db"
    with opened(str(file)) as store:
        tell_all(store, demo_articles()[:40])
    file.chmod(0o600)
    return file


@pytest.fixture
def file(whole: Path, tmp_path: Path) -> Path:
    """Return a copy of it that may be spoilt."""
    copy = tmp_path / "a.db"
    shutil.copy(whole, copy)
    copy.chmod(0o600)
    os.utime(copy, (0, 0))
    return copy


def found(file: Path | str, level: str = "", now: datetime = NOW) -> dict[str, Finding]:
    """Return the findings of a level by their check; the last of each."""
    return {
        each.check: each
        for each in examine(str(file), now)
        if each.level == level or not level
    }


def wrong(file: Path | str, now: datetime = NOW) -> dict[str, Finding]:
    """Return what needs somebody."""
    return found(file, "error", now) | found(file, "warning", now)


def test_a_good_archive_needs_nothing(file: Path) -> None:
    before = file.read_bytes()
    assert wrong(file) == {}
    checks = {"file", "modes", "served", "schema", "whole", "snapshot", "method"}
    assert checks | {"feeds", "webhooks", "clock", "disk"} <= found(file, "ok").keys()
    assert file.read_bytes() == before


def test_an_archive_on_a_server_is_looked_at_as_well(postgres_url: str) -> None:
    with opened(postgres_url) as store:
        tell_all(store, demo_articles()[:20])
        assert "no service" in found(postgres_url, "ok")["served"].message
        with store.lock():
            assert wrong(postgres_url) == {}
            assert "a service uses" in found(postgres_url, "ok")["served"].message


def test_an_archive_that_is_served_is_looked_at(file: Path) -> None:
    with opened(str(file)) as store, store.lock(), store.write():
        assert "a service uses it" in found(file, "ok")["served"].message
        assert "whole" in found(file, "ok")
    assert "no service uses it" in found(file, "ok")["served"].message


def test_an_older_schema_is_said_and_not_touched(file: Path) -> None:
    with opened(str(file)) as store:
        downgrade(store, "0005")
    said = wrong(file)["schema"]
    assert "0005" in said.message
    assert "ustory db upgrade" in said.advice
    assert wrong(file)["schema"] == said


def test_a_file_that_is_no_archive_is_said(tmp_path: Path) -> None:
    (tmp_path / "no.db").write_bytes(b"no database at all, only text" * 100)
    assert "damaged" in wrong(tmp_path / "no.db")["schema"].message


def test_an_emptied_file_is_said(file: Path) -> None:
    file.write_bytes(b"")
    file.with_name("a.db-serving").touch()
    assert "was an archive before" in wrong(file)["file"].message


def test_hard_links_and_open_modes_are_said(file: Path, tmp_path: Path) -> None:
    (tmp_path / "other.db").hardlink_to(file)
    file.chmod(0o644)
    said = examine(str(file), NOW)
    assert f"chmod 600 {file}" in {each.advice for each in said}
    assert "2 names" in wrong(file)["file"].message


def test_what_does_not_fit_together_is_said(file: Path) -> None:
    with opened(str(file)) as store, store.write() as connection:
        connection.execute(update(stories).values(merged_into="s999999"))
    assert "merged_into" in wrong(file)["whole"].message
    assert "ustory db restore" in wrong(file)["whole"].advice


def test_damaged_snapshots_are_said(file: Path) -> None:
    with opened(str(file)) as store:
        spoil(store, 1)
    assert "is damaged" in wrong(file)["snapshot"].message
    with opened(str(file)) as store:
        spoil(store, 3)
        spoil(store, 1)  # which makes the newest good again, and leaves two
    assert "snapshot" in wrong(file)


def feed(name: str, **given: object) -> FeedRow:
    """Return a feed that answered an hour ago."""
    usual: dict[str, object] = {
        "added_at": START,
        "last_ok": NOW - timedelta(hours=1),
        "next_at": NOW,
    }
    url = f"https://{name}.example/rss.xml"
    return FeedRow(url=url, **(usual | given))  # type: ignore[arg-type]


def keep(file: Path, *rows: FeedRow) -> None:
    with opened(str(file)) as store, store.write() as connection:
        put_feeds(connection, rows)


def test_feeds_that_fail_are_said_without_their_passwords(file: Path) -> None:
    bad = feed("bad", failures=7, last_error="it answered 500")
    secret = FeedRow(
        url="https://me:hunter2@s.example/rss?token=hunter3", added_at=NOW, failures=9
    )
    keep(file, bad, secret, feed("once", failures=1))
    said = [each for each in examine(str(file), NOW) if each.check == "feeds"]
    words = " ".join(each.message for each in said)
    assert "bad.example/rss.xml failed 7 times in a row: it answered 500" in words
    assert "hunter" not in words
    assert "1 of 3 feeds work" in words


def test_feeds_that_are_silent_or_late_are_said(file: Path) -> None:
    keep(file, feed("quiet"), feed("new", added_at=NOW - DAY))
    notes = [
        e for e in examine(str(file), NOW) if (e.check, e.level) == ("feeds", "note")
    ]
    assert [note.message.split()[0] for note in notes] == [
        "https://quiet.example/rss.xml"
    ]
    keep(file, feed("late", next_at=NOW - timedelta(hours=9)))
    assert "polled more than an hour late" in wrong(file)["feeds"].message


def test_messages_that_nobody_takes_are_said(file: Path) -> None:
    message = Delivery(
        id="w.s", watchlist="w", match=1, url="https://x.example/", next_at=NOW
    )
    with opened(str(file)) as store, store.write() as connection:
        put_watchlist(connection, Watchlist(id="w", name="w", created_at=NOW))
        put_deliveries(connection, [message])
    assert "1 messages wait" in found(file, "ok")["webhooks"].message
    with opened(str(file)) as store, store.write() as connection:
        tried = Delivery(
            id="w.s", watchlist="w", match=1, url="", next_at=NOW, attempts=3
        )
        put_deliveries(connection, [tried])
    assert (
        "sent again because they were not accepted" in wrong(file)["webhooks"].message
    )


def test_articles_that_are_set_aside_are_named(file: Path) -> None:
    with opened(str(file)) as store, store.write() as connection:
        row = AsideRow(
            article="a-1",
            seq=1,
            slide=1,
            at=NOW,
            reason="it panics",
            by="x",
            left_out=True,
        )
        put_aside(connection, [row])
    assert "'a-1' is set aside: it panics" in found(file, "note")["set aside"].message


def test_problems_of_the_last_day_are_counted(file: Path) -> None:
    with opened(str(file)) as store, store.write() as connection:
        for days in (0, 0, 3):
            add_problem(connection, NOW - days * DAY, "x", "refused", "no title")
    assert "2 × refused" in found(file, "note")["problems"].message


def test_a_clock_behind_the_archive_is_said(file: Path) -> None:
    assert wrong(file, START - 10 * DAY)["clock"].level == "error"
    assert "set the clock right" in wrong(file, START - 10 * DAY)["clock"].advice
    os.utime(file, (NOW.timestamp() + 9_999, NOW.timestamp() + 9_999))
    assert "was changed" in wrong(file)["clock"].message


def test_a_slide_in_the_future_is_said(file: Path) -> None:
    with opened(str(file)) as store, store.write() as connection:
        connection.execute(update(slides).values(start=NOW + DAY))
    os.utime(file, (0, 0))
    assert "began at" in wrong(file)["clock"].message


def test_a_disk_without_room_is_said(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    size = file.stat().st_size

    def free(count: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(0, 0, count))

    free(100_000_000 + 3 * size)
    assert "disk" not in wrong(file)
    free(100_000_000 + size)
    assert "not enough for an upgrade" in wrong(file)["disk"].message
    free(1_000)
    assert found(file, "error")["disk"].advice.startswith("make room")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["doctor", *arguments])


def test_the_command_says_what_to_do_and_ends_with_one(file: Path) -> None:
    file.chmod(0o644)
    done = call(str(file))
    assert done.exit_code == 1
    assert "WARNING modes: others may read" in done.output
    assert f"→ chmod 600 {file}" in done.output
    listed = json.loads(call(str(file), "--json").output)
    assert {"check", "level", "message", "advice"} == set(listed[0])


def test_the_command_ends_with_nought_where_all_is_well(file: Path) -> None:
    done = call(str(file))
    assert (done.exit_code, "ERROR" in done.output) == (0, False), done.output


def test_the_command_makes_no_database(tmp_path: Path) -> None:
    done = call(str(tmp_path / "none.db"))
    assert done.exit_code == 1
    assert "there is no database" in done.output
    assert list(tmp_path.iterdir()) == []


def test_looking_needs_no_right_to_write(file: Path) -> None:
    store = Store.look(str(file))
    with pytest.raises(Exception, match="readonly"), store.write() as connection:
        add_problem(connection, NOW, "x", "y", "z")
    store.close()
