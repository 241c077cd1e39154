"""What people and programs look for, however long and odd it is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.hostile.growth import check_growth
from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH, parse_span
from ustory.service.content import fingerprint, tidied
from ustory.store.fulltext import Document, vectors_of
from ustory.store.mapping import decode_cursor
from ustory.store.search_query import parse_query
from ustory.store.search_words import words_of
from ustory.web.times import parse_moment

_TEXTS: dict[str, Callable[[int], str]] = {
    "marks": lambda n: "a" + "\u0301\u0323" * (n // 2),
    "quotes": lambda n: '"' * n,
    "minus signs": lambda n: "-" * n,
    "minus and quotes": lambda n: '-"' * (n // 2),
    "stars": lambda n: "*" * n,
    "blanks": lambda n: " " * n,
    "one word": lambda n: "x" * n,
    "letters": lambda n: "x " * (n // 2),
    "ligatures": lambda n: "\ufdfa" * n,
    "Han": lambda n: "\u5317" * n,
    "digits": lambda n: "9" * n,
    "brackets": lambda n: "[" * n,
}


@pytest.mark.parametrize("kind", _TEXTS)
@pytest.mark.parametrize("read", [parse_query, words_of])
def test_a_question_is_read_in_linear_time(
    read: Callable[[str], object], kind: str
) -> None:
    def ask(text: str) -> None:
        with suppress(ConfigError):  # too many words are refused, and fast
            read(text)

    check_growth(ask, _TEXTS[kind])


@pytest.mark.parametrize("kind", _TEXTS)
def test_the_words_of_a_document_are_found_in_linear_time(kind: str) -> None:
    check_growth(lambda text: vectors_of(Document(1, "title", text)), _TEXTS[kind])


@pytest.mark.parametrize("kind", _TEXTS)
def test_the_content_of_an_article_is_hashed_in_linear_time(kind: str) -> None:
    def take(text: str) -> str:
        title = text[:1_000]
        article = Article(id=title, published_at=EPOCH, title=title, text=text)
        return fingerprint(tidied(article))

    check_growth(take, _TEXTS[kind])


@pytest.mark.parametrize("kind", _TEXTS)
def test_cursors_times_and_spans_are_read_in_linear_time(kind: str) -> None:
    def read(text: str) -> None:
        with suppress(ConfigError):
            decode_cursor(text, "stories", [])
        with suppress(ValueError):
            parse_moment(text)
        with suppress(ValueError):
            parse_span(text)

    check_growth(read, _TEXTS[kind])
