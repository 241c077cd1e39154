"""Every kind of bad record stops with its file and line, or is skipped and counted."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from ustory.core.errors import PROBLEM_KINDS, InputError
from ustory.sources import Problems, merge, open_source, seen_within

Write = Callable[[str, bytes], str]

GOOD = b'{"id": "a", "date": "2024-03-07", "title": "Title"}\n'
LAST = b'{"id": "z", "date": "2024-03-08", "title": "Title"}\n'

CASES = [
    ("broken-json", b'{"id": "b", \n', "the line is not JSON: Expecting property name"),
    ("broken-json", b'{"id": NaN}\n', "NaN is not a JSON number"),
    ("broken-json", b'{"id": -Infinity}\n', "-Infinity is not a JSON number"),
    ("broken-json", b'{"id": ' + b"9" * 5000 + b"}\n", "the line is not JSON"),
    ("broken-json", b'{"x": ' + b"[" * 100_000 + b"\n", "nested too deeply"),
    ("broken-json", b"\0\n", "the line is not JSON"),
    ("not-an-object", b'["id"]\n', "the line must hold a JSON object; got a list"),
    ("not-an-object", b'"text"\n', "got 'text'"),
    ("not-an-object", b"null\n", "got null"),
    ("not-utf8", b'{"id": "\xff"}\n', "the bytes are not UTF-8 from byte 9 on"),
    (
        "bad-field",
        b'{"date": "2024-03-07", "title": 5}\n',
        "`title` must be text; got 5",
    ),
    ("missing-date", b'{"title": "T"}\n', "there is no publication date"),
    ("missing-date", b"{}\n", "there is no publication date"),
    ("bad-date", b'{"date": "2024-02-30", "title": "T"}\n', "got '2024-02-30'"),
    ("future-date", b'{"date": "2024-06-03", "title": "T"}\n', "got 2024-06-03"),
    ("no-text", b'{"date": "2024-03-07", "title": " \\u0000"}\n', "has neither"),
    ("too-large", b" " * (4 << 20) + b"{}\n", "a line may have 4,194,304 bytes"),
    (
        "too-large",
        b'{"date": "2024-03-07", "text": "%s"}\n' % (b"a" * 1_000_001),
        "may have 1,000,000 bytes together; these have 1,000,001",
    ),
    ("duplicate-id", GOOD, "the id 'a' was read before"),
]
names = [f"{kind}-{number}" for number, (kind, *_) in enumerate(CASES)]


def read(path: str, problems: Problems, now: datetime) -> list[str]:
    source = open_source(path, problems, now)
    seen = seen_within(timedelta(days=7), timedelta(days=1))
    stream = merge([source], {}, problems, seen)
    return [arrival.article.id for _, arrival in stream]


ELSEWHERE = {"empty-file", "damaged", "replaced"}
"""Kinds of whole files: tests of their own, here and in `tests/fetch`."""


def test_every_kind_of_problem_has_a_case() -> None:
    assert {kind for kind, *_ in CASES} | ELSEWHERE == set(PROBLEM_KINDS)


@pytest.mark.parametrize(("kind", "line", "reason"), CASES, ids=names)
def test_a_bad_record_stops_with_file_line_and_reason(
    kind: str, line: bytes, reason: str, write: Write, now: datetime
) -> None:
    path = write("news.jsonl", GOOD + b"\n" + line + LAST)

    with pytest.raises(InputError) as caught:
        read(path, Problems("stop"), now)

    assert caught.value.kind == kind
    assert str(caught.value).startswith(f"{path}, line 3: ")
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(("kind", "line", "reason"), CASES, ids=names)
def test_a_bad_record_is_skipped_counted_and_the_rest_goes_on(
    kind: str, line: bytes, reason: str, write: Write, now: datetime
) -> None:
    path = write("news.jsonl", GOOD + line + line + LAST)
    problems = Problems("skip")

    assert read(path, problems, now) == ["a", "z"]
    assert problems.counts == {kind: 2}
    assert reason in problems.examples[kind]
    assert ", line 2: " in problems.examples[kind]


@pytest.mark.parametrize("data", [b"", b"\n \r\n\t\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["news.jsonl", "news.csv", "news.tsv"])
def test_a_file_without_a_record_is_a_problem_of_the_whole_file(
    data: bytes, name: str, write: Write, now: datetime
) -> None:
    path = write(name, data)
    problems = Problems("skip")

    with pytest.raises(InputError) as caught:
        read(path, Problems("stop"), now)

    assert (caught.value.kind, caught.value.line) == ("empty-file", 0)
    assert str(caught.value).startswith(f"{path}: the file holds no article")
    assert read(path, problems, now) == []
    assert problems.counts == {"empty-file": 1}


def test_a_file_with_only_bad_records_is_not_empty(write: Write, now: datetime) -> None:
    problems = Problems("skip")

    assert read(write("news.jsonl", b"{\n"), problems, now) == []
    assert problems.counts == {"broken-json": 1}


HEADER = b"id,date,title\n"

CSV_CASES = [
    ("missing-date", b"b,,Title\n"),
    ("missing-date", b"b\n"),
    ("bad-date", b"b,soon,Title\n"),
    ("future-date", b"b,2024-06-03,Title\n"),
    ("no-text", b"b,2024-03-07,\n"),
    ("not-utf8", b'b,2024-03-07,"Zo\n\xeb"\n'),
    ("bad-field", b"b,2024-03-07,One,two\n"),
    ("bad-field", b'b,2024-03-07,"One"two\n'),
    ("bad-field", b"b,2024-03-07,One\rtwo\n"),
    ("too-large", b"b,2024-03-07," + b"a" * 1_000_001 + b"\n"),
    ("too-large", b"b,2024-03-07," + b"a" * (5 << 20) + b"\n"),
    ("duplicate-id", b'a,2024-03-07,"Two\nlines"\n'),
]


@pytest.mark.parametrize(("kind", "row"), CSV_CASES)
def test_a_bad_row_is_met_in_the_same_way(
    kind: str, row: bytes, write: Write, now: datetime
) -> None:
    path = write(
        "news.csv", HEADER + b"\na,2024-03-07,Title\n" + row + b"z,2024-03-08,Title\n"
    )
    problems = Problems("skip")

    with pytest.raises(InputError) as caught:
        read(path, Problems("stop"), now)

    assert caught.value.kind == kind
    assert str(caught.value).startswith(f"{path}, line 4: ")
    assert read(path, problems, now) == ["a", "z"]
    assert problems.counts == {kind: 1}


PARQUET_CASES: list[tuple[str, dict[str, object]]] = [
    ("missing-date", {"date": None}),
    ("bad-date", {"date": "soon"}),
    ("no-text", {"title": None}),
    ("duplicate-id", {"id": "a"}),
    ("too-large", {"title": "a" * 1_000_001}),
]


@pytest.mark.parametrize(("kind", "changes"), PARQUET_CASES)
def test_a_bad_row_of_parquet_is_met_in_the_same_way(
    kind: str, changes: dict[str, object], write: Write, now: datetime
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        json.loads(GOOD),
        {**json.loads(GOOD), "id": "b", **changes},
        json.loads(LAST),
    ]
    path = write("news.parquet", b"")
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    problems = Problems("skip")

    with pytest.raises(InputError) as caught:
        read(path, Problems("stop"), now)

    assert caught.value.kind == kind
    assert str(caught.value).startswith(f"{path}, line 2: ")
    assert read(path, problems, now) == ["a", "z"]
    assert problems.counts == {kind: 1}
