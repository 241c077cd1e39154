"""A file is taken for a data set only where there can be no doubt."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ustory.core.errors import ConfigError
from ustory.sources.files.jsonl import JsonLinesSource
from ustory.sources.files.table import CsvSource
from ustory.sources.open import kind_of, open_source

Write = Callable[[str, bytes], str]

NOT_DATA_SETS = [
    b"",
    b"[",
    b"[1, 2]\n",
    b'["lang", "cluster"]\n',
    b'[{"id": "a", "title": "lang", "text": "cluster"}]',
    b'{"id": "a", "date": "2024-03-07", "title": "T"}\n',
    b'{"lang": "en", "cluster": "x", "title": "T"}\n',
    b'{"title": "\\"articles\\": [1], \\"summary\\": 2", "id": 1}',
    b'{"id": 1, "meta": {"articles": [], "summary": "S"}}\n',
    b'{"id": 1, "summary": "S"}\n{"articles": []}',
    b'{"id": 1, "summary": "' + b"s" * 70_000 + b'", "articles": []}',
    b"\x1f\x8b not gzip",
    b"id,date,articles\n",
]


@pytest.mark.parametrize("data", NOT_DATA_SETS)
def test_in_doubt_it_is_json_lines(data: bytes, write: Write) -> None:
    path = write("x.jsonl", data)

    assert kind_of(path) == "jsonl"
    assert isinstance(open_source(path), JsonLinesSource)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("newsfeed", [{"id": "a", "text": "[{}]", "lang": "eng", "cluster": "1"}]),
        ("newsapi", {"status": "ok", "totalResults": 0, "articles": []}),
        ("wcep", {"id": 1, "date": "2018-01-01", "summary": 'S "{', "articles": []}),
    ],
)
def test_data_sets_are_known_plain_indented_and_packed(
    kind: str, data: object, write: Write
) -> None:
    text = json.dumps(data).encode()
    indented = json.dumps(data, indent=4).encode()

    for form in (text, b"\xef\xbb\xbf" + text, b" \n" + indented, gzip.compress(text)):
        assert kind_of(write("x", form)) == kind


def test_what_is_called_a_table_is_a_table(write: Write) -> None:
    data = b'[{"id": "a", "lang": "eng", "cluster": "1"}]'

    assert isinstance(open_source(write("x.csv", data)), CsvSource)


def test_a_pipe_is_not_looked_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    assert kind_of(str(pipe)) == "jsonl"
    assert kind_of("-") == "jsonl"
    assert kind_of(str(tmp_path / "nowhere")) == "jsonl"


def test_the_format_asked_for_wins(write: Write) -> None:
    path = write("x.jsonl", b"id,date,title\na,2024-03-07,Title\n")

    assert [a.article.id for a in open_source(path, kind="csv").read()] == ["a"]


def test_an_unknown_format_is_answered_with_those_there_are(write: Write) -> None:
    with pytest.raises(ConfigError, match="no source named 'xml'; try one of: csv,"):
        open_source(write("x.xml", b""), kind="xml")
