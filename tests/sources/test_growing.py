"""Files that are read while they are written: nothing lost, nothing twice."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from ustory.core.errors import ConfigError, InputError
from ustory.sources.files import growing
from ustory.sources.files.growing import GrowingFiles
from ustory.testing.checks import check_source

NOW = datetime(2024, 3, 9, tzinfo=UTC)


def record(number: int) -> dict[str, object]:
    return {
        "id": f"a{number}",
        "published_at": f"2024-03-07T12:00:{number % 60:02d}Z",
        "title": f"Title {number} – é",
        "text": "Once upon a time.",
    }


def lines(*numbers: int) -> bytes:
    return b"".join(
        json.dumps(record(number), ensure_ascii=False).encode() + b"\n"
        for number in numbers
    )


class Follower:
    """A source with the cursor of what was read, as a service keeps it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[InputError] = []
        self.cursor: str | None = None
        self.restart()

    def restart(self) -> None:
        """Forget everything but the cursor."""
        self.source = GrowingFiles(str(self.path), self.problems.append, lambda: NOW)

    def new(self) -> list[str]:
        """Return the ids of the articles that came since the last time."""
        arrivals = list(self.source.read(self.cursor))
        if arrivals:
            self.cursor = arrivals[-1].cursor
        return [arrival.article.id for arrival in arrivals]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "news.jsonl"
    path.write_bytes(lines(1, 2))
    return path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(data)


def test_a_file_a_packed_one_and_a_folder_keep_the_contract(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + lines(1, 2) + b"\n" + lines(3))
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(lines(4, 5)))
    (tmp_path / ".hidden.jsonl").write_bytes(lines(6))
    (tmp_path / "notes.txt").write_bytes(b"no articles")

    check_source(lambda: Follower(tmp_path).source)
    check_source(lambda: Follower(tmp_path / "a.jsonl").source)
    check_source(lambda: Follower(tmp_path / "b.ndjson.gz").source)
    assert Follower(tmp_path).new() == ["a1", "a2", "a3", "a4", "a5"]


def test_what_is_appended_is_read_when_it_is_there(file: Path) -> None:
    follower = Follower(file)

    assert follower.new() == ["a1", "a2"]
    assert follower.new() == []
    append(file, lines(3))
    assert follower.new() == ["a3"]
    assert follower.source.live


def test_a_partial_last_line_waits_for_its_end(file: Path) -> None:
    follower = Follower(file)
    whole = lines(3)
    append(file, whole[:-20])

    assert follower.new() == ["a1", "a2"]
    assert follower.new() == []
    append(file, whole[-20:] + lines(4))
    assert follower.new() == ["a3", "a4"]
    assert not follower.problems


def test_a_whole_object_without_a_line_end_is_read_once(file: Path) -> None:
    follower = Follower(file)
    append(file, lines(3)[:-1])

    assert follower.new() == ["a1", "a2", "a3"]
    append(file, b"\n" + lines(4))
    assert follower.new() == ["a4"]
    assert not follower.problems


def test_files_of_a_folder_appear_grow_and_go(file: Path) -> None:
    follower, other = Follower(file.parent), file.with_name("a.jsonl")
    assert follower.new() == ["a1", "a2"]

    other.write_bytes(lines(3))
    append(file, lines(4))
    assert follower.new() == ["a3", "a4"]
    append(other, lines(5))
    assert follower.new() == ["a5"]
    other.unlink()
    assert follower.new() == []
    append(file, lines(6))
    assert follower.new() == ["a6"]
    assert follower.cursor is not None
    assert list(json.loads(follower.cursor)) == ["news.jsonl"]
    assert not follower.problems


def test_a_reading_goes_on_after_a_restart(file: Path) -> None:
    follower = Follower(file)
    follower.new()
    append(file, lines(3))
    follower.restart()

    assert follower.new() == ["a3"]


@pytest.mark.parametrize(
    "content", [b"", lines(7), lines(7, 8), lines(7, 8, 9)], ids=len
)
def test_a_file_that_was_cut_or_replaced_is_read_from_its_start(
    file: Path, content: bytes
) -> None:
    follower = Follower(file)
    follower.new()

    file.write_bytes(content)
    found = follower.new()
    assert found == [f"a{n}" for n in range(7, 7 + content.count(b"\n"))]
    assert follower.new() == []
    append(file, lines(10))
    assert follower.new() == ["a10"]
    assert [problem.kind for problem in follower.problems] == ["replaced"]
    assert "since 2 lines of it were read" in str(follower.problems[0])


