"""Words of titles and names of outlets: what a search may have meant.

Words are kept with the number of titles they are in; outlets and languages have
numbers, by which facts name them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    Table,
    and_,
    bindparam,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from ustory.store.columns import Number, TextType
from ustory.store.facts import SEARCH_TABLES
from ustory.store.fulltext import Document
from ustory.store.mapping import add, chunks
from ustory.store.search_words import words_of

words = Table(
    "search_words",
    SEARCH_TABLES,
    Column("word", TextType, primary_key=True),
    Column("titles", Number, nullable=False),
)
names = Table(
    "search_names",
    SEARCH_TABLES,
    Column("kind", TextType, primary_key=True),
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("name", TextType, nullable=False),
)
Index("search_names_name", names.c.kind, names.c.name, unique=True)
SOURCE, LANG = "source", "lang"

_ALPHABETS = ("az", "09", "αω", "ая", "את", "ءي", "ऄह", "ცჰ")
"""The first and the last letter of alphabets in which slips are looked for."""
_LONG_WORD = 8
"""Letters from which on a word may have two slips, behind its first letters."""
_SURE = 3
"""The letters at the beginning of such a word that must be right."""
_SHORTEST = 3
_MAX_SLIPS = 2
_LONGEST_NAME = 64
"""Letters of a name in which slips are looked for."""
_MAX_NEAR = 1_000
"""Words with the same beginning that are compared."""


def add_words(connection: Connection, documents: Iterable[Document]) -> None:
    """Count the words of new titles."""
    counts = _counted(documents)
    if not counts:
        return
    make = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    new = make(words)
    more = {"titles": words.c.titles + new.excluded.titles}
    statement = new.on_conflict_do_update(index_elements=["word"], set_=more)
    rows = [{"word": word, "titles": n} for word, n in sorted(counts.items())]
    connection.execute(statement, rows)


def remove_words(connection: Connection, documents: Iterable[Document]) -> None:
    """Take the words of titles back; a word that is in no title is forgotten."""
    counts = _counted(documents)
    if not counts:
        return
    here = words.c.word == bindparam("gone")
    less = {"titles": words.c.titles - bindparam("by")}
    given = [{"gone": word, "by": n} for word, n in sorted(counts.items())]
    connection.execute(update(words).where(here).values(**less), given)
    for some in chunks(counts):
        none = words.c.word.in_(some) & (words.c.titles <= 0)
        connection.execute(delete(words).where(none))


def _counted(documents: Iterable[Document]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for each in documents:
        counts.update(set(each.title_words))
    return counts


def clear_words(connection: Connection) -> None:
    """Forget all words and names."""
    connection.execute(delete(words))
    connection.execute(delete(names))


def count_titles(connection: Connection, word: str) -> int:
    """Return how many titles have a word."""
    query = select(words.c.titles).where(words.c.word == word)
    return int(connection.execute(query).scalar() or 0)


def begin_with(connection: Connection, prefix: str, limit: int) -> list[str]:
    """Return the most common words of titles that begin with some letters."""
    if not prefix:
        return []
    query = select(words.c.word).where(_beginning(prefix))
    query = query.order_by(words.c.titles.desc(), words.c.word).limit(limit)
    return list(connection.execute(query).scalars())


def _beginning(prefix: str) -> ColumnElement[bool]:
    # the last character there is: in the order of bytes nothing follows it
    return and_(words.c.word >= prefix, words.c.word <= f"{prefix}\U0010ffff")


def nearest_word(connection: Connection, word: str) -> str | None:
    """Return the most common word of titles that is one slip away, None without one.

    A slip is a letter too many, too few, another one, or two exchanged. A long word
    may have two, where its first letters are right.
    """
    if len(word) < _SHORTEST:
        return None
    found: dict[str, int] = {}
    for some in chunks(sorted(slips(word))):
        query = select(words.c.word, words.c.titles).where(words.c.word.in_(some))
        found |= {row[0]: row[1] for row in connection.execute(query)}
    if not found and len(word) >= _LONG_WORD:
        found = _two_slips(connection, word)
    return min(found, key=lambda near: (-found[near], near), default=None)


def _two_slips(connection: Connection, word: str) -> dict[str, int]:
    start = word[:_SURE]
    query = select(words.c.word, words.c.titles).where(_beginning(start))
    length = func.length(words.c.word, type_=Integer)
    near = length.between(len(word) - _MAX_SLIPS, len(word) + _MAX_SLIPS)
    query = query.where(near).order_by(words.c.titles.desc(), words.c.word)
    rows = connection.execute(query.limit(_MAX_NEAR)).all()
    return {row[0]: row[1] for row in rows if distance(row[0], word) <= _MAX_SLIPS}


def distance(one: str, other: str) -> int:
    """Return how many slips lead from one word to another.

    >>> distance("earthquake", "eatrhquake"), distance("storm", "strom")
    (1, 1)
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        row = [at]
        for to, wanted in enumerate(other, start=1):
            best = min(last[to] + 1, row[-1] + 1, last[to - 1] + (letter != wanted))
            swapped = at > 1 and to > 1 and one[at - 2 : at] == wanted + other[to - 2]
            row.append(min(best, before[to - 2] + 1) if swapped else best)
        before, last = last, row
    return last[-1]


