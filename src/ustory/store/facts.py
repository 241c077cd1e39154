"""Facts about articles and stories as packed columns, to filter and count by.

A search may find half of all articles; their dates, outlets and stories are then read
from a few hundred blocks of 1,024 rows, and not row by row. A block is one value of
the database, written by whoever changes its rows, in the same transaction. Blocks that
were read are kept in memory by the digest of their content, up to a limit.
docs/reference/search.md explains how they are used.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from sqlalchemy import (
    Column,
    Connection,
    LargeBinary,
    MetaData,
    Table,
    delete,
    select,
)

from ustory.store.columns import Number, TextType
from ustory.store.mapping import chunks, upsert

Rows: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""A structured array."""
Numbers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

BLOCK = 1_024
"""Rows of a block."""
_MAX_BYTES = 64_000_000
"""Bytes of blocks that are kept in memory."""

SEARCH_TABLES = MetaData()
"""Tables that are made from the others, and are in no archive of its own."""
blocks = Table(
    "search_blocks",
    SEARCH_TABLES,
    Column("kind", TextType, primary_key=True),
    Column("block", Number, primary_key=True, autoincrement=False),
    Column("digest", TextType, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

LIVE, EXPIRED, MERGED = 1, 2, 3
STATUS_NUMBERS = {"live": LIVE, "expired": EXPIRED, "merged": MERGED}


@dataclass(frozen=True, slots=True)
class FactKind:
    """A kind of rows: its name in the database, and its columns."""

    name: str
    fields: np.dtype[Any]

    @property
    def empty(self) -> Rows:
        """A block in which nothing is there."""
        return np.zeros(BLOCK, dtype=self.fields)


ARTICLE_FACTS = FactKind(
    "articles",
    np.dtype(
        [
            ("there", "<i4"),
            ("story", "<i4"),
            ("source", "<i4"),
            ("lang", "<i4"),
            ("published", "<i8"),
        ]
    ),
)
"""Articles by `seq`. `story` is the number of a story, `source` and `lang` are those
of names; 0 is none. `published` is in microseconds."""
STORY_FACTS = FactKind(
    "stories",
    np.dtype(
        [
            ("status", "<i4"),
            ("lang", "<i4"),
            ("articles", "<i8"),
            ("first_seen", "<i8"),
            ("last_seen", "<i8"),
            ("heat", "<f8"),
        ]
    ),
)
"""Stories by `number`; `status` is 0 where there is none."""
PAIRS = np.dtype([("story", "<i4"), ("source", "<i4")])
_PAIRS = "sources"
"""The kind of blocks that list the sources of the stories of a block, in pairs."""


class _Cache:
    """Blocks by digest, the least used forgotten first. Mutable, for any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._lock = Lock()
        self._rows: OrderedDict[tuple[str, str], Rows] = OrderedDict()

    def get(self, key: tuple[str, str]) -> Rows | None:
        with self._lock:
            found = self._rows.get(key)
            if found is not None:
                self._rows.move_to_end(key)
            return found

    def put(self, key: tuple[str, str], rows: Rows) -> None:
        with self._lock:
            if key in self._rows:
                return
            self._rows[key] = rows
            self._held += rows.nbytes
            while self._held > self._most and self._rows:
                _, gone = self._rows.popitem(last=False)
                self._held -= gone.nbytes


_cache = _Cache(_MAX_BYTES)


class Facts:
    """The rows of one kind as a connection sees them; blocks are read when needed."""

    def __init__(self, connection: Connection, kind: FactKind) -> None:
        self._connection = connection
        self._kind = kind
        self._digests = _digests(connection, kind.name)

    def of(self, numbers: Numbers) -> Rows:
        """Return the rows of some numbers, which ascend; zeros where there is none."""
        found = np.zeros(len(numbers), dtype=self._kind.fields)
        places = numbers // BLOCK
        first, last = (int(places[0]), int(places[-1])) if len(places) else (0, -1)
        edges = np.searchsorted(places, np.arange(first, last + 2))
        wanted = [
            n for n, at in enumerate(np.diff(edges), first) if at and n in self._digests
        ]
        digests = {n: self._digests[n] for n in wanted}
        kind = self._kind
        rows = _load(self._connection, kind.name, kind.fields, digests)
        for n in wanted:
            begin, end = edges[n - first], edges[n - first + 1]
            found[begin:end] = rows[n][numbers[begin:end] - n * BLOCK]
        return found

    def of_none(self) -> tuple[Numbers, Rows]:
        """Return no numbers and no rows."""
        return np.zeros(0, dtype=np.int64), self._kind.empty[:0]

    def whole(self) -> tuple[Numbers, Rows]:
        """Return all numbers that have a block, and their rows."""
        rows = _load(
            self._connection, self._kind.name, self._kind.fields, self._digests
        )
        if not rows:
            return self.of_none()
        every = np.concatenate(
            [np.arange(n * BLOCK, (n + 1) * BLOCK, dtype=np.int64) for n in rows]
        )
        return every, np.concatenate(list(rows.values()))


def story_sources(connection: Connection) -> Rows:
    """Return every source of every story, as pairs of numbers."""
    rows = _load(connection, _PAIRS, PAIRS, _digests(connection, _PAIRS))
    return np.concatenate([np.zeros(0, dtype=PAIRS), *rows.values()])


def write_facts(
    connection: Connection, kind: FactKind, numbers: Sequence[int], rows: Rows
) -> None:
    """Set the rows of some numbers, one for each; zeros take a row away."""
    given = np.asarray(numbers, dtype=np.int64)
    places = given // BLOCK
    touched = sorted({int(place) for place in places})
    old = _present(connection, kind.name, kind.fields, touched)
    new: dict[int, Rows] = {}
    for place in touched:
        here = places == place
        new[place] = old[place].copy() if place in old else kind.empty
        new[place][given[here] - place * BLOCK] = rows[here]
    _write(connection, kind.name, new)


def write_sources(
    connection: Connection, sources: Mapping[int, Collection[int]]
) -> None:
    """Set the sources of some stories, by their numbers."""
    touched = sorted({story // BLOCK for story in sources})
    old = _present(connection, _PAIRS, PAIRS, touched)
    new: dict[int, Rows] = {}
    for place in touched:
        here = {story: s for story, s in sources.items() if story // BLOCK == place}
        pairs = [(story, one) for story, some in here.items() for one in some]
        kept = old.get(place, np.zeros(0, dtype=PAIRS))
        kept = kept[~np.isin(kept["story"], list(here))]
        new[place] = np.sort(np.concatenate([kept, np.array(pairs, dtype=PAIRS)]))
    _write(connection, _PAIRS, new)


def clear_facts(connection: Connection) -> None:
    """Forget all facts."""
    connection.execute(delete(blocks))


def _digests(connection: Connection, kind: str) -> dict[int, str]:
    query = select(blocks.c.block, blocks.c.digest).where(blocks.c.kind == kind)
    rows = connection.execute(query.order_by(blocks.c.block))
    return {int(row[0]): str(row[1]) for row in rows}


def _present(
    connection: Connection, kind: str, fields: np.dtype[Any], places: Iterable[int]
) -> dict[int, Rows]:
    """Return the blocks there are among some, as they are in this transaction."""
    known: dict[int, str] = {}
    for some in chunks(places):
        query = select(blocks.c.block, blocks.c.digest)
        query = query.where(blocks.c.kind == kind, blocks.c.block.in_(some))
        known |= {int(row[0]): str(row[1]) for row in connection.execute(query)}
    return _load(connection, kind, fields, known)


def _load(
    connection: Connection, kind: str, fields: np.dtype[Any], wanted: Mapping[int, str]
) -> dict[int, Rows]:
    """Return blocks by number, from memory or from the database."""
    found: dict[int, Rows] = {}
    missing: list[int] = []
    for number, digest in wanted.items():
        rows = _cache.get((kind, digest))
        if rows is None:
            missing.append(number)
        else:
            found[number] = rows
    for some in chunks(missing):
        query = select(blocks.c.block, blocks.c.data)
        query = query.where(blocks.c.kind == kind, blocks.c.block.in_(some))
        for number, data in connection.execute(query):
            rows = np.frombuffer(bytes(data), dtype=fields)
            _cache.put((kind, wanted[int(number)]), rows)
            found[int(number)] = rows
    return {number: found[number] for number in sorted(found)}


def _write(connection: Connection, kind: str, new: Mapping[int, Rows]) -> None:
    rows = []
    for number, block in new.items():
        data = block.tobytes()
        digest = blake2b(data, digest_size=12).hexdigest()
        row = {"kind": kind, "block": number, "digest": digest, "data": data}
        rows.append(row)
    upsert(connection, blocks, rows)
