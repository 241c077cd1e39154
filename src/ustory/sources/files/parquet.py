"""Articles from Parquet: one row per article, read in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ustory.core.errors import ConfigError, UStoryError
from ustory.core.extras import import_extra
from ustory.core.protocols import Source
from ustory.sources.files.record_source import RecordSource
from ustory.sources.open import Fit, ReadOptions, has_suffix
from ustory.sources.records.fields import is_known
from ustory.sources.records.problems import Place, Report

_BATCH_ROWS = 256
_BUFFER_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a batch, its cells not yet turned into Python values."""

    columns: Mapping[str, Any]
    index: int


class ParquetSource(RecordSource[_Row]):
    """Reads the columns it knows of a Parquet file. Needs the extra `parquet`.

    The number of a record is that of its row.
    """

    def __init__(
        self, path: str, problems: Report, now: datetime | None = None
    ) -> None:
        _pyarrow()
        super().__init__(path, problems, now)

    def _rows(self) -> Iterator[tuple[int, _Row]]:
        number = 0
        with _clear_errors(self._path), _opened(self._path) as file:
            names = [name for name in file.schema_arrow.names if is_known(name)]
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=names):
                columns = {
                    name: _in_microseconds(column)
                    for name, column in zip(
                        batch.schema.names, batch.columns, strict=True
                    )
                }
                for index in range(batch.num_rows):
                    number += 1
                    yield number, _Row(columns, index)

    def _record(self, row: _Row, place: Place) -> Mapping[str, object]:
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


class _Parquet:
    """The kind of source for Parquet, by the end of a file's name."""

    extra = "parquet"

    def fit(self, where: str) -> Fit:
        """Recognise the end of a file's name."""
        return Fit.NAME if has_suffix(where, ".parquet") else Fit.NO

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the source, which is read once."""
        if where.lower().endswith(".gz"):
            raise ConfigError(
                f"{where}: Parquet is packed inside; unpack the .gz first"
            )
        return ParquetSource(where, options.report, options.now)


PARQUET = _Parquet()


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
    what = "pyarrow, which reads Parquet,"
    import_extra("pyarrow.parquet", what, "parquet")
    return import_extra("pyarrow", what, "parquet")
