"""Full-text indexes: FTS5 in SQLite, tsvector and GIN in PostgreSQL, one interface.

An index says which documents a query finds, all of them, in the order of their
numbers, and in which of them it finds a phrase in the title. What they are worth is
computed elsewhere (`store/search.py`), so that both databases give one answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sqlalchemy import Connection, text

from ustory.store.mapping import chunks
from ustory.store.search_query import Phrase, Query
from ustory.store.search_words import MOST_WORDS, words_of

Numbers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
"""Numbers of documents, ascending."""

_MOST_TITLE_WORDS = 500
_FEW = 20_000
"""Documents of which PostgreSQL reads the titles one by one."""
_GAP = 2
"""Positions between title and text: no phrase begins in one and ends in the other."""


@dataclass(frozen=True, slots=True)
class Document:
    """Something that can be found, by its number."""

    number: int
    title: str
    text: str | None = None

    @property
    def title_words(self) -> list[str]:
        """The words of its title."""
        return words_of(self.title)[:_MOST_TITLE_WORDS]

    @property
    def text_words(self) -> list[str]:
        """The words of its text."""
        return words_of(self.text or "")[: MOST_WORDS - _MOST_TITLE_WORDS - _GAP]


@dataclass(frozen=True, slots=True)
class TextIndex:
    """A full-text index; `table` is a name of ours, never what somebody gave."""

    table: str

    @property
    def title_table(self) -> str:
        """The table of titles in PostgreSQL: far narrower, so it is read faster."""
        return f"{self.table}_titles"

    def add(self, connection: Connection, documents: Sequence[Document]) -> None:
        """Let documents be found; none may be there yet."""
        rows = self.rows(connection, documents)
        if not rows:
            return
        if connection.dialect.name == "sqlite":
            self._fts_rows(connection, rows, "rowid, title, text", ":n, :title, :text")
            return
        for place, table in enumerate((self.title_table, self.table), start=1):
            statement = f"INSERT INTO {table} VALUES (:n, CAST(:words AS tsvector))"
            given = [{"n": row[0], "words": row[place]} for row in rows]
            connection.execute(text(statement), given)

    def remove(self, connection: Connection, documents: Sequence[Document]) -> None:
        """Let documents be found no more; they must be as they were added."""
        if connection.dialect.name == "sqlite":
            rows = self.rows(connection, documents)
            columns = f"{self.table}, rowid, title, text"
            self._fts_rows(connection, rows, columns, "'delete', :n, :title, :text")
            return
        for some in chunks(document.number for document in documents):
            for table in (self.title_table, self.table):
                statement = f"DELETE FROM {table} WHERE number = ANY(:some)"
                connection.execute(text(statement), {"some": some})

    def _fts_rows(
        self, connection: Connection, rows: Sequence[Any], columns: str, values: str
    ) -> None:
        statement = f"INSERT INTO {self.table} ({columns}) VALUES ({values})"
        given = [{"n": n, "title": title, "text": words} for n, title, words in rows]
        if given:
            connection.execute(text(statement), given)

    @contextmanager
    def filling(self, connection: Connection) -> Iterator[None]:
        """Let very many documents be added: PostgreSQL indexes them at the end."""
        if connection.dialect.name == "sqlite":
            yield
            return
        tables = (self.title_table, self.table)
        for table in tables:
            connection.execute(text(f"DROP INDEX IF EXISTS {table}_words"))
        yield
        for table in tables:
            made = (
                f"CREATE INDEX {table}_words ON {table} USING gin (words) "
                "WITH (gin_pending_list_limit = 512)"
            )
            connection.execute(text(made))

    def find(self, connection: Connection, query: Query) -> Numbers:
        """Return the documents with all words of a query, and none of the unwanted."""
        if not query.wanted:
            return _NONE
        if connection.dialect.name == "sqlite":
            return self._numbers(connection, _fts(query))
        return self._numbers(connection, _tsquery(query))

    def with_phrase(
        self, connection: Connection, phrase: Phrase, *, title: bool
    ) -> Numbers:
        """Return the documents that have a phrase, in the title or anywhere."""
        if connection.dialect.name == "sqlite":
            wanted = f"title : {_fts_phrase(phrase)}" if title else _fts_phrase(phrase)
            return self._numbers(connection, wanted)
        table = self.title_table if title else self.table
        return self._numbers(connection, _ts_phrase(phrase), table)

    def titles_among(
        self, connection: Connection, phrase: Phrase, numbers: Numbers
    ) -> Numbers:
        """Return those of some documents that have a phrase in their title.

        PostgreSQL reads a row for each: of few documents, only theirs.
        """
        if connection.dialect.name == "sqlite" or len(numbers) > _FEW:
            return self.with_phrase(connection, phrase, title=True)
        statement = (
            "SELECT string_agg(int8send(number), ''::bytea) "
            f"FROM {self.title_table} "
            "WHERE number = ANY(:some) AND words @@ CAST(:query AS tsquery)"
        )
        given = {"some": numbers.tolist(), "query": _ts_phrase(phrase)}
        return _in_order(connection.execute(text(statement), given).scalar())

    def clear(self, connection: Connection) -> None:
        """Forget every document."""
        if connection.dialect.name == "sqlite":
            name = self.table
            connection.execute(
                text(f"INSERT INTO {name} ({name}) VALUES ('delete-all')")
            )
        else:
            for table in (self.title_table, self.table):
                connection.execute(text(f"DELETE FROM {table}"))

    def count(self, connection: Connection) -> int:
        """Return how many documents there are."""
        counted = f"SELECT count(*) FROM {self.table}"
        if connection.dialect.name == "sqlite":
            counted = f"SELECT count(*) FROM {self.table}_docsize"
        return int(connection.execute(text(counted)).scalar_one())

    def rows(self, connection: Connection, documents: Sequence[Document]) -> list[Any]:
        """Return what is written of documents: number, title, text."""
        if connection.dialect.name == "sqlite":
            return [
                (each.number, " ".join(each.title_words), " ".join(each.text_words))
                for each in documents
            ]
        return [(each.number, *vectors_of(each)) for each in documents]

    def _numbers(self, connection: Connection, query: str, table: str = "") -> Numbers:
        # all in one value: a row for each would cost ten times as much
        if connection.dialect.name == "sqlite":
            statement = (
                f"SELECT group_concat(rowid) FROM {self.table} "
                f"WHERE {self.table} MATCH :query"
            )
            found = connection.execute(text(statement), {"query": query}).scalar()
            # one hit comes as a number in some releases of SQLite
            numbers = np.fromstring(str(found or ""), dtype=np.int64, sep=",")
        else:
            # a bitmap of all hits fits into this; a smaller one would be checked again
            connection.execute(text("SET LOCAL work_mem = '32MB'"))
            statement = (
                "SELECT string_agg(int8send(number), ''::bytea) "
                f"FROM {table or self.table} WHERE words @@ CAST(:query AS tsquery)"
            )
            found = connection.execute(text(statement), {"query": query}).scalar()
            return _in_order(found)
        return numbers


def _in_order(found: Any) -> Numbers:  # noqa: ANN401 - what the driver gives
    """Return the numbers that PostgreSQL sends as bytes, ascending."""
    numbers = np.frombuffer(bytes(found or b""), dtype=">i8").astype(np.int64)
    return np.sort(numbers)


_NONE: Numbers = np.zeros(0, dtype=np.int64)
ARTICLES = TextIndex("search_articles")
"""Articles by `seq`, with the title and text of their newest revision."""
STORIES = TextIndex("search_stories")
"""Stories by `number`, with their headline and keywords."""


def _fts(query: Query) -> str:
    def one_of(phrase: Phrase) -> str:
        return f"({' OR '.join(map(_fts_phrase, phrase.choices))})"

    wanted = " AND ".join(map(one_of, query.wanted))
    unwanted = "".join(f" NOT {_fts_phrase(one)}" for one in query.unwanted)
    return f"({wanted}){unwanted}"


def _fts_phrase(phrase: Phrase) -> str:
    return f'"{" ".join(phrase.words)}"{" *" if phrase.prefix else ""}'


def _tsquery(query: Query) -> str:
    def one_of(phrase: Phrase) -> str:
        return f"({' | '.join(map(_ts_phrase, phrase.choices))})"

    unwanted = [f"!{_ts_phrase(one)}" for one in query.unwanted]
    return " & ".join([*map(one_of, query.wanted), *unwanted])


def _ts_phrase(phrase: Phrase) -> str:
    last = len(phrase.words) - 1
    words = (
        f"'{word}'{':*' if phrase.prefix and place == last else ''}"
        for place, word in enumerate(phrase.words)
    )
    return f"({' <-> '.join(words)})"


def vectors_of(document: Document) -> tuple[str, str]:
    """Return the words of the title, and all words, as PostgreSQL writes a tsvector."""
    title, words = document.title_words, document.text_words
    placed = list(enumerate(title, start=1))
    behind = len(title) + _GAP
    return _vector(placed), _vector([*placed, *enumerate(words, start=behind)])


def _vector(placed: Sequence[tuple[int, str]]) -> str:
    places: dict[str, list[int]] = {}
    for place, word in placed:
        places.setdefault(word, []).append(place)
    # it keeps 255 positions of a word, and no more
    return " ".join(f"'{w}':{','.join(map(str, at[:255]))}" for w, at in places.items())
