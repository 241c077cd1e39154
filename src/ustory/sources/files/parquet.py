"""Articles from Parquet: one row per article, read in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ustory.core.errors import MissingExtraError, UStoryError
from ustory.core.protocols import Arrival
from ustory.sources.files.lines import check_readable
from ustory.sources.records.arrivals import Intake, make_clock
from ustory.sources.records.place import Place
from ustory.sources.records.problems import Report
from ustory.sources.records.record import is_known
from ustory.sources.records.source_names import display_name

_BATCH_ROWS = 256
_BUFFER_BYTES = 1 << 20


class ParquetSource:
    """Reads the columns it knows of a Parquet file. Needs the extra `parquet`.

    The cursor is the row's number, and a digest of the article in it.
    """

    def __init__(
        self, path: str, problems: Report, now: datetime | None = None
    ) -> None:
        _pyarrow()
        check_readable(path)
        self._path = path
        self._intake = Intake(display_name(path), problems, make_clock(now, live=False))

    @property
    def name(self) -> str:
        """The file, however its path was typed."""
        return self._intake.name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor `after`, all when it is None."""
        return self._intake.arrivals(_rows(self._path), _to_record, after)


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a batch, its cells not yet turned into Python values."""

    columns: Mapping[str, Any]
    index: int


def _rows(path: str) -> Iterator[tuple[int, _Row]]:
    number = 0
    with _clear_errors(path), _opened(path) as file:
        names = [name for name in file.schema_arrow.names if is_known(name)]
        for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=names):
            columns = {
                name: _in_microseconds(column)
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            }
            for index in range(batch.num_rows):
                number += 1
                yield number, _Row(columns, index)


def _to_record(row: _Row, place: Place) -> Mapping[str, object]:
    record = {}
    for name, column in row.columns.items():
        try:
            record[name] = column[row.index].as_py()
        except UnicodeDecodeError:
            raise place.problem("not-utf8", f"`{name}` is not UTF-8") from None
        except (ValueError, OverflowError) as error:
            # Only points in time have values that Python cannot hold.
            raise place.problem(
                "bad-date", f"the date in `{name}` cannot be read: {error}"
            ) from None
    return record


def _in_microseconds(column: Any) -> Any:  # noqa: ANN401 - untyped package
    """Return a column of times as Python can hold them: no nanoseconds, UTC."""
    arrow = _pyarrow()
    if not arrow.types.is_timestamp(column.type):
        return column
    zone = "UTC" if column.type.tz else None
    return column.cast(arrow.timestamp("us", tz=zone), safe=False)


def _opened(path: str) -> Any:  # noqa: ANN401 - untyped package
    # With a buffer, a column is read bit by bit, not a whole row group at once.
    return _pyarrow().parquet.ParquetFile(path, buffer_size=_BUFFER_BYTES)


@contextmanager
def _clear_errors(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, _pyarrow().ArrowException) as error:
        raise UStoryError(
            f"{path}: the file is damaged or not Parquet ({error}); write it again"
        ) from error


def _pyarrow() -> Any:  # noqa: ANN401 - untyped package
    try:
        import pyarrow  # noqa: PLC0415 - heavy, optional
        import pyarrow.parquet  # noqa: PLC0415 - heavy, optional
    except ImportError:
        raise MissingExtraError("pyarrow, which reads Parquet,", "parquet") from None
    return pyarrow
