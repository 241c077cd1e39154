"""Full-text indexes: FTS5 in SQLite, tsvector and GIN in PostgreSQL, one interface.

Hits come newest first, and finding the newest few costs the same however many there
are: FTS5 walks its lists from the end, and for PostgreSQL every document also holds
the names of the blocks of numbers it is in, so that blocks can be searched from the
newest to the oldest, each step eight times as far back.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import Connection, text

from ustory.core.unicode import normalized
from ustory.store.mapping import chunks

MOST_WORDS = 16_000
"""Words of one text that are searched: PostgreSQL counts positions to 16,383."""
_MOST_CHARACTERS = 300_000
_LONGEST_WORD = 64
_MOST_PHRASES = 12
_LONGEST_PHRASE = 24
_LONGEST_QUERY = 10_000

# scripts that put no space between words are searched character by character
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_PART = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand side by side; the last may be the beginning of a word."""

    words: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: every phrase of `wanted`, none of `unwanted`."""

    wanted: tuple[Phrase, ...]
    unwanted: tuple[Phrase, ...] = ()


def words_of(text: str) -> list[str]:
    """Return the words of a text without case and accents, in their order.

    >>> words_of("Él: 3.5 Bäume")
    ['el', '3', '5', 'baume']
    """
    text = text[:_MOST_CHARACTERS]
    if not text.isascii():
        # half letters first, so that the marks on them can be dropped
        # one sign can stand for eighteen letters: what they become is cut again
        bare = normalized("NFKD", text)[:_MOST_CHARACTERS].translate(_marks())
        text = normalized("NFC", bare)
    found = _WORD.findall(text.casefold())[:MOST_WORDS]
    return [word[:_LONGEST_WORD] for word in found]


def parse_query(text: str) -> Query:
    """Return what a person looks for.

    Words must all be there, `"words in quotes"` side by side, `word*` begins a word,
    and `-word` must not be there.

    >>> parse_query('storm -"old bridge" har*').unwanted
    (Phrase(words=('old', 'bridge'), prefix=False),)
    """
    wanted: list[Phrase] = []
    unwanted: list[Phrase] = []
    for minus, quoted, plain in _PART.findall(text[:_LONGEST_QUERY]):
        words = tuple(words_of(quoted or plain))[:_LONGEST_PHRASE]
        if words:
            phrase = Phrase(words, prefix=plain.endswith("*"))
            (unwanted if minus else wanted).append(phrase)
    return Query(tuple(wanted[:_MOST_PHRASES]), tuple(unwanted[:_MOST_PHRASES]))


@cache
def _marks() -> dict[int, None]:
    every = range(sys.maxunicode + 1)
    return {n: None for n in every if unicodedata.category(chr(n)).startswith("M")}


_SHIFTS = (12, 15, 18, 21, 24)
"""Blocks of 4,096 documents, and of eight times as many at each level."""
_MOST_BLOCKS = 8
"""How many of the smallest are looked through one by one."""


@dataclass(frozen=True, slots=True)
class Document:
    """Something that can be found, by its number."""

    number: int
    title: str
    text: str | None = None

    @property
    def words(self) -> list[str]:
        """The words by which it is found."""
        return words_of(f"{self.title}\n{self.text or ''}")


@dataclass(frozen=True, slots=True)
class TextIndex:
    """A full-text index; `table` is a name of ours, never what somebody gave."""

    table: str

    def add(self, connection: Connection, documents: Sequence[Document]) -> None:
        """Let documents be found; none may be there yet."""
        if connection.dialect.name == "sqlite":
            statement = f"INSERT INTO {self.table} (rowid, words) VALUES (:n, :words)"
        else:
            statement = (
                f"INSERT INTO {self.table} VALUES (:n, CAST(:words AS tsvector))"
            )
        self._run(connection, statement, documents)

    def remove(self, connection: Connection, documents: Sequence[Document]) -> None:
        """Let documents be found no more; they must be as they were added."""
        if connection.dialect.name == "sqlite":
            name = self.table
            statement = (
                f"INSERT INTO {name} ({name}, rowid, words) "
                "VALUES ('delete', :n, :words)"
            )
            self._run(connection, statement, documents)
            return
        for some in chunks(document.number for document in documents):
            statement = f"DELETE FROM {self.table} WHERE number = ANY(:some)"
            connection.execute(text(statement), {"some": some})

    def find(
        self, connection: Connection, query: str, limit: int, before: int | None = None
    ) -> list[int]:
        """Return the numbers of the newest hits (below `before`), newest first."""
        parsed = parse_query(query)
        if not parsed.wanted or limit < 1:
            return []
        if connection.dialect.name == "sqlite":
            return self._find_fts(connection, parsed, limit, before)
        return self._find_blocks(connection, parsed, limit, before)

    def clear(self, connection: Connection) -> None:
        """Forget every document."""
        if connection.dialect.name == "sqlite":
            name = self.table
            connection.execute(
                text(f"INSERT INTO {name} ({name}) VALUES ('delete-all')")
            )
        else:
            connection.execute(text(f"DELETE FROM {self.table}"))

    def count(self, connection: Connection) -> int:
        """Return how many documents there are."""
        counted = f"SELECT count(*) FROM {self.table}"
        if connection.dialect.name == "sqlite":
            counted = f"SELECT count(*) FROM {self.table}_docsize"
        return int(connection.execute(text(counted)).scalar_one())

    def _run(
        self, connection: Connection, statement: str, documents: Sequence[Document]
    ) -> None:
        write = " ".join if connection.dialect.name == "sqlite" else None
        rows = [
            {
                "n": document.number,
                "words": write(document.words) if write else vector_of(document),
            }
            for document in documents
        ]
        if rows:
            connection.execute(text(statement), rows)

    def _find_fts(
        self, connection: Connection, query: Query, limit: int, before: int | None
    ) -> list[int]:
        bound = "" if before is None else "AND rowid < :before"
        statement = (
            f"SELECT rowid FROM {self.table} WHERE {self.table} MATCH :query {bound} "
            "ORDER BY rowid DESC LIMIT :limit"
        )
        given = {"query": _fts(query), "limit": limit, "before": before}
        return list(connection.execute(text(statement), given).scalars())

    def _find_blocks(
        self, connection: Connection, query: Query, limit: int, before: int | None
    ) -> list[int]:
        if before is None:
            newest = text(f"SELECT max(number) FROM {self.table}")
            before = 1 + (connection.execute(newest).scalar_one() or 0)
        found = self._find_near(connection, query, limit, before)
        for level, shift in enumerate(_SHIFTS[1:], start=1):
            block = (before - 1) >> shift
            if len(found) >= limit or (before - 1) >> _SHIFTS[level - 1] <= 1:
                return found
            if not found:
                break  # it is rare: all of its hits are few
            near = _blocks(level, block, block - 1)
            whole = f"{_tsquery(query)} & {near}"
            found = self._find_gin(connection, whole, limit, before)
        if len(found) >= limit:
            return found
        return self._find_gin(connection, _tsquery(query), limit, before)

    def _find_near(
        self, connection: Connection, query: Query, limit: int, before: int
    ) -> list[int]:
        """Look through the newest blocks, and as many more as the rest should need."""
        shift = _SHIFTS[0]
        first = (before - 1) >> shift
        whole = f"{_tsquery(query)} & {_blocks(0, first, first - 1)}"
        found = self._find_gin(connection, whole, limit, before)
        if not found or len(found) >= limit or first <= 1:
            return found
        seen = before - ((first - 1) << shift)
        wanted = 1.5 * seen * (limit - len(found)) / len(found)
        more = int(wanted) >> shift
        if more >= _MOST_BLOCKS:
            return found
        oldest = max(0, first - 2 - more)
        whole = f"{_tsquery(query)} & {_blocks(0, *range(oldest, first - 1))}"
        return found + self._find_gin(connection, whole, limit - len(found), before)

    def _find_gin(
        self, connection: Connection, query: str, limit: int, before: int
    ) -> list[int]:
        # materialised, or the planner may walk back through all numbers instead
        statement = (
            f"WITH hits AS MATERIALIZED (SELECT number FROM {self.table} "
            "WHERE words @@ CAST(:query AS tsquery)) "
            "SELECT number FROM hits WHERE number < :before "
            "ORDER BY number DESC LIMIT :limit"
        )
        given = {"query": query, "limit": limit, "before": before}
        return list(connection.execute(text(statement), given).scalars())


ARTICLES = TextIndex("search_articles")
"""Articles by `seq`, with the title and text of their newest revision."""
STORIES = TextIndex("search_stories")
"""Stories by `number`, with their headline and keywords."""


def _fts(query: Query) -> str:
    def phrase(one: Phrase) -> str:
        return f'"{" ".join(one.words)}"{" *" if one.prefix else ""}'

    wanted = " AND ".join(map(phrase, query.wanted))
    unwanted = "".join(f" NOT {phrase(one)}" for one in query.unwanted)
    return f"({wanted}){unwanted}"


def _tsquery(query: Query) -> str:
    def phrase(one: Phrase) -> str:
        last = len(one.words) - 1
        words = (
            f"'{word}'{':*' if one.prefix and place == last else ''}"
            for place, word in enumerate(one.words)
        )
        return f"({' <-> '.join(words)})"

    unwanted = [f"!{phrase(one)}" for one in query.unwanted]
    return " & ".join([*map(phrase, query.wanted), *unwanted])


def vector_of(document: Document) -> str:
    """Return the words with their positions, as PostgreSQL writes a tsvector."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(document.words, start=1):
        places.setdefault(word, []).append(place)
    # it keeps 255 positions of a word, and no more
    parts = [f"'{w}':{','.join(map(str, at[:255]))}" for w, at in places.items()]
    blocks = (_block(n, document.number >> s) for n, s in enumerate(_SHIFTS))
    return " ".join([*parts, *(f"'{block}'" for block in blocks)])


def _blocks(level: int, *numbers: int) -> str:
    """Return the query for documents in one of these blocks."""
    return f"({' | '.join(repr(_block(level, number)) for number in numbers)})"


def _block(level: int, number: int) -> str:
    return f"#{level}:{number}"
