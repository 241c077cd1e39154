"""`ustory serve` and `ustory db` do what they say, or say what stands in the way."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from tests.service.running import demo_articles, tell_all
from ustory.cli.main import cli
from ustory.store import Store

_RUN = [sys.executable, "-c", "from ustory.cli.main import cli; cli()"]


def _call(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(cli, list(arguments), input=given)


def test_the_list_of_commands_does_not_wait_for_the_web() -> None:
    script = """
import sys
from ustory.cli.main import cli
try:
    cli(["--help"])
except SystemExit:
    pass
heavy = {"fastapi", "sqlalchemy", "uvicorn", "httpx", "pydantic"}
print("heavy:", sorted(heavy & set(sys.modules)))
import ustory.cli.serve, ustory.cli.db
print("commands:", sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert "heavy: []" in done.stdout
    assert "commands: []" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--key", "short"), "16 plain characters"),
     (("--slide", "100", "--window", "700"), "goes by time"),
     (("nowhere.opml",), "cannot read the feeds"),
     (("--every", "100"), "--every takes a duration"),
     (("--keep-text", "1d"), "longer than the window"),
     (("--allow-private", "everything"), "10.0.0.0/8"),
     (("--limit", "bodies=1"), "there is no limit 'bodies'"),
     (("--host-name", "a b"), "written like news.example"),
     (("--public-url", "news.example"), "--public-url is an address"),
     (("--trusted-proxy", "everything"), "10.0.0.0/8"),
     (("--encoder", "nothing"), "no encoder named"),
     (("--database", "missing/folder/a.db"), "folder does not exist")],
)  # fmt: skip
def test_what_cannot_work_is_refused_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    done = _call("serve", "--port", "0", *arguments)

    assert done.exit_code == 1
    assert said in done.output
    assert "Traceback" not in done.output


def test_a_port_that_is_taken_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = _call("serve", "--port", str(port))

    assert done.exit_code == 1
    assert f"port {port}" in done.output