def slips(word: str) -> frozenset[str]:
    """Return what one slip may make of a word, without the word itself.

    >>> {"earthqake", "eatrhquake", "earthquaker"} <= slips("earthquake")
    True
    """
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    letters = _letters(word)
    found = {a + b[1:] for a, b in cuts if b}
    found |= {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    found |= {a + letter + b[1:] for a, b in cuts if b for letter in letters}
    found |= {a + letter + b for a, b in cuts for letter in letters}
    return frozenset(found - {word, ""})


def _letters(word: str) -> list[str]:
    """Return the alphabets that the letters of a word are from."""
    return [
        letter
        for alphabet in _alphabets()
        if not alphabet.isdisjoint(word)
        for letter in sorted(alphabet)
    ]


@cache
def _alphabets() -> tuple[frozenset[str], ...]:
    return tuple(
        frozenset(map(chr, range(ord(ends[0]), ord(ends[1]) + 1)))
        for ends in _ALPHABETS
    )


def numbers_of(
    connection: Connection, kind: str, wanted: Collection[str], *, make: bool = False
) -> dict[str, int]:
    """Return the numbers of names; `make` gives one to each that has none."""
    known: dict[str, int] = {}
    for some in chunks(sorted(wanted)):
        query = select(names.c.name, names.c.number)
        query = query.where(names.c.kind == kind, names.c.name.in_(some))
        known |= {row[0]: int(row[1]) for row in connection.execute(query)}
    new = sorted(set(wanted) - known.keys()) if make else []
    if new:
        highest = select(func.max(names.c.number)).where(names.c.kind == kind)
        first = 1 + (connection.execute(highest).scalar_one() or 0)
        made = {name: first + place for place, name in enumerate(new)}
        rows = [{"kind": kind, "number": n, "name": name} for name, n in made.items()]
        add(connection, names, rows)
        known |= made
    return known


def all_names(connection: Connection, kind: str) -> dict[int, str]:
    """Return every name of a kind, by number."""
    query = select(names.c.number, names.c.name).where(names.c.kind == kind)
    rows = connection.execute(query.order_by(names.c.number))
    return {int(row[0]): str(row[1]) for row in rows}


def forget_names(connection: Connection, kind: str, gone: Collection[str]) -> None:
    """Forget names that nothing has any more."""
    for some in chunks(sorted(gone)):
        here = (names.c.kind == kind) & names.c.name.in_(some)
        connection.execute(delete(names).where(here))


def meant(known: Iterable[str], wanted: str) -> list[str]:
    """Return the names that somebody means who wrote `wanted`.

    Names that differ in case, accents and punctuation alone are one outlet. Without
    such a name those are meant that hold the words side by side, else those that are
    one slip away.

    >>> outlets = ["CNN (Web News)", "Vox", "Fox News", "fox news"]
    >>> meant(outlets, "fox news"), meant(outlets, "FOX News"), meant(outlets, "cnn")
    (['Fox News', 'fox news'], ['Fox News', 'fox news'], ['CNN (Web News)'])
    >>> meant(outlets, "vxo"), meant(outlets, "nobody")
    (['Vox'], [])
    """
    every = sorted(known)
    bare = plain_name(wanted)
    if not bare:
        return [wanted] if wanted in every else []
    plain = {name: plain_name(name) for name in every}
    return next((list(found) for found in _guesses(plain, bare) if found), [])


@lru_cache(maxsize=20_000)
def plain_name(name: str) -> tuple[str, ...]:
    """Return the words of a name: outlets with the same words are one."""
    return tuple(words_of(name))


def _guesses(
    plain: dict[str, tuple[str, ...]], bare: Sequence[str]
) -> Iterator[Sequence[str]]:
    """Yield ever more generous guesses at a name."""
    yield [name for name, own in plain.items() if own == bare]
    phrase = f" {' '.join(bare)} "
    yield [name for name, own in plain.items() if phrase in f" {' '.join(own)} "]
    joined = "".join(bare)
    yield [name for name, own in plain.items() if "".join(own) == joined]
    if _SHORTEST <= len(joined) <= _LONGEST_NAME:
        yield [name for name, own in plain.items() if _is_near("".join(own), joined)]


def _is_near(name: str, written: str) -> bool:
    return abs(len(name) - len(written)) <= 1 and distance(name, written) <= 1
