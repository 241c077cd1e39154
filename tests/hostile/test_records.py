"""Records, addresses and dates cost what their length says, however hostile."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.hostile.growth import check_growth
from tests.hostile.making import numbered, repeat
from ustory.core.errors import InputError, UStoryError
from ustory.sources.feeds.entry import host_of, resolve_link
from ustory.sources.files.json_values import parse_object
from ustory.sources.open import open_source
from ustory.sources.records.dates import parse_date
from ustory.sources.records.fields import to_article
from ustory.sources.records.identity import canonical_url
from ustory.sources.records.problems import Place

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
URL = "https://news.example/feed"


ADDRESSES = {
    "blanks": repeat("https://a.example/", " ", "b"),
    "lines": repeat("https://a.example/", "\n ", "b"),
    "steps up": repeat("https://a.example/", "../", ""),
    "steps": repeat("https://a.example/", "a/", ""),
    "parameters": numbered("https://a.example/?", "a{n}=1&", ""),
    "tracking": repeat("https://a.example/?", "utm_a=1&", ""),
    "fragments": repeat("https://a.example/a", "#", ""),
    "a host": repeat("https://", "a.", "/b"),
    "brackets": repeat("https://[", "a:", "]/b"),
    "users": repeat("https://", "a@", "b/"),
    "slashes": repeat("https://a.example", "/", ""),
}


@pytest.mark.parametrize("make", ADDRESSES.values(), ids=ADDRESSES)
def test_addresses(make: Callable[[int], str]) -> None:
    check_growth(lambda text: resolve_link(text, URL), make)
    check_growth(host_of, make)
    check_growth(canonical_url, make)


DATES = {
    "digits": repeat("1"),
    "blanks": repeat("1", " ", "2"),
    "zones": repeat("GMT "),
    "brackets": repeat("Thu, 07 Mar 2024 ", "(", ""),
}


@pytest.mark.parametrize("make", DATES.values(), ids=DATES)
def test_dates(make: Callable[[int], str]) -> None:
    def work(text: str) -> None:
        with suppress(ValueError):
            parse_date(text)

    check_growth(work, make)


LINES = {
    "depth": repeat('{"title":', "[", ""),
    "digits": repeat('{"title":', "9", "}"),
    "fields": numbered("{", '"a{n}":1,', '"title":"a"}'),
    "the same field": repeat("{", '"title":"a",', '"title":"a"}'),
    "blanks in a title": repeat('{"title":"', " ", 'a"}'),
    "escapes": repeat('{"title":"', "\\u0301", '"}'),
    "authors": repeat('{"title":"a","authors":[', '"a",', '"b"]}'),
    "authors in a text": repeat('{"title":"a","authors":"', ";", '"}'),
    "a language": repeat('{"title":"a","lang":"en-', "a", '"}'),
    "a source": repeat('{"title":"a","source":{"name":"', " ", '"}}'),
    "joints in a name": repeat('{"', "_", '":"a"}'),
}


@pytest.mark.parametrize("make", LINES.values(), ids=LINES)
def test_json_lines(make: Callable[[int], str]) -> None:
    place = Place("a.jsonl", 1)

    def work(line: str) -> None:
        with suppress(InputError):
            record = parse_object(line.encode(), place)
            to_article({"published_at": NOW, **record}, place, NOW)

    check_growth(work, make)


TABLES = {
    "cells": repeat("title,text\n", ",", "\n"),
    "quotes": repeat('title,text\n"', '""', '"\n'),
    "columns": numbered("title", ",a{n}", "\nx\n"),
    "lines in a cell": repeat('title,text\n"', "\n", '"\n'),
    "an open quote": repeat('title,text\n"', "a\n", ""),
    "rows": numbered("title,date\n", "a{n},2024-03-07\n", ""),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_tables(make: Callable[[int], str], packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")

    def work(text: str) -> None:
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        with suppress(UStoryError):
            for _ in open_source(str(path), lambda _: None, NOW).read():
                pass

    check_growth(work, make)


ARCHIVES = {
    "headers": repeat(
        "WARC/1.0\r\nWARC-Type: response\r\n", "a: b\r\n", "\r\n\r\n\r\n"
    ),
    "continued headers": repeat(
        "WARC/1.0\r\nWARC-Type: response\r\na: b\r\n", " c\r\n", "\r\n\r\n\r\n"
    ),
    "a header": repeat("WARC/1.0\r\nWARC-Type: ", "a", "\r\n\r\n\r\n\r\n"),
    "empty lines": repeat("\r\n"),
    "records": repeat("WARC/1.0\r\nWARC-Type: a\r\nContent-Length: 0\r\n\r\n\r\n\r\n"),
}


@pytest.mark.parametrize("make", ARCHIVES.values(), ids=ARCHIVES)
def test_archives(make: Callable[[int], str], tmp_path: Path) -> None:
    warc = pytest.importorskip("ustory.sources.files.warc")
    pytest.importorskip("warcio", reason="needs the extra `warc`")
    path = tmp_path / "a.warc"

    def work(text: str) -> None:
        path.write_bytes(text.encode())
        for _ in warc.WarcSource(str(path), lambda _: None, lambda: NOW).read():
            pass

    check_growth(work, make)
