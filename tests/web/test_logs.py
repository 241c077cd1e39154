"""Logs are one line a record, bounded, without secrets and without tricks."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.store import Store
from ustory.store.problems import recent_problems
from ustory.web.logs import (
    BURST,
    PERIOD,
    BoundedHandler,
    JsonLines,
    TextLines,
    harmless,
    set_up_logs,
)

LOG = logging.getLogger("ustory.test_logs")


class Seconds:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return what it was set to."""
        return self.now


class Written:
    """A handler over a text, with its clock."""

    def __init__(self, form: logging.Formatter) -> None:
        self.clock = Seconds()
        self.out = io.StringIO()
        self.handler = BoundedHandler(self.out, self.clock)
        self.handler.setFormatter(form)

    def lines(self) -> list[str]:
        """Return what was written, line by line, as programs split it."""
        return self.out.getvalue().splitlines()


@pytest.fixture(params=["text", "json"])
def written(request: pytest.FixtureRequest) -> Iterator[Written]:
    """Return where our records go, in either format."""
    made = Written(JsonLines() if request.param == "json" else TextLines())
    LOG.addHandler(made.handler)
    LOG.propagate = False
    yield made
    LOG.removeHandler(made.handler)
    LOG.propagate = True


def test_a_message_that_repeats_is_written_a_few_times_and_then_counted(
    written: Written,
) -> None:
    for number in range(1_000):
        LOG.warning("feed %s failed", number)
    assert len(written.lines()) == BURST
    written.clock.now += PERIOD
    LOG.warning("something else")
    assert len(written.lines()) == BURST + 2
    assert str(1_000 - BURST) in written.lines()[BURST]
    assert written.handler.dropped == 1_000 - BURST


def test_what_was_left_out_is_told_at_the_end(written: Written) -> None:
    for number in range(BURST + 3):
        LOG.warning("feed %s failed", number)
    written.handler.close()
    assert "3" in written.lines()[-1]


def test_origins_are_counted_apart(written: Written) -> None:
    for origin in ("a", "b"):
        for _ in range(20):
            LOG.warning("%s fails", origin, extra={"origin": origin})
    assert len(written.lines()) == 2 * BURST


def test_what_is_remembered_of_messages_is_bounded(written: Written) -> None:
    for number in range(5_000):
        LOG.warning("x", extra={"origin": f"o{number}"})
    assert len(written.handler._counts) <= 2_001


def test_outside_text_cannot_forge_a_record(written: Written) -> None:
    hostile = (
        "x\n2026-01-01T00:00:00.000Z ERROR ustory: forged\r\x1b[2J\u2028\u202e\x85"
    )
    LOG.warning("title %s", hostile)
    try:
        raise ValueError(hostile)
    except ValueError:
        LOG.exception("it failed for %s", hostile)
    text = written.out.getvalue()
    assert not any(mark in text for mark in "\r\x1b\u2028\u202e\x85")
    for line in written.lines():
        assert "forged" not in line.split(" ERROR ustory: ")[0]
        assert not line.startswith("2026-01-01")


@given(st.text(max_size=300))
def test_no_text_breaks_a_line(text: str) -> None:
    made = Written(JsonLines())
    record = logging.LogRecord("n", 30, "p", 1, "%s", (text,), None)
    made.handler.emit(record)
    [line] = made.lines()
    assert isinstance(json.loads(line)["message"], str)
    assert harmless(text).isprintable() or not text.isprintable()
    assert len(harmless(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("said", "secret"),
    [("postgresql://news:hunter2@db/news cannot be reached", "hunter2"),
     ("https://user:pass%40word@feed.example/rss failed", "pass%40word"),
     ("https://feed.example/rss?api_key=abcdef&x=1", "abcdef"),
     ("https://feed.example/rss?x=1&access_token=abcdef", "abcdef"),
     ("https://feed.example/0a1b2c3d4e5f6a7b8c9d/rss failed", "0a1b2c3d"),
     ("https://feed.example/rss?s=abcdef: no answer", "abcdef"),
     ("x" * 3_966 + " https://user:hunter2@feed.example/rss", "hunter"),
     ("https://user:" + "hunter2" * 2_000 + "@feed.example/rss", "hunter"),
     ("Authorization: Bearer abcdef1234", "abcdef1234"),
     ("authorization: basic dXNlcjpwdw==", "dXNlcjpwdw==")],
)  # fmt: skip
def test_secrets_are_left_out(written: Written, said: str, secret: str) -> None:
    LOG.error("cannot fetch: %s", said)
    LOG.error("origin", extra={"origin": said})
    assert secret not in written.out.getvalue()
    assert "***" in written.out.getvalue()


@pytest.mark.parametrize("piece", ["a", "://a:", "bearer ", "?key=", "&token=a", "\n"])
def test_a_long_message_is_cut_and_costs_little(written: Written, piece: str) -> None:
    LOG.warning("%s", piece * 1_000_000)
    assert len(written.out.getvalue()) < 60_000


def test_json_has_the_fields_that_programs_need() -> None:
    made = Written(JsonLines())
    record = logging.LogRecord(
        "ustory.service", 30, "p", 1, "%s fails", ("feed",), None
    )
    record.origin, record.kind = "https://a.example/", "feed"
    made.handler.emit(record)
    found = json.loads(made.lines()[0])
    assert found["time"].endswith("Z")
    del found["time"]
    assert found == {
        "level": "warning",
        "logger": "ustory.service",
        "message": "feed fails",
        "origin": "https://a.example/",
        "kind": "feed",
    }


def test_all_loggers_go_to_the_one_handler() -> None:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    out = io.StringIO()
    handler = set_up_logs("json", out)
    try:
        logging.getLogger("uvicorn.error").warning("w")
        logging.getLogger("anything").error("e")
        lines = [json.loads(line) for line in out.getvalue().splitlines()]
    finally:
        root.removeHandler(handler)
        for each in before:
            root.addHandler(each)
        root.setLevel(level)
        logging.captureWarnings(capture=False)
    assert [line["message"] for line in lines] == ["w", "e"]


def test_every_problem_of_a_service_is_a_line_of_its_log(tmp_path: Path) -> None:
    stream, database = tmp_path / "stream.jsonl", tmp_path / "a.db"
    good = '{"id": "a", "text": "It rains.", "published_at": "2024-03-04"}'
    stream.write_text(f'{good}\nno record\n{{"id": 1}}\n', encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", "from ustory.cli.main import cli; cli()", "serve",
         str(stream), "--as-of-articles", "--database", str(database), "--port", "0",
         "--encoder", "tiny", "--log-format", "json"],
        env={**os.environ, "USTORY_API_KEYS": "a-key-for-the-test-alone"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        until = time.monotonic() + 60
        kept: list[str] = []
        while len(kept) < 2 and time.monotonic() < until:
            time.sleep(0.2)
            if database.exists():
                store = Store.open(str(database))
                with store.read() as connection:
                    kept = [row.message for row in recent_problems(connection)]
                store.close()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    lines = [json.loads(line) for line in said.splitlines()]
    told = [line["message"] for line in lines if line.get("origin") == str(stream)]
    assert len(kept) == 2
    assert sorted(told) == sorted(f"{stream}: {message}" for message in kept)
    assert {"time", "level", "logger", "kind"} <= lines[0].keys()
