"""The first run of a user: an old file just works, and a demo says how it ends."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.web.user_run import COMMAND, PATIENCE, started
from ustory.sources.demo import demo_stream


def _old_file(folder: Path, lines: Sequence[str]) -> Path:
    file = folder / "news.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    return file


def test_an_old_file_is_told_to_its_last_article_and_goes_on_in_the_same_way(
    tmp_path: Path,
) -> None:
    lines = demo_stream().read_text("utf-8").splitlines(keepends=True)
    file = _old_file(tmp_path, lines[:-3])
    with started(tmp_path, "news.jsonl") as run:
        run.until(run.all_told)
        found = run.operations()
        page = run.client.get("/").text
        said = run.stop()

    assert "news.jsonl is from 2024, older than the window of 7d" in said
    assert found["slide_end"] == "2024-03-18T00:00:00Z"
    assert found["standing"]["dropped"]["late"] == 0
    assert found["stories"] > 5
    assert "No articles yet" not in page
    assert "as of <time" in page

    with file.open("a", encoding="utf-8") as more:
        more.writelines(lines[-3:])
    with started(tmp_path, "news.jsonl") as again:
        again.until(lambda: again.client.get("/api/articles/b-0062").is_success)
        again.until(again.all_told)
        after = again.operations()
        said = again.stop()

    assert "goes by the dates of its articles, as it was begun" in said
    assert after["slides_done"] == found["slides_done"] + 1
    assert after["inside"] == found["inside"] + 3


def test_an_old_file_beside_feeds_stops_with_the_one_command_to_run(
    tmp_path: Path,
) -> None:
    _old_file(tmp_path, demo_stream().read_text("utf-8").splitlines(keepends=True))
    done = subprocess.run(
        [*COMMAND, "serve", "news.jsonl", "https://a.example/rss", "--port", "0"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert done.returncode == 1
    assert "`ustory serve news.jsonl --database news.db`" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kept", [False, True])
def test_a_demo_promises_to_go_on_only_where_its_database_is_kept(
    tmp_path: Path, kept: bool
) -> None:
    where = ("--database", "demo.db") if kept else ()
    with started(tmp_path, "--demo", "--pace", "0", *where) as run:
        run.until(lambda: "The demo has ended" in run.client.get("/").text)
        run.until(run.all_told)
        said = run.stop()

    assert ("the next start goes on from here" in said) is kept
    assert ("temporary" in said) is not kept
    assert (tmp_path / "demo.db").exists() is kept
    assert "Warning" not in said
