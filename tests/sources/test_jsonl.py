"""JSON Lines are read as a stream, whatever is in them."""

import gzip
import io
import sys
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError, InputError, UStoryError
from ustory.sources import Problems
from ustory.sources.files.jsonl import JsonLinesSource
from ustory.sources.records.cursor import line_of

Write = Callable[[str, bytes], str]
Line = Callable[..., bytes]


def ids(source: JsonLinesSource, after: str | None = None) -> list[str]:
    return [arrival.article.id for arrival in source.read(after)]


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
    monkeypatch.setattr(sys, "stdin", stdin)


def test_a_mark_and_blank_lines_and_windows_line_ends_do_not_matter(
    write: Write, record: Line
) -> None:
    windows = record("b").replace(b"\n", b"\r\n")
    data = b"\xef\xbb\xbf" + record("a") + b"\n  \r\n" + windows + record("c").strip()
    arrivals = list(JsonLinesSource(write("n.jsonl", data), Problems()).read())

    assert [arrival.article.id for arrival in arrivals] == ["a", "b", "c"]
    assert [line_of(arrival.cursor) for arrival in arrivals] == [1, 4, 5]


@pytest.mark.parametrize("name", ["n.jsonl.gz", "n.JSONL.GZ", "n.jsonl"])
def test_a_gzipped_file_is_unpacked_whatever_it_is_called(
    name: str, write: Write, record: Line
) -> None:
    path = write(name, gzip.compress(record("a")) + gzip.compress(record("b")))

    assert ids(JsonLinesSource(path, Problems())) == ["a", "b"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_dash_is_standard_input(
    pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch, record: Line
) -> None:
    feed(monkeypatch, pack(record("a") + record("b")))
    source = JsonLinesSource("-", Problems())

    assert source.name == "stdin"
    assert ids(source) == ["a", "b"]


def test_standard_input_is_resumed_by_sending_it_again(
    monkeypatch: pytest.MonkeyPatch, record: Line
) -> None:
    feed(monkeypatch, record("a"))
    [first] = JsonLinesSource("-", Problems()).read()
    feed(monkeypatch, record("a") + record("b"))

    assert ids(JsonLinesSource("-", Problems()), after=first.cursor) == ["b"]


def test_other_lines_on_standard_input_are_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, record: Line
) -> None:
    feed(monkeypatch, record("a"))
    [first] = JsonLinesSource("-", Problems()).read()
    feed(monkeypatch, record("b") + record("c"))

    with pytest.raises(ConfigError, match=r"^stdin, line 1: another article was read"):
        ids(JsonLinesSource("-", Problems()), after=first.cursor)


