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
PAIRS = np.dtype([("story", "<i4"), ("name", "<i4")])
SOURCES, LANGS = "sources", "langs"
"""Kinds of blocks that list the outlets, or the languages, of the stories of a block in
pairs: a story, and the number of a name."""


class _Block:
    """The rows of a block, and each of its columns by itself once it was needed.

    Columns are far faster to pick from than rows. Mutable in that alone.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._columns: dict[str, Rows] = {}

    def column(self, name: str) -> Rows:
        """Return one column, side by side in memory."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = np.ascontiguousarray(self.rows[name])
        return found


_Blocks: TypeAlias = dict[int, _Block]
"""Blocks by number, ascending."""


class _Cache:
    """Blocks by digest, the least used forgotten first. Mutable, for any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._lock = Lock()
        self._blocks: OrderedDict[tuple[str, str], _Block] = OrderedDict()

    def get(self, key: tuple[str, str]) -> _Block | None:
        with self._lock:
            found = self._blocks.get(key)
            if found is not None:
                self._blocks.move_to_end(key)
            return found

    def put(self, key: tuple[str, str], block: _Block) -> None:
        with self._lock:
            if key in self._blocks:
                return
            self._blocks[key] = block
            self._held += 2 * block.rows.nbytes  # the columns, too
            while self._held > self._most and self._blocks:
                _, gone = self._blocks.popitem(last=False)
                self._held -= 2 * gone.rows.nbytes


_cache = _Cache(_MAX_BYTES)


class Columns:
    """Facts of some numbers, column by column; each is picked when it is needed."""

    def __init__(self, kind: FactKind, numbers: Numbers, found: _Blocks) -> None:
        self.numbers = numbers
        self._kind = kind
        self._blocks = found
        self._picked: dict[str, Rows] = {}

    def __len__(self) -> int:
        """Return how many numbers there are."""
        return len(self.numbers)

    def __getitem__(self, name: str) -> Rows:
        """Return a column; zeros where there is no row."""
        if name not in self._picked:
            self._picked[name] = self._pick(name)
        return self._picked[name]

    def where(self, mask: Rows) -> Columns:
        """Return the facts of those for which a mask is true."""
        if mask.all():
            return self
        return Columns(self._kind, self.numbers[mask], self._blocks)

    def _pick(self, name: str) -> Rows:
        picked = np.zeros(len(self), dtype=self._kind.fields[name])
        if not len(self):
            return picked
        places = self.numbers // BLOCK
        first, last = int(places[0]), int(places[-1])
        edges = np.searchsorted(places, np.arange(first, last + 2)).tolist()
        for number, block in self._blocks.items():
            if not first <= number <= last:
                continue
            begin, end = edges[number - first], edges[number - first + 1]
            column = block.column(name)
            if end - begin == BLOCK:  # all of it
                picked[begin:end] = column
            elif end > begin:
                picked[begin:end] = column[self.numbers[begin:end] - number * BLOCK]
        return picked


class Facts:
    """The rows of one kind as a connection sees them; blocks are read when needed."""

    def __init__(self, connection: Connection, kind: FactKind) -> None:
        self._connection = connection
        self._kind = kind
        self._digests = _digests(connection, kind.name)

    def of(self, numbers: Numbers) -> Columns:
        """Return the facts of some numbers, which ascend and differ."""
        needed = set(np.unique(numbers // BLOCK).tolist())
        wanted = {n: digest for n, digest in self._digests.items() if n in needed}
        return Columns(self._kind, numbers, self._load(wanted))

    def whole(self) -> Columns:
        """Return the facts of all numbers that have a block."""
        found = self._load(self._digests)
        ranges = [np.arange(n * BLOCK, (n + 1) * BLOCK, dtype=np.int64) for n in found]
        none = np.zeros(0, dtype=np.int64)
        return Columns(self._kind, np.concatenate([none, *ranges]), found)

    def _load(self, wanted: Mapping[int, str]) -> _Blocks:
        kind = self._kind
        return _load(self._connection, kind.name, kind.fields, wanted)


def story_pairs(connection: Connection, kind: str) -> Rows:
    """Return every outlet, or every language, of every story as pairs of numbers."""
    found = _load(connection, kind, PAIRS, _digests(connection, kind))
    pairs = [block.rows for block in found.values()]
    return np.concatenate([np.zeros(0, dtype=PAIRS), *pairs])


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
        new[place] = old[place].rows.copy() if place in old else kind.empty
        new[place][given[here] - place * BLOCK] = rows[here]
    _write(connection, kind.name, new)


def write_pairs(
    connection: Connection, kind: str, names: Mapping[int, Collection[int]]
) -> None:
    """Set the outlets, or the languages, of some stories, all by their numbers."""
    touched = sorted({story // BLOCK for story in names})
    old = _present(connection, kind, PAIRS, touched)
    new: dict[int, Rows] = {}
    for place in touched:
        here = {story: s for story, s in names.items() if story // BLOCK == place}
        pairs = [(story, one) for story, some in here.items() for one in some]
        kept = old[place].rows if place in old else np.zeros(0, dtype=PAIRS)
        kept = kept[~np.isin(kept["story"], list(here))]
        new[place] = np.sort(np.concatenate([kept, np.array(pairs, dtype=PAIRS)]))
    _write(connection, kind, new)


def clear_facts(connection: Connection) -> None:
    """Forget all facts."""
    connection.execute(delete(blocks))


def _digests(connection: Connection, kind: str) -> dict[int, str]:
    query = select(blocks.c.block, blocks.c.digest).where(blocks.c.kind == kind)
    rows = connection.execute(query.order_by(blocks.c.block))
    return {int(row[0]): str(row[1]) for row in rows}


def _present(
    connection: Connection, kind: str, fields: np.dtype[Any], places: Iterable[int]
) -> _Blocks:
    """Return the blocks there are among some, as they are in this transaction."""
    known: dict[int, str] = {}
    for some in chunks(places):
        query = select(blocks.c.block, blocks.c.digest)
        query = query.where(blocks.c.kind == kind, blocks.c.block.in_(some))
        known |= {int(row[0]): str(row[1]) for row in connection.execute(query)}
    return _load(connection, kind, fields, known)


def _load(
    connection: Connection, kind: str, fields: np.dtype[Any], wanted: Mapping[int, str]
) -> _Blocks:
    """Return blocks by number, from memory or from the database."""
    found: _Blocks = {}
    missing: list[int] = []
    for number, digest in wanted.items():
        block = _cache.get((kind, digest))
        if block is None:
            missing.append(number)
        else:
            found[number] = block
    for some in chunks(missing):
        query = select(blocks.c.block, blocks.c.data)
        query = query.where(blocks.c.kind == kind, blocks.c.block.in_(some))
        for number, data in connection.execute(query):
            block = _Block(np.frombuffer(bytes(data), dtype=fields))
            _cache.put((kind, wanted[int(number)]), block)
            found[int(number)] = block
    return {number: found[number] for number in sorted(found)}


def _write(connection: Connection, kind: str, new: Mapping[int, Rows]) -> None:
    rows = []
    for number, block in new.items():
        data = block.tobytes()
        digest = blake2b(data, digest_size=12).hexdigest()
        row = {"kind": kind, "block": number, "digest": digest, "data": data}
        rows.append(row)
    upsert(connection, blocks, rows)
