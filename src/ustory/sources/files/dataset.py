"""Articles of published data sets, which are in no order, put in order of time."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import TypeAlias

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError, UStoryError
from ustory.core.protocols import Source
from ustory.core.spans import EPOCH, microseconds
from ustory.sources.files.json_values import read_values
from ustory.sources.files.lines import read_chunks
from ustory.sources.files.record_source import RecordSource
from ustory.sources.open import Fit, ReadOptions
from ustory.sources.records.fields import to_article
from ustory.sources.records.problems import Place, Report, shown

_BAD = -(2**63)  # key of bad records: they come first, before any date
_FIELDS = ("id", "title", "text", "url", "lang", "source", "authors", "label")
_MAX_NAMED = 8
_IN_MEMORY = 32 * 1024 * 1024
_HEAD = 65_536
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}:]', re.S)
_BOM = b"\xef\xbb\xbf"

Found: TypeAlias = tuple[Place, Mapping[str, object] | InputError]
"""A record with its place, or what is wrong there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the files of a data set are laid out; a kind of source."""

    name: str
    unit: str
    """What one JSON value of a file is."""
    needs: tuple[str, ...]
    """Fields by which its values are known."""
    records: Callable[[Mapping[str, object], Place], Iterator[Found]]
    """Takes a value apart into records of articles; some may not belong."""
    keys: frozenset[str] = frozenset()
    """Names in the first object by which a file is recognised; none: by no file."""
    listed: bool = False
    """Whether a file is one list, which JSON Lines never is."""
    year: int | None = None
    """The only year whose articles are read; None is all."""
    extra: None = None

    def fit(self, where: str) -> Fit:
        """Recognise a file by its first bytes, if they leave no doubt.

        Pipes are not looked into: what is read of them is gone.
        """
        head = _first_bytes(where) if self.keys else b""
        if not head.startswith(b"[" if self.listed else b"{"):
            return Fit.NO
        keys = set(_keys(head, 2 if self.listed else 1))
        return Fit.CONTENT if self.keys <= keys else Fit.NO

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the source, which is read once."""
        return DataSetSource(where, self, options.report, options.now)


class DataSetSource(RecordSource[bytes]):
    """Reads a file of a data set, plain or gzipped, or standard input for `-`.

    The file is read once to the end before the first article is given: its articles
    are checked and laid aside, outside memory when they are many. The number of a
    record is its place in order of time, bad records first.
    """

    def __init__(
        self,
        path: str,
        layout: Layout,
        problems: Report,
        now: datetime | None = None,
    ) -> None:
        super().__init__(path, problems, now)
        self._layout = layout

    def _rows(self) -> Iterator[tuple[int, bytes | InputError]]:
        with Spool() as spool:
            for found in self._articles():
                if isinstance(found, InputError):
                    spool.add(_BAD, json.dumps([found.kind, found.reason]).encode())
                elif self._layout.year in (None, found.published_at.year):
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
            place = Place(self.name, 0, f"{self._layout.unit} {number}")
            if isinstance(value, InputError):
                yield value
            elif number == 1 and not self._fits(value):
                raise self._wrong_format(value)
            elif isinstance(value, Mapping):
                for found in self._layout.records(value, place):
                    yield self._checked(*found)
            else:
                yield place.problem(
                    "not-an-object", f"it must be a JSON object; got {shown(value)}"
                )

    def _checked(
        self, place: Place, record: Mapping[str, object] | InputError
    ) -> Article | InputError:
        if isinstance(record, InputError):
            return record
        try:
            return to_article(record, place, self._clock())
        except InputError as error:
            return error

    def _record(self, row: bytes, place: Place) -> Mapping[str, object]:
        del place
        record: Mapping[str, object] = json.loads(row)
        return record

    def _fits(self, value: object) -> bool:
        needs = self._layout.needs
        return isinstance(value, Mapping) and all(name in value for name in needs)

    def _wrong_format(self, value: object) -> ConfigError:
        layout, got = self._layout, shown(value)
        if isinstance(value, Mapping):
            names = [f"`{str(name)[:30]}`" for name in list(value)[:_MAX_NAMED]]
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


class Spool:
    """Lines with a key each, to be read back by key. Mutable.

    Lines go to a temporary file when they are many; of each only sixteen bytes stay
    in memory.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed on exit
        self._keys = array("q")
        self._starts = array("q")
        self._size = 0

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, key: int, line: bytes) -> None:
        """Keep a line, which may hold no line break."""
        self._keys.append(key)
        self._starts.append(self._size)
        self._size += self._file.write(line + b"\n")

    def in_order(self) -> Iterator[tuple[int, bytes]]:
        """Yield keys and lines by key; those with one key in the order they came."""
        for number in sorted(range(len(self._keys)), key=self._keys.__getitem__):
            self._file.seek(self._starts[number])
            yield self._keys[number], self._file.readline()


def _first_bytes(path: str) -> bytes:
    if not Path(path).is_file():
        return b""
    head = b""
    try:
        with closing(read_chunks(path)) as pieces:
            for piece in pieces:
                head = (head + piece).removeprefix(_BOM).lstrip()
                if len(head) >= _HEAD:
                    break
    except UStoryError:  # the source says it better
        return b""
    return head


def _keys(head: bytes, wanted: int) -> Iterator[str]:
    """Yield the names in the first object at this depth."""
    depth, last = 0, b""
    for match in _TOKEN.finditer(head):
        token = match[0]
        if token == b":":
            if depth == wanted:
                yield last[1:-1].decode("utf-8", "replace")
        elif token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth < wanted:
                return
        else:
            last = token
