"""Standard input is read as it comes, and known when it is sent once more."""

from __future__ import annotations

import io
import json
import os
import sys
from datetime import UTC, datetime

import pytest

from ustory.core.errors import ConfigError, InputError
from ustory.sources.files.jsonl import StdinSource
from ustory.testing.checks import check_source

NOW = datetime(2024, 3, 9, tzinfo=UTC)


class Sent:
    """A standard input on which somebody sends the same bytes each time."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    @property
    def buffer(self) -> io.BytesIO:
        """A new pipe."""
        return io.BytesIO(self._data)


def lines(*names: str) -> bytes:
    records = [{"id": name, "date": "2024-03-07", "title": "T"} for name in names]
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def send(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", Sent(data))


def read(after: str | None = None) -> tuple[list[str], str | None, list[InputError]]:
    problems: list[InputError] = []
    arrivals = list(StdinSource(problems.append, lambda: NOW).read(after))
    cursor = arrivals[-1].cursor if arrivals else after
    return [arrival.article.id for arrival in arrivals], cursor, problems


def test_standard_input_keeps_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    send(monkeypatch, b"\n" + lines("a", "b") + b"\n" + lines("c")[:-1])

    check_source(lambda: StdinSource(lambda _: None, lambda: NOW))


def test_lines_that_are_sent_again_are_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(monkeypatch, lines("a", "b"))
    _, cursor, _ = read()

    send(monkeypatch, lines("a", "b", "c"))
    assert read(cursor)[0] == ["c"]


def test_another_input_is_read_from_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    send(monkeypatch, lines("a", "b"))
    _, cursor, _ = read()

    send(monkeypatch, lines("c", "d", "e"))
    found, cursor, _ = read(cursor)
    assert found == ["c", "d", "e"]
    send(monkeypatch, lines("c", "d", "e", "f"))
    assert read(cursor)[0] == ["f"]


def test_an_input_that_begins_alike_and_goes_on_otherwise_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(monkeypatch, lines("a", "b"))
    _, cursor, _ = read()

    send(monkeypatch, lines("a", "x", "c"))
    with pytest.raises(ConfigError, match="line 2: another line was read here before"):
        read(cursor)


def test_bad_lines_are_reported_and_the_rest_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(monkeypatch, b"nonsense\n" + lines("a") + b"\xff\xfe\n" + lines("b"))

    found, _, problems = read()

    assert found == ["a", "b"]
    assert [(e.kind, e.line) for e in problems] == [
        ("broken-json", 1),
        ("not-utf8", 3),
    ]


def test_an_article_is_there_before_the_next_line_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, into = os.pipe()
    with os.fdopen(out, "rb") as reader, os.fdopen(into, "wb", 0) as writer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(reader))
        arrivals = StdinSource(lambda _: None, lambda: NOW).read()
        for name in ("a", "b"):
            writer.write(lines(name))
            assert next(arrivals).article.id == name
        writer.close()
        assert list(arrivals) == []


@pytest.mark.parametrize("cursor", ["", "3", "3:abc", "x:" + "0" * 12, "7" * 99])
def test_a_cursor_of_something_else_is_refused(cursor: str) -> None:
    with pytest.raises(ConfigError, match="a cursor of stdin is a line number and two"):
        StdinSource(lambda _: None, lambda: NOW).read(cursor)


def test_standard_input_ends_for_good() -> None:
    assert not StdinSource(lambda _: None, lambda: NOW).live