def test_a_file_that_is_moved_away_for_a_new_one_is_noticed(file: Path) -> None:
    follower = Follower(file)
    follower.new()
    file.rename(file.with_name("news.jsonl.1"))

    assert follower.new() == []
    file.write_bytes(lines(3))
    assert follower.new() == ["a3"]
    assert [problem.kind for problem in follower.problems] == ["replaced"]


def test_a_bad_line_is_reported_once_with_its_number(file: Path) -> None:
    follower = Follower(file)
    append(file, b'{"broken\n[1]\n' + b'{"title": "T", "date": "soon"}\n')

    for _ in range(3):
        follower.new()
    append(file, lines(3))

    assert follower.new() == ["a3"]
    assert [(e.kind, e.line) for e in follower.problems] == [
        ("broken-json", 3),
        ("not-an-object", 4),
        ("bad-date", 5),
    ]
    assert str(follower.problems[0]).startswith("news.jsonl, line 3: ")


def test_a_line_over_the_limit_is_passed_over(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "MAX_LINE_BYTES", 300)
    follower = Follower(file)
    append(file, b"{" + b"x" * 100_000)

    assert follower.new() == ["a1", "a2"]
    append(file, b"x" * 500)
    assert follower.new() == []
    append(file, b"\n" + lines(3))
    assert follower.new() == ["a3"]
    assert [(e.kind, e.line) for e in follower.problems] == [("too-large", 3)]


def test_a_packed_file_that_is_not_whole_yet_waits(tmp_path: Path) -> None:
    path, packed = tmp_path / "a.jsonl.gz", gzip.compress(lines(*range(200)))
    path.write_bytes(packed[:-50])
    follower = Follower(path)

    first = follower.new()
    assert len(first) < 200
    path.write_bytes(packed)
    assert first + follower.new() == [f"a{n}" for n in range(200)]
    assert not follower.problems


def test_a_damaged_packed_file_is_reported_once(tmp_path: Path) -> None:
    path, packed = tmp_path / "a.jsonl.gz", bytearray(gzip.compress(lines(1, 2)))
    packed[-6] ^= 1
    path.write_bytes(packed)
    (tmp_path / "b.jsonl").write_bytes(lines(3))
    follower = Follower(tmp_path)

    assert follower.new() == ["a1", "a2", "a3"]
    follower.new()
    assert [problem.kind for problem in follower.problems] == ["damaged"]


def test_what_cannot_be_opened_does_not_stop_the_others(file: Path) -> None:
    file.with_name("a.jsonl").mkdir()
    follower = Follower(file.parent)

    assert follower.new() == ["a1", "a2"]
    assert follower.new() == []
    assert [problem.kind for problem in follower.problems] == ["damaged"]


def test_dates_are_handed_on_and_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    future = {"id": "f", "title": "T", "publishedAt": "2999-01-01T00:00:00Z"}
    undated = {"id": "u", "title": "T", "fetched_at": "2020-01-01T00:00:00Z"}
    path.write_text(f"{json.dumps(future)}\n{json.dumps(undated)}\n")

    first, second = (a.article for a in Follower(path).source.read())

    assert first.published_at == datetime(2999, 1, 1, tzinfo=UTC)
    assert first.fetched_at is None
    assert second.published_at == second.fetched_at == NOW


@pytest.mark.parametrize(
    "cursor",
    ["", "7", "[]", "{", '{"a":1}', '{"a":[1,2]}', '{"a":[-1,2,"x"]}', "[" * 99_999],
)
def test_a_cursor_of_something_else_is_refused(file: Path, cursor: str) -> None:
    with pytest.raises(ConfigError, match=r"a cursor of .* is a JSON object of files"):
        Follower(file).source.read(cursor)


def test_a_path_with_nothing_behind_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file at"):
        Follower(tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="neither a file nor a folder"):
        Follower(Path("/dev/null"))


def pieces(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    ends = sorted({min(cut, len(data)) for cut in cuts} | {len(data)})
    for start, end in zip([0, *ends], ends, strict=False):
        yield data[start:end]


@effort(max_examples=50)
@given(
    cuts=st.lists(st.integers(0, 1200), max_size=12),
    restarts=st.lists(st.booleans(), min_size=13, max_size=13),
)
def test_however_a_file_is_written_each_article_comes_once(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], restarts: list[bool]
) -> None:
    path = tmp_path_factory.mktemp("growing") / "news.jsonl"
    path.touch()
    follower, found = Follower(path), []

    data = lines(1, 2, 3) + b"\n[]\n" + lines(4, 5, 6)
    for piece, restart in zip(pieces(data, cuts), restarts, strict=False):
        append(path, piece)
        found += follower.new()
        if restart:
            follower.restart()

    assert found == ["a1", "a2", "a3", "a4", "a5", "a6"]
    assert {problem.kind for problem in follower.problems} == {"not-an-object"}