def test_an_empty_standard_input_holds_no_article(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    feed(monkeypatch, b"")

    with pytest.raises(InputError, match=r"^stdin: the file holds no article"):
        ids(JsonLinesSource("-", Problems()))


def test_a_closed_standard_input_is_said_to_be_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    with pytest.raises(ConfigError, match="no standard input"):
        ids(JsonLinesSource("-", Problems()))


def test_articles_come_before_the_file_is_read_to_its_end(
    write: Write, record: Line
) -> None:
    stream = JsonLinesSource(write("n.jsonl", record("a") + b"{"), Problems()).read()

    assert next(stream).article.id == "a"
    with pytest.raises(InputError, match="line 2"):
        next(stream)


@pytest.mark.parametrize("cut", [8, 30, -1, -5])
def test_a_truncated_gzip_file_stops_under_every_policy(
    cut: int, write: Write, record: Line
) -> None:
    path = write("n.jsonl.gz", gzip.compress(record("a"))[:cut])

    for policy in ("stop", "skip"):
        with pytest.raises(
            UStoryError, match=r"n\.jsonl\.gz, line \d: the file is dam"
        ):
            ids(JsonLinesSource(path, Problems(policy)))


def test_a_corrupt_gzip_file_is_said_to_be_damaged(write: Write, record: Line) -> None:
    packed = bytearray(gzip.compress(record("a") * 50))
    packed[20:24] = b"\xff\xff\xff\xff"

    with pytest.raises(UStoryError, match="damaged"):
        ids(JsonLinesSource(write("n.jsonl.gz", bytes(packed)), Problems("skip")))


def test_a_plain_file_called_gz_is_said_to_be_damaged(
    write: Write, record: Line
) -> None:
    with pytest.raises(UStoryError, match="Not a gzipped file"):
        ids(JsonLinesSource(write("n.jsonl.gz", record("a")), Problems("skip")))


def test_a_gzip_bomb_of_one_line_is_passed_over_without_being_held(
    write: Write, record: Line
) -> None:
    bomb = gzip.compress(b'{"text": "' + b"a" * (64 << 20) + b'"}\n')
    path = write(
        "n.jsonl.gz", gzip.compress(record("a")) + bomb + gzip.compress(record("b"))
    )
    problems = Problems("skip")
    tracemalloc.start()
    try:
        found = ids(JsonLinesSource(path, problems))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert found == ["a", "b"]
    assert problems.counts == {"too-large": 1}
    assert peak < 16 << 20


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_may_be_as_long_as_the_limit(
    end: bytes, write: Write, record: Line
) -> None:
    longest = record("a").strip().ljust((4 << 20) - end.count(b"\r"))
    problems = Problems("skip")

    assert ids(JsonLinesSource(write("n.jsonl", longest + end), problems)) == ["a"]
    too_long = write("m.jsonl", longest + b"   " + end + record("b"))
    assert ids(JsonLinesSource(too_long, problems)) == (["b"] if end else [])
    assert problems.counts == {"too-large": 1}


def test_a_path_without_a_file_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no file at .*none\.jsonl"):
        JsonLinesSource(str(tmp_path / "none.jsonl"), Problems())
    with pytest.raises(ConfigError, match="is a folder"):
        JsonLinesSource(str(tmp_path), Problems())
    with pytest.raises(ConfigError, match="cannot be opened"):
        JsonLinesSource("a\0b", Problems())
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    with pytest.raises(ConfigError, match="cannot be opened"):
        JsonLinesSource(str(loop), Problems())


def test_a_file_one_may_not_read_is_refused_at_once(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda _path, _mode: False)

    with pytest.raises(ConfigError, match="cannot be opened: you may not read it"):
        JsonLinesSource(write("n.jsonl", b"{}"), Problems())


def test_a_file_that_vanishes_before_it_is_read_is_said_to_be_gone(
    write: Write, record: Line
) -> None:
    path = write("n.jsonl", record("a"))
    source = JsonLinesSource(path, Problems())
    Path(path).unlink()

    with pytest.raises(ConfigError, match="there is no file at"):
        ids(source)


def test_resuming_passes_over_what_was_read_good_or_bad(
    write: Write, record: Line
) -> None:
    data = b"{\n" + record("a") + b"\n" + record("b") + record("c")
    path = write("n.jsonl", data)
    arrivals = list(JsonLinesSource(path, Problems("skip")).read())
    source = JsonLinesSource(path, Problems("stop"))

    assert [line_of(arrival.cursor) for arrival in arrivals] == [2, 4, 5]
    for arrival, rest in zip(arrivals, (["b", "c"], ["c"], []), strict=True):
        assert ids(source, after=arrival.cursor) == rest


def test_a_file_may_grow_and_its_last_line_be_ended(write: Write, record: Line) -> None:
    path = write("n.jsonl", record("a").strip())
    [first] = JsonLinesSource(path, Problems()).read()
    write("n.jsonl", record("a") + record("b"))

    assert ids(JsonLinesSource(path, Problems()), after=first.cursor) == ["b"]


@pytest.mark.parametrize("changed", ["other", "blank", "bad", "edited"])
def test_a_file_with_something_else_where_reading_stopped_is_refused(
    changed: str, write: Write, record: Line
) -> None:
    lines = {
        "other": record("x"),
        "blank": b"\n",
        "bad": b"{\n",
        "edited": record("b", title="Another title"),
    }
    path = write("n.jsonl", record("a") + record("b"))
    *_, last = JsonLinesSource(path, Problems()).read()
    write("n.jsonl", record("a") + lines[changed] + record("c"))

    with pytest.raises(ConfigError) as caught:
        ids(JsonLinesSource(path, Problems("skip")), after=last.cursor)

    digest = last.cursor.partition(":")[2]
    assert str(caught.value) == (
        f"{path}, line 2: another article was read here before (its digest was "
        f"{digest}); to resume, give the same lines again, new ones behind them; or "
        "give the new articles as a file with a name of its own, or start a new run "
        "with another --state"
    )


def test_a_file_shorter_than_what_was_read_of_it_cannot_be_resumed(
    write: Write, record: Line
) -> None:
    source = JsonLinesSource(write("n.jsonl", record("a")), Problems("skip"))

    with pytest.raises(
        ConfigError, match="ends at line 1, but 5 lines of it were read"
    ):
        ids(source, after="5:1f3a9c04d2b7")


@pytest.mark.parametrize("after", ["", "x", "-1", "1.5", "²", "9" * 5000, "7", "7:"])
def test_a_cursor_is_a_line_number_and_a_digest(
    after: str, write: Write, record: Line
) -> None:
    source = JsonLinesSource(write("n.jsonl", record("a")), Problems())

    with pytest.raises(ConfigError, match="is a line number and a digest"):
        source.read(after)


def test_the_real_clock_judges_dates_when_no_time_is_given(
    write: Write, record: Line
) -> None:
    today = datetime.now(UTC)
    data = record("a", date=today.isoformat()) + record(
        "b", date=(today + timedelta(days=2)).isoformat()
    )
    problems = Problems("skip")

    assert ids(JsonLinesSource(write("n.jsonl", data), problems)) == ["a"]
    assert problems.counts == {"future-date": 1}


def test_a_time_without_a_zone_is_refused(write: Write, record: Line) -> None:
    naive = datetime(2024, 6, 1)  # noqa: DTZ001 - the point of the test

    with pytest.raises(ConfigError, match="time zone"):
        JsonLinesSource(write("n.jsonl", record("a")), Problems(), naive)


pieces = st.lists(
    st.binary()
    | st.sampled_from(
        [b"\n", b"{", b"}", b"[", b'"', b":", b",", b"\\u0000", b"\\ud800", b"1e999"]
    )
    | st.sampled_from([b'{"date": "2024-03-07", "title": "', b'"}\n'])
).map(b"".join)


@given(data=pieces, packed=st.booleans())
def test_random_bytes_are_articles_or_our_own_errors(
    data: bytes, packed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / ("random.gz" if packed else "random.jsonl")
    path.write_bytes(data)

    for policy in ("stop", "skip"):
        found = attempt(JsonLinesSource(str(path), Problems(policy)))
        if isinstance(found, UStoryError):
            assert str(path) in str(found)
        else:
            assert len(found) <= data.count(b"\n") + 1


def attempt(source: JsonLinesSource) -> list[str] | UStoryError:
    try:
        return ids(source)
    except UStoryError as error:
        return error
