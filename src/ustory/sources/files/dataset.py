"""Articles of published data sets, which are in no order, put in order of time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.core.spans import EPOCH, microseconds
from ustory.sources.files.json_values import read_values
from ustory.sources.files.lines import check_readable
from ustory.sources.files.spool import Spool
from ustory.sources.records.arrivals import Intake, make_clock
from ustory.sources.records.fields import to_article
from ustory.sources.records.place import Place, shown
from ustory.sources.records.problems import Report
from ustory.sources.records.source_names import STDIN, display_name

_BAD = -(2**63)  # key of bad records: they come first, before any date
_FIELDS = ("id", "title", "text", "url", "lang", "source", "authors", "label")
_NAMED = 8


@dataclass(frozen=True, slots=True)
class Spot(Place):
    """A place in a file whose lines mean nothing, like `story 3, article 5`."""

    what: str = ""

    def problem(self, kind: str, reason: str) -> InputError:
        """Return the error that says what is wrong here, for the caller to raise."""
        return InputError(kind, f"{self.what}: {reason}", file=self.file, line=0)


Found: TypeAlias = tuple[Spot, Mapping[str, object] | InputError]
"""A record with its place, or what is wrong there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the files of a data set are laid out."""

    name: str
    unit: str
    """What one JSON value of a file is."""
    needs: tuple[str, ...]
    """Fields by which its values are known."""
    records: Callable[[Mapping[str, object], Spot], Iterator[Found]]
    """Takes a value apart into records of articles; some may not belong."""


class DataSetSource:
    """Reads a file of a data set, plain or gzipped, or standard input for `-`.

    The file is read once to the end before the first article is given: its articles
    are checked and laid aside, outside memory when they are many. `year` leaves out
    those of other years. The cursor is the number of an article in order of time,
    bad ones first, and its digest.
    """

    def __init__(
        self,
        path: str,
        layout: Layout,
        problems: Report,
        now: datetime | None = None,
        year: int | None = None,
    ) -> None:
        check_readable(path)
        self._path = path
        self._layout = layout
        self._year = year
        self._intake = Intake(
            display_name(path), problems, make_clock(now, live=path == STDIN)
        )

    @property
    def name(self) -> str:
        """The file, however its path was typed, or `stdin`."""
        return self._intake.name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor `after`, the earliest first."""
        return self._intake.arrivals(self._in_order(), _to_record, after)

    def _in_order(self) -> Iterator[tuple[int, bytes | InputError]]:
        with Spool() as spool:
            for found in self._articles():
                if isinstance(found, InputError):
                    spool.add(_BAD, json.dumps([found.kind, found.reason]).encode())
                elif self._year in (None, found.published_at.year):
                    key = microseconds(found.published_at - EPOCH)
                    spool.add(key, _to_line(found))
            for number, (key, line) in enumerate(spool.in_order(), start=1):
                yield number, self._as_problem(number, line) if key == _BAD else line

    def _as_problem(self, number: int, line: bytes) -> InputError:
        kind, reason = json.loads(line)
        error = InputError(kind, reason, file=self.name, line=0)
        # The message names the place in the file; cursors count in order of time.
        error.line = number
        return error

    def _articles(self) -> Iterator[Article | InputError]:
        for number, value in read_values(self._path, self._layout.unit):
            spot = Spot(self.name, 0, f"{self._layout.unit} {number}")
            if isinstance(value, InputError):
                yield value
            elif number == 1 and not self._fits(value):
                raise self._wrong_format(value)
            elif isinstance(value, Mapping):
                for place, record in self._layout.records(value, spot):
                    yield self._article(place, record)
            else:
                yield spot.problem(
                    "not-an-object", f"it must be a JSON object; got {shown(value)}"
                )

    def _article(
        self, place: Spot, record: Mapping[str, object] | InputError
    ) -> Article | InputError:
        if isinstance(record, InputError):
            return record
        try:
            return to_article(record, place, self._intake.clock())
        except InputError as error:
            return error

    def _fits(self, value: object) -> bool:
        needs = self._layout.needs
        return isinstance(value, Mapping) and all(name in value for name in needs)

    def _wrong_format(self, value: object) -> ConfigError:
        layout, got = self._layout, shown(value)
        if isinstance(value, Mapping):
            names = [f"`{str(name)[:30]}`" for name in list(value)[:_NAMED]]
            got = f"an object with {', '.join(names) or 'nothing in it'}"
        wanted = " and ".join(f"`{name}`" for name in layout.needs)
        return ConfigError(
            f"{self.name} is not in the format of {layout.name}: its first "
            f"{layout.unit} must be an object with {wanted}; got {got}: give the "
            "file's real format with --format, or leave --format out"
        )


def _to_line(article: Article) -> bytes:
    record = {name: getattr(article, name) for name in _FIELDS}
    record["published_at"] = article.published_at.isoformat()
    return json.dumps(record).encode()


def _to_record(line: bytes, place: Place) -> Mapping[str, object]:
    del place
    record: Mapping[str, object] = json.loads(line)
    return record
