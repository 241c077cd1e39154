"""Web archives as CC-NEWS publishes them: pages in, articles out."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.sources.feeds.reader_pool import Readers
from ustory.sources.files import warc
from ustory.sources.files.warc import WarcSource
from ustory.sources.http.errors import FetchError
from ustory.testing.checks import check_source

warcio = pytest.importorskip("warcio", reason="needs the extra `warc`")
pytest.importorskip("trafilatura", reason="needs the extra `serve`")
from warcio.statusandheaders import StatusAndHeaders  # noqa: E402 - after the check
from warcio.warcwriter import WARCWriter  # noqa: E402

NOW = datetime(2024, 3, 9, tzinfo=UTC)
FETCHED = "2024-03-08T06:30:00Z"
HTML = {"Content-Type": "text/html; charset=utf-8"}
STORY = (
    "A strong earthquake struck Kestrel Bay at dawn and brought down eleven houses. "
    "Rescuers pulled four people from the ruins of a bakery in Port Sella, and the "
    "harbour was closed while engineers looked at the cracked quay. "
)


def page(number: int, head: str = "", story: str = STORY) -> str:
    return (
        f'<html lang="en-GB"><head><title>Quake {number} in Kestrel Bay</title>{head}'
        "</head><body><nav><a href='/'>Home</a></nav><article>"
        f"<h1>Quake {number} in Kestrel Bay</h1><p>{story} Report {number}.</p>"
        f"<p>Mayor Ada Brandt asked for tents, water and doctors. {story}</p>"
        "</article><footer>All rights reserved</footer></body></html>"
    )


class Archive:
    """A WARC file in the making."""

    def __init__(self, *, packed: bool = True) -> None:
        self.file = io.BytesIO()
        self._writer = WARCWriter(self.file, gzip=packed)

    def add(
        self,
        body: str | bytes,
        url: str = "https://www.news.example/a",
        headers: Mapping[str, str] = HTML,
        status: str = "200 OK",
        kind: str = "response",
    ) -> Archive:
        """Write one record."""
        payload = body if isinstance(body, bytes) else body.encode()
        answer = StatusAndHeaders(status, list(headers.items()), protocol="HTTP/1.1")
        self._writer.write_record(
            self._writer.create_warc_record(
                url,
                kind,
                payload=io.BytesIO(payload),
                length=len(payload),
                http_headers=answer,
                warc_headers_dict={"WARC-Date": FETCHED},
            )
        )
        return self

    def save(self, path: Path) -> Path:
        """Write the file."""
        path.write_bytes(self.file.getvalue())
        return path


def pages(*numbers: int, packed: bool = True) -> Archive:
    archive = Archive(packed=packed)
    for number in numbers:
        archive.add(page(number), f"https://www.news.example/quake-{number}")
    return archive


def read(path: Path) -> tuple[list[Article], list[InputError]]:
    problems: list[InputError] = []
    source = WarcSource(str(path), problems.append, lambda: NOW)
    return [arrival.article for arrival in source.read()], problems


def only(archive: Archive, folder: Path) -> Article:
    (article,), problems = read(archive.save(folder / "a.warc.gz"))
    assert not problems
    return article


@pytest.mark.parametrize("packed", [True, False])
def test_an_archive_keeps_the_contract(tmp_path: Path, packed: bool) -> None:
    path = pages(1, 2, 3, packed=packed).save(tmp_path / "a.warc")

    check_source(lambda: WarcSource(str(path), lambda _: None, lambda: NOW))


def test_a_folder_is_read_in_order_of_name_and_keeps_the_contract(
    tmp_path: Path,
) -> None:
    pages(3, 4).save(tmp_path / "CC-NEWS-2.warc.gz")
    pages(1, 2, packed=False).save(tmp_path / "CC-NEWS-1.warc")
    pages(5).save(tmp_path / ".CC-NEWS-3.warc.gz")
    (tmp_path / "warc.paths").write_text("CC-NEWS-1.warc\n")

    check_source(lambda: WarcSource(str(tmp_path), lambda _: None, lambda: NOW))
    assert [a.url for a in read(tmp_path)[0]] == [
        f"https://www.news.example/quake-{n}" for n in (1, 2, 3, 4)
    ]


def test_a_page_becomes_an_article(tmp_path: Path) -> None:
    head = (
        '<meta property="article:published_time" content="2024-03-07T21:15:00+01:00">'
        '<meta name="author" content="Lina Ost">'
    )

    article = only(Archive().add(page(1, head)), tmp_path)

    assert article.title == "Quake 1 in Kestrel Bay"
    assert article.text.count("Rescuers pulled four people") == 2
    assert "rights reserved" not in article.text
    assert article.published_at == datetime(2024, 3, 7, 20, 15, tzinfo=UTC)
    assert article.fetched_at == datetime(2024, 3, 8, 6, 30, tzinfo=UTC)
    assert (article.source, article.lang) == ("news.example", "en")
    assert article.authors == ("Lina Ost",)
    assert article.id.startswith("u:")


@pytest.mark.parametrize(
    "head",
    [
        '<meta content="2024-03-07T20:15:00Z" property="article:published_time">',
        '<script type="application/ld+json">{"@type": "NewsArticle", '
        '"datePublished": "2024-03-07T20:15:00Z"}</script>',
    ],
)
def test_the_time_of_publication_is_found(tmp_path: Path, head: str) -> None:
    article = only(Archive().add(page(1, head)), tmp_path)

    assert article.published_at == datetime(2024, 3, 7, 20, 15, tzinfo=UTC)


def test_a_page_without_a_date_is_as_old_as_its_fetching(tmp_path: Path) -> None:
    article = only(Archive().add(page(1)), tmp_path)

    assert article.published_at == article.fetched_at
    assert article.fetched_at == datetime(2024, 3, 8, 6, 30, tzinfo=UTC)


def test_only_whole_pages_of_the_web_are_looked_at(tmp_path: Path) -> None:
    archive = (
        Archive()
        .add(page(1), kind="resource")
        .add(page(2), status="404 Not Found")
        .add(page(3), headers={"Content-Type": "application/json"})
        .add(page(4), headers={})
        .add(page(5), "dns:news.example")
        .add(page(6), "javascript:alert(1)")
        .add("<html><body><p>Too short.</p></body></html>")
        .add("")
        .add(page(9), "https://news.example/nine")
    )

    assert only(archive, tmp_path).url == "https://news.example/nine"


def test_a_page_over_the_limit_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc, "PAGE_SIZE", 5_000)
    archive = Archive().add(page(1, "<!--" + "x" * 5_000 + "-->"))
    bomb = gzip.compress(page(2, "<!--" + "x" * 50_000_000 + "-->").encode())
    archive.add(bomb, headers={**HTML, "Content-Encoding": "gzip"})
    archive.add(page(3), "https://news.example/three")

    assert only(archive, tmp_path).url == "https://news.example/three"


def test_packed_answers_and_other_encodings_are_read(tmp_path: Path) -> None:
    packed = gzip.compress(page(1, story=STORY + "Zoë.").encode())
    latin = page(2, story=STORY + "Zoë.").encode("cp1252")
    archive = Archive().add(packed, headers={**HTML, "Content-Encoding": "gzip"})
    archive.add(latin, "https://b.example/b", {"Content-Type": "text/html"})

    articles, problems = read(archive.save(tmp_path / "a.warc.gz"))

    assert ["Zoë" in article.text for article in articles] == [True, True]
    assert not problems


@pytest.mark.parametrize("packed", [True, False])
def test_an_archive_that_is_cut_short_is_read_as_far_as_it_goes(
    tmp_path: Path, packed: bool
) -> None:
    whole = pages(1, 2, 3, packed=packed).file.getvalue()
    (tmp_path / "a.warc").write_bytes(whole[: int(len(whole) * 0.8)])
    pages(4).save(tmp_path / "b.warc")

    articles, problems = read(tmp_path)

    assert [(a.url or "")[-1] for a in articles] == ["1", "2", "4"]
    assert [(e.kind, e.file) for e in problems] == [("damaged", "a.warc")]


@pytest.mark.parametrize(
    "content",
    [
        b"no archive at all\n" * 20,
        b"\x1f\x8b\x08nonsense",
        gzip.compress(b"x" * 900, mtime=0),
    ],
)
def test_what_is_no_archive_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.warc.gz").write_bytes(content)

    articles, problems = read(tmp_path)

    assert articles == []
    assert [problem.kind for problem in problems] == ["damaged"]
    assert "\n" not in str(problems[0])


def test_records_packed_together_are_refused_in_words(tmp_path: Path) -> None:
    content = gzip.compress(pages(1, 2, 3, packed=False).file.getvalue())
    (tmp_path / "a.warc.gz").write_bytes(content)

    _, problems = read(tmp_path)

    assert [problem.kind for problem in problems] == ["damaged"]
    assert "non-chunked gzip" in str(problems[0])


def test_a_page_that_the_parser_cannot_read_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise FetchError("broken", "RecursionError in the package that reads it")

    monkeypatch.setattr(Readers, "page", fail)

    articles, problems = read(pages(1).save(tmp_path / "a.warc.gz"))

    assert articles == []
    assert "the record at byte 0: the page cannot be read" in str(problems[0])


@pytest.mark.parametrize(
    "cursor", ["", "{}", "[1, 2]", '["a"]', '["a", -1]', "[" * 9999]
)
def test_a_cursor_of_something_else_is_refused(tmp_path: Path, cursor: str) -> None:
    source = WarcSource(str(tmp_path), lambda _: None, lambda: NOW)

    with pytest.raises(ConfigError, match="is a JSON list of a file and an offset"):
        source.read(cursor)


def test_the_cursor_is_a_file_and_where_the_next_record_begins(tmp_path: Path) -> None:
    path = pages(1, 2).save(tmp_path / "a.warc.gz")
    source = WarcSource(str(path), lambda _: None, lambda: NOW)

    first, last = (json.loads(arrival.cursor) for arrival in source.read())

    assert first[0] == "a.warc.gz"
    assert 0 < first[1] < last[1] == path.stat().st_size
    assert not source.live


def test_a_path_with_nothing_behind_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file at"):
        WarcSource(str(tmp_path / "none.warc"), lambda _: None, lambda: NOW)


def test_a_record_without_an_address_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"WARC/1.0\r\nWARC-Type: response\r\nA: b\r\n\r\nHTTP/1.1 200\r\n")

    articles, problems = read(path)

    assert articles == []
    assert [problem.kind for problem in problems] == ["damaged"]
