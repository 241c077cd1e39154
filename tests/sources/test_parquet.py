"""Parquet is read in batches, its types turned into an article's."""

import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ustory.core.errors import ConfigError, MissingExtraError, UStoryError
from ustory.sources import Problems
from ustory.sources.files.parquet import ParquetSource
from ustory.sources.records.cursor import line_of

DAY = datetime(2024, 3, 7, tzinfo=UTC)

Write = Callable[[str, bytes], str]
Rows = list[dict[str, object]]


@pytest.fixture
def arrow() -> Any:  # noqa: ANN401 - untyped package
    pytest.importorskip("pyarrow.parquet", reason="needs the extra `parquet`")
    return pytest.importorskip("pyarrow", reason="needs the extra `parquet`")


def rows(count: int) -> Rows:
    return [{"id": n, "date": "2024-03-07", "title": f"T {n}"} for n in range(count)]


def save(arrow: Any, path: Path, columns: dict[str, Any], **options: int) -> str:  # noqa: ANN401 - untyped package
    arrow.parquet.write_table(arrow.table(columns), path, **options)
    return str(path)


def read(path: str, problems: Problems | None = None) -> list[str]:
    source = ParquetSource(path, problems or Problems())
    return [arrival.article.id for arrival in source.read()]


def test_many_batches_and_row_groups_are_one_stream(arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401 - untyped package
    table = arrow.Table.from_pylist(rows(700))
    path = tmp_path / "n.parquet"
    arrow.parquet.write_table(table, path, row_group_size=300)
    arrivals = list(ParquetSource(str(path), Problems()).read())

    assert [arrival.article.id for arrival in arrivals] == [str(n) for n in range(700)]
    cursors = [arrival.cursor for arrival in arrivals]
    assert [line_of(cursor) for cursor in cursors] == list(range(1, 701))
    for rows_read in (650, 700):
        rest = ParquetSource(str(path), Problems()).read(cursors[rows_read - 1])
        assert list(rest) == arrivals[rows_read:]
    with pytest.raises(ConfigError, match="ends at line 700"):
        list(ParquetSource(str(path), Problems()).read("701:1f3a9c04d2b7"))
    with pytest.raises(ConfigError, match="line 650: another article"):
        list(ParquetSource(str(path), Problems()).read("650:1f3a9c04d2b7"))


def test_typed_columns_become_fields(arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401 - untyped package
    path = save(
        arrow,
        tmp_path / "n.parquet",
        {
            "id": arrow.array([1]),
            "published_at": arrow.array([DAY], arrow.timestamp("ns", tz="Asia/Tokyo")),
            "fetched_at": arrow.array([date(2024, 3, 8)]),
            "title": arrow.array([b"Zo\xc3\xab"], arrow.binary()),
            "text": arrow.array(["Text."]).dictionary_encode(),
            "authors": arrow.array([["A", "B"]]),
            "source": arrow.array([{"name": "News"}]),
            "label": arrow.array([3.0]),
            "embedding": arrow.array([[0.1, 0.2]]),
        },
    )
    [arrival] = ParquetSource(path, Problems()).read()
    article = arrival.article

    assert (article.id, article.published_at, article.label) == ("1", DAY, "3")
    assert article.fetched_at == DAY + timedelta(days=1)
    assert (article.title, article.text) == ("Zoë", "Text.")
    assert (article.authors, article.source) == (("A", "B"), "News")


def test_nanoseconds_are_cut_off_and_no_zone_is_utc(arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401 - untyped package
    stamp = int(DAY.timestamp()) * 10**9 + 1234
    dates = arrow.array([stamp], arrow.timestamp("ns"))
    path = save(arrow, tmp_path / "n.parquet", {"date": dates, "title": ["T"]})
    [arrival] = ParquetSource(path, Problems()).read()

    assert arrival.article.published_at == DAY + timedelta(microseconds=1)


def test_a_time_outside_the_calendar_spoils_only_its_row(
    arrow: Any,  # noqa: ANN401 - untyped package
    tmp_path: Path,
) -> None:
    far = arrow.array([0, 2**60], arrow.timestamp("ms"))
    path = save(arrow, tmp_path / "n.parquet", {"date": far, "title": ["A", "B"]})
    problems = Problems("skip")

    assert len(read(path, problems)) == 1
    assert problems.counts == {"bad-date": 1}


def test_bytes_that_are_not_utf8_spoil_only_their_row(
    arrow: Any,  # noqa: ANN401 - untyped package
    tmp_path: Path,
) -> None:
    raw = arrow.array([b"A", b"\xff", b"C"], arrow.binary())
    text = arrow.Array.from_buffers(arrow.string(), 3, raw.buffers())
    days = ["2024-03-07"] * 3
    for title in (raw, text):
        path = save(arrow, tmp_path / "n.parquet", {"date": days, "title": title})
        problems = Problems("skip")

        assert len(read(path, problems)) == 2
        assert problems.counts == {"not-utf8": 1}
        assert "line 2: `title` is not UTF-8" in problems.examples["not-utf8"]


def test_a_file_without_rows_or_without_known_columns_is_no_traceback(
    arrow: Any,  # noqa: ANN401 - untyped package
    tmp_path: Path,
) -> None:
    for columns, kind in [
        ({"date": arrow.array([], arrow.string())}, "empty-file"),
        ({"x": arrow.array([1])}, "missing-date"),
    ]:
        problems = Problems("skip")

        assert read(save(arrow, tmp_path / "n.parquet", columns), problems) == []
        assert problems.counts == {kind: 1}


@pytest.mark.usefixtures("arrow")
@pytest.mark.parametrize("data", [b"", b"PAR1", b"{}\n" * 100, b"PAR1" * 100])
def test_what_is_not_parquet_is_said_to_be_damaged(data: bytes, write: Write) -> None:
    for policy in ("stop", "skip"):
        with pytest.raises(UStoryError, match=r"n\.parquet: the file is damaged"):
            read(write("n.parquet", data), Problems(policy))


def test_a_file_cut_short_is_said_to_be_damaged(arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401 - untyped package
    path = tmp_path / "n.parquet"
    arrow.parquet.write_table(arrow.Table.from_pylist(rows(50)), path)
    path.write_bytes(path.read_bytes()[:-20])

    with pytest.raises(UStoryError, match="damaged"):
        read(str(path))


@pytest.mark.usefixtures("arrow")
def test_a_missing_file_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file at"):
        ParquetSource(str(tmp_path / "none.parquet"), Problems())


def test_without_pyarrow_the_message_says_how_to_install_it(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'ustory\[parquet\]'"):
        ParquetSource(write("n.parquet", b""), Problems())