def test_a_file_that_grows_is_served_and_goes_on_after_sigterm(tmp_path: Path) -> None:
    news = tmp_path / "news.jsonl"
    line = '{"id": "%s", "title": "%s", "published_at": "2024-03-04T06:00:00Z"}\n'
    news.write_text(line % ("a", "Zeppelin lands"), encoding="utf-8")
    command = [*_RUN, "serve", str(news), "--port", "0", "--as-of-articles"]
    printed = []
    for extra in ("b", "c"):
        process = subprocess.Popen(
            [*command, "--encoder", "tiny"], cwd=tmp_path, stdout=subprocess.PIPE,
            text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert process.stdout is not None
        first = ""
        while "Ctrl-C stops it" not in first and process.poll() is None:
            first += process.stdout.readline()
        found = re.search(r"http://[0-9.:]+", first)
        assert found is not None, first
        with news.open("a", encoding="utf-8") as file:
            file.write(line % (extra, f"Headline {extra}"))
        with httpx.Client(base_url=found[0], timeout=20) as client:
            for _ in range(300):
                if client.get(f"/api/articles/{extra}").status_code == 200:
                    break
                signal.sigtimedwait([], 0.1)
            kept = [client.get(f"/api/articles/{each}").status_code for each in "ab"]
            assert kept == [200, 200]
            assert client.get(f"/api/articles/{extra}").status_code == 200
            strange = client.get("/api/stories", headers={"Host": "evil.example"})
            assert strange.status_code == 421
        process.send_signal(signal.SIGTERM)
        printed.append(first + process.communicate(timeout=30)[0])
        assert process.returncode == 0

    # the key that the first start made is in force, and not shown again
    assert ["API key for writing" in each for each in printed] == [True, False]
    assert "stopped" in printed[1]


def test_a_database_is_served_once_at_a_time(database: Path) -> None:
    store = Store.open(str(database))
    with store.lock():
        done = subprocess.run(
            [*_RUN, "serve", "--port", "0", "--database", str(database)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    store.close()

    assert done.returncode == 1
    assert "another" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_archive_is_checked_backed_up_and_restored(
    database: Path, tmp_path: Path
) -> None:
    where = ("--database", str(database))
    copy, fresh = tmp_path / "copy.backup", tmp_path / "fresh.db"

    assert _call("db", "check", *where).output.strip().endswith("is whole")
    assert _call("db", "backup", str(copy), *where).exit_code == 0
    restored = _call("db", "restore", str(copy), "--database", str(fresh), "--yes")
    exports = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for base, file in zip((database, fresh), exports, strict=True):
        done = _call("db", "export", "stories", str(file), "--database", str(base))
        assert done.exit_code == 0, done.output

    assert restored.exit_code == 0, restored.output
    assert exports[0].read_bytes() == exports[1].read_bytes()
    assert len(exports[0].read_bytes().splitlines()) > 10


def test_the_portable_archive_can_be_restored(database: Path, tmp_path: Path) -> None:
    archive, fresh = tmp_path / "all.gz", tmp_path / "fresh.db"

    out = _call("db", "export", "archive", str(archive), "--database", str(database))
    back = _call("db", "restore", str(archive), "--database", str(fresh), "--yes")

    assert (out.exit_code, back.exit_code) == (0, 0)
    assert _call("db", "check", "--database", str(fresh)).exit_code == 0


def test_restoring_asks_first(database: Path, tmp_path: Path) -> None:
    done = _call(
        "db", "restore", str(tmp_path / "x"), "--database", str(database), given="n\n"
    )

    assert done.exit_code == 1
    assert "replaces all" in done.output


@pytest.mark.parametrize("command", ["check", "upgrade", "backup", "export"])
def test_a_wrong_name_does_not_make_a_new_database(
    tmp_path: Path, command: str
) -> None:
    missing = tmp_path / "typo.db"
    more = {"backup": ["x"], "export": ["stories", "x"]}.get(command, [])

    done = _call("db", command, *more, "--database", str(missing))

    assert done.exit_code == 1
    assert "there is no database" in done.output
    assert not missing.exists()


def test_an_export_does_not_write_over_a_file(database: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.csv"
    there.write_text("mine", encoding="utf-8")

    done = _call("db", "export", "stories", str(there), "--database", str(database))

    assert done.exit_code == 1
    assert there.read_text(encoding="utf-8") == "mine"


def test_a_database_is_brought_to_the_newest_schema(database: Path) -> None:
    done = _call("db", "upgrade", "--database", str(database))

    assert done.output.strip().endswith("has the newest schema")


def _filled(folder: Path) -> str:
    """Return a database of the demo stream, with a backup beside it."""
    database = f"{folder}/news.db"
    store = Store.open(database)
    tell_all(store, demo_articles()[:40])
    store.close()
    assert _call("db", "backup", f"{database}.backup", "--database", database)
    return database


def test_articles_are_withdrawn_by_a_command_that_names_the_backups(
    tmp_path: Path,
) -> None:
    database = _filled(tmp_path)
    source = demo_articles()[0].source
    assert source is not None
    there = source.encode() in Path(database).read_bytes()
    assert there
    done = _call("db", "withdraw", "--source", source, "--database", database, "--yes")
    assert done.exit_code == 0, done.output
    assert "withdrawn from" in done.output
    assert "news.db.backup" in done.output
    assert "by hand" in done.output
    assert source.encode() not in Path(database).read_bytes()
    assert _call("db", "check", "--database", database).exit_code == 0


def test_a_withdrawal_names_one_thing(tmp_path: Path) -> None:
    database = f"{tmp_path}/a.db"
    Store.open(database).close()
    done = _call("db", "withdraw", "--database", database, "--yes")
    assert done.exit_code != 0
    assert "one of --article, --source" in str(done.output) + str(done.exception)


def test_an_archive_without_anything_in_the_future_needs_no_repair(
    tmp_path: Path,
) -> None:
    database = _filled(tmp_path)
    done = _call("db", "repair", "--clock", "--database", database, "--yes")
    assert done.exit_code == 0, done.output
    assert "nothing in the future" in done.output
