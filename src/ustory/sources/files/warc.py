"""Articles from web archives: WARC files as CC-NEWS publishes them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.extras import import_extra
from ustory.core.protocols import Arrival, Source
from ustory.sources.feeds.entry import resolve_link
from ustory.sources.feeds.page import check_extractor
from ustory.sources.feeds.reader_pool import READERS, Readers
from ustory.sources.files.lines import BUFFER
from ustory.sources.http.errors import FetchError
from ustory.sources.open import Fit, ReadOptions
from ustory.sources.records.cursor import display_name
from ustory.sources.records.dates import parse_date
from ustory.sources.records.fields import ArticleMaker, Clock, claimed_article
from ustory.sources.records.problems import Place, Report

SUFFIXES = (".warc", ".warc.gz")
PAGE_SIZE = 3_000_000
"""The largest page that is read, in bytes; what is larger is rarely an article."""

_HTML = ("text/html", "application/xhtml+xml")
_START = ("", 0)
# The package trusts records to be whole: one without an address is an AttributeError.
_MISHAPS = (OSError, EOFError, AttributeError, LookupError, TypeError, UnicodeError)
_Archive: TypeAlias = Any  # of a package that is imported when it is needed


class WarcSource:
    """Reads the pages in a WARC file, or in a folder of them in order of name.

    Only answers that are HTML, with status 200 and below the limit are looked at;
    what holds no article is passed over. The cursor is a file, and the byte of it
    at which the next record begins.
    """

    live = False
    """Archives are complete."""

    def __init__(
        self,
        path: str,
        report: Report,
        clock: Clock,
        readers: Readers = READERS,
        to_article: ArticleMaker = claimed_article,
    ) -> None:
        self._path = Path(path)
        self._name = display_name(path)
        if not self._path.exists():
            raise ConfigError(f"there is no file at {path}; check the path")
        self._report, self._clock = report, clock
        self._archive, self._damages = _reader()
        check_extractor()
        self._readers = readers
        self._to_article = to_article

    @property
    def name(self) -> str:
        """The path, however it was typed."""
        return self._name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor `after`, all when it is None."""
        return self._arrivals(*_parse(self._name, after))

    def _arrivals(self, file: str, offset: int) -> Iterator[Arrival]:
        for path in self._files():
            if path.name >= file:
                start = offset if path.name == file else 0
                yield from self._of_file(path, start)

    def _files(self) -> list[Path]:
        if not self._path.is_dir():
            return [self._path]
        return sorted(
            path
            for path in self._path.iterdir()
            if path.name.lower().endswith(SUFFIXES) and not path.name.startswith(".")
        )

    def _of_file(self, path: Path, start: int) -> Iterator[Arrival]:
        at = start
        try:
            with path.open("rb", BUFFER) as stream:
                for article, at in self._articles(stream, path.name, start):
                    if article is not None:
                        yield Arrival(article, json.dumps([path.name, at]))
        except self._damages as error:
            reason = f"the file is damaged or cut short and cannot be read on ({error})"
            place = Place(path.name, 0, f"byte {at:,}")
            self._report(place.problem("damaged", " ".join(reason.split())))

    def _articles(
        self, stream: BinaryIO, file: str, start: int
    ) -> Iterator[tuple[Article | None, int]]:
        """Yield each record's article, if it has one, and where the next begins."""
        size = stream.seek(0, SEEK_END)
        stream.seek(start)
        records = self._archive(stream)
        for record in records:
            place = Place(file, 0, f"the record at byte {records.offset:,}")
            article = None
            try:
                article = self._article(record, place)
            except InputError as error:
                self._report(error)
            records.read_to_end()
            if getattr(record.raw_stream, "limit", 0) > 0:
                raise EOFError("the last record is not whole")
            yield article, records.offset
        if records.offset != size:
            raise EOFError("the last record is not whole")

    def _article(self, record: _Archive, place: Place) -> Article | None:
        """Return the article of a record, None if it holds none."""
        url = _address(record)
        if url is None or not _is_page(record):
            return None
        body = _body(record.content_stream())
        if len(body) > PAGE_SIZE:
            return None
        fetched = self._clock()
        with suppress(ValueError):  # else it was fetched now, as far as anybody knows
            fetched = parse_date(record.rec_headers.get_header("WARC-Date"))
        kind = record.http_headers.get_header("Content-Type", "")
        try:
            found = self._readers.page(
                body, url=url, fetched_at=fetched, content_type=kind
            )
        except FetchError as error:
            raise place.problem(
                "damaged", f"the page cannot be read: {error}"
            ) from None
        return None if found is None else self._to_article(found, place, fetched)


class _Warc:
    """The kind of source for web archives, by the end of a file's name."""

    extra = "warc"

    def fit(self, where: str) -> Fit:
        """Recognise a WARC file, or a folder that holds one."""
        path = Path(where)
        try:
            files = [each.name for each in path.iterdir()] if path.is_dir() else [where]
        except OSError:  # opening the folder says why
            return Fit.NO
        found = any(name.lower().endswith(SUFFIXES) for name in files)
        return Fit.NAME if found else Fit.NO

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the source, which is read once."""
        return WarcSource(
            where, options.report, options.clock, to_article=options.to_article
        )


WARC = _Warc()


def _address(record: _Archive) -> str | None:
    address = record.rec_headers.get_header("WARC-Target-URI") or ""
    return resolve_link(address.strip("<>"), "")


def _is_page(record: _Archive) -> bool:
    headers = record.http_headers
    if record.rec_type != "response" or headers is None:
        return False
    kind = headers.get_header("Content-Type", "").partition(";")[0].strip().lower()
    return headers.get_statuscode() == "200" and kind in _HTML


def _body(stream: _Archive) -> bytes:
    """Return the bytes of an answer, and no more than one above the limit."""
    parts, size = [], 0
    while size <= PAGE_SIZE and (part := stream.read(PAGE_SIZE + 1 - size)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _parse(name: str, after: str | None) -> tuple[str, int]:
    if after is None:
        return _START
    try:
        file, offset = json.loads(after)
    except (ValueError, TypeError, RecursionError):
        file, offset = None, None
    if not isinstance(file, str) or type(offset) is not int or offset < 0:
        raise ConfigError(
            f"a cursor of {name} is a JSON list of a file and an offset, like "
            f'["a.warc.gz", 1234]; got {after[:60]!r}'
        )
    return file, offset


def _reader() -> tuple[_Archive, tuple[type[Exception], ...]]:
    """Return what iterates over records, and what it raises when one is damaged."""
    warcio = import_extra("warcio", "warcio", "warc")
    damaged = import_extra("warcio.exceptions", "warcio", "warc").ArchiveLoadFailed
    return warcio.ArchiveIterator, (damaged, zlib.error, *_MISHAPS)
