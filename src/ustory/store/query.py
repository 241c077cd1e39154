"""Lists of stories: filters, sorts, pages, totals, and counts to filter by.

Everything is computed from packed facts (`store/facts.py`): all stories that pass are
known, so that totals and counts are exact; only the rows of a page are read whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import Column, Connection, Double, select

from ustory.core.errors import ConfigError
from ustory.core.spans import EPOCH, microseconds
from ustory.store.best import as_it_stands, count_before, first_by
from ustory.store.columns import Number
from ustory.store.facts import (
    LANGS,
    SOURCES,
    STATUS_NUMBERS,
    STORY_FACTS,
    Columns,
    Facts,
    Numbers,
    story_pairs,
)
from ustory.store.mapping import (
    RowPage,
    chunks,
    decode_cursor,
    encode_cursor,
    load_all,
)
from ustory.store.search import (
    Mask,
    Search,
    Values,
    among,
    meant_numbers,
    stories_having,
)
from ustory.store.tables import StoryRow, stories, story_keywords
from ustory.store.vocabulary import LANG, SOURCE, all_names, plain_name

RELEVANCE = "relevance"
SORTS: Mapping[str, tuple[str, ...]] = {
    "heat": ("heat", "last_seen"),
    "size": ("articles",),
    "recent": ("last_seen",),
    "new": ("first_seen",),
    RELEVANCE: ("relevance", "last_seen"),
}
"""The columns of each sort, all descending; the last key is the number of a story."""
STATUSES = tuple(STATUS_NUMBERS)
SIZES: Mapping[str, tuple[int, int | None]] = {
    "small": (0, 2),
    "medium": (3, 9),
    "large": (10, None),
}
"""Names of sizes, with the least and the most articles."""
AGES: Mapping[str, timedelta] = {
    "6h": timedelta(hours=6),
    "1d": timedelta(days=1),
    "3d": timedelta(days=3),
    "7d": timedelta(days=7),
}
"""Names of ages: the newest article is not older."""
MAX_NAMED = 12
"""Outlets and languages that are counted by name, the most common first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryQuery:
    """Which stories, in which order, and which page of them."""

    status: str | None = None
    """`live`, `expired` or `merged`; None means live and expired."""
    since: datetime | None = None
    """Its newest article is not older."""
    until: datetime | None = None
    """Its oldest article is older."""
    keyword: str | None = None
    source: str | None = None
    """An outlet, as somebody wrote its name (`vocabulary.meant`)."""
    lang: str | None = None
    """With an article in it; `pt` means `pt-BR`, too."""
    size: str | None = None
    """One of `SIZES`."""
    text: str | None = None
    """What it is searched by (`search_query.parse_query`)."""
    sort: str = "heat"
    limit: int = 20
    cursor: str | None = None

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses to list."""
        return ("live", "expired") if self.status is None else (self.status,)


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetCounts:
    """How many stories each value of a filter would show, the other filters kept."""

    sources: Mapping[str, int] = field(default_factory=dict)
    langs: Mapping[str, int] = field(default_factory=dict)
    statuses: Mapping[str, int] = field(default_factory=dict)
    ages: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Selection:
    """The stories that pass filters, not read yet; `masks` has one for each filter."""

    numbers: Numbers
    rows: Columns
    masks: Mapping[str, Mask]
    relevance: Values

    @classmethod
    def of(
        cls, connection: Connection, query: StoryQuery, search: Search | None = None
    ) -> Selection:
        """Return the stories of a query; `search` is given where its text was found."""
        _check(query)
        if query.text is not None and search is None:
            search = Search.of(connection, query.text)
        facts = Facts(connection, STORY_FACTS)
        if search is None:
            rows = facts.whole()
            relevance = np.zeros(len(rows))
        else:
            rows, relevance = facts.of(search.stories), search.story_scores
        masks = dict(_masks(connection, query, rows))
        return cls(rows.numbers, rows, masks, relevance)

    def passing(self, without: str = "") -> Mask:
        """Return which stories pass all filters, or all but one."""
        kept = self.rows["status"] > 0
        for name, mask in self.masks.items():
            if name != without:
                kept = kept & mask
        return kept

    @property
    def total(self) -> int:
        """How many stories pass."""
        return int(np.count_nonzero(self.passing()))

    def keys(self, sort: str, kept: Mask) -> list[Any]:
        """Return the sort keys of the stories that are kept."""
        columns = (
            self.relevance if name == RELEVANCE else self.rows[name]
            for name in SORTS[sort]
        )
        return [*(column[kept] for column in columns), self.numbers[kept]]


def list_stories(
    connection: Connection, query: StoryQuery, selection: Selection | None = None
) -> RowPage[StoryRow]:
    """Return a page of stories, with the number of all that pass."""
    chosen = selection or Selection.of(connection, query)
    kept = chosen.passing()
    keys = chosen.keys(query.sort, kept)
    after = as_it_stands(keys, _after(query))
    places = first_by(keys, query.limit + 1, after)
    numbers = keys[-1][places[: query.limit]]
    cursor = None
    if len(places) > query.limit:
        last = places[query.limit - 1]
        cursor = encode_cursor((query.sort, *(key[last].item() for key in keys)))
    items = stories_by_number(connection, numbers.tolist())
    total = int(np.count_nonzero(kept))
    return RowPage(items, cursor, total=total, before=count_before(keys, after))


def count_facets(
    connection: Connection, selection: Selection, now: datetime
) -> FacetCounts:
    """Return what each filter would leave; ages are counted back from `now`."""
    rows = selection.rows
    status = rows["status"][selection.passing("status")]
    articles = rows["articles"][selection.passing("size")]
    seen = rows["last_seen"][selection.passing("since")]
    ages = {
        name: int(np.count_nonzero(seen >= microseconds(now - span - EPOCH)))
        for name, span in AGES.items()
    }
    return FacetCounts(
        sources=_by_source(connection, selection),
        langs=_by_lang(connection, selection),
        statuses={
            name: int(np.count_nonzero(status == number))
            for name, number in STATUS_NUMBERS.items()
        },
        ages=ages,
        sizes={name: int(np.count_nonzero(_sized(articles, name))) for name in SIZES},
    )


def story_numbers(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return the numbers of stories, by id."""
    found: dict[str, int] = {}
    for some in chunks(ids):
        query = select(stories.c.id, stories.c.number).where(stories.c.id.in_(some))
        found |= {row[0]: int(row[1]) for row in connection.execute(query)}
    return found


def stories_by_number(connection: Connection, numbers: Sequence[int]) -> list[StoryRow]:
    """Return stories in the order of these numbers."""
    found: dict[int, StoryRow] = {}
    for some in chunks(numbers):
        query = select(stories).where(stories.c.number.in_(some))
        named = select(stories.c.number).where(stories.c.number.in_(some))
        order = connection.execute(named.order_by(stories.c.number)).scalars()
        rows = load_all(connection, query.order_by(stories.c.number), StoryRow)
        found |= dict(zip(order, rows, strict=True))
    return [found[number] for number in numbers if number in found]


def _check(query: StoryQuery) -> None:
    if query.sort not in SORTS:
        raise ConfigError(
            f"stories are sorted by {', '.join(SORTS)}; got {query.sort!r}"
        )
    if query.status not in (None, *STATUSES):
        raise ConfigError(
            f"a story's status is {', '.join(STATUSES)}; got {query.status!r}"
        )
    if query.size not in (None, *SIZES):
        raise ConfigError(f"a story's size is {', '.join(SIZES)}; got {query.size!r}")
    if query.limit < 1:
        raise ConfigError(f"a page holds at least one story; got {query.limit}")


def _after(query: StoryQuery) -> tuple[Any, ...] | None:
    if query.cursor is None:
        return None
    floats = ("heat", "relevance")
    columns: list[Column[Any]] = [
        Column(name, Double() if name in floats else Number)
        for name in (*SORTS[query.sort], "number")
    ]
    return decode_cursor(query.cursor, query.sort, columns)


def _masks(connection: Connection, query: StoryQuery, rows: Columns) -> Any:  # noqa: ANN401 - an iterator of names and masks
    """Yield the filters of a query by name, each with the stories that pass it."""
    statuses = [STATUS_NUMBERS[name] for name in query.statuses]
    yield "status", np.isin(rows["status"], statuses)
    if query.size is not None:
        yield "size", _sized(rows["articles"], query.size)
    if query.since is not None:
        yield "since", rows["last_seen"] >= microseconds(query.since - EPOCH)
    if query.until is not None:
        yield "until", rows["first_seen"] < microseconds(query.until - EPOCH)
    for kind, asked in ((LANG, query.lang), (SOURCE, query.source)):
        if asked is not None:
            having = stories_having(
                connection, kind, meant_numbers(connection, kind, asked)
            )
            yield kind, among(rows.numbers, having)
    if query.keyword is not None:
        yield "keyword", among(rows.numbers, _with_keyword(connection, query.keyword))


def _sized(articles: Any, name: str) -> Mask:  # noqa: ANN401 - an array of counts
    least, most = SIZES[name]
    mask: Mask = articles >= least
    return mask if most is None else mask & (articles <= most)


def _with_keyword(connection: Connection, keyword: str) -> Numbers:
    """Return the stories with a keyword; its case makes no difference."""
    written = sorted({keyword, keyword.lower()})
    query = select(stories.c.number).join(
        story_keywords, story_keywords.c.story == stories.c.id
    )
    rows = connection.execute(query.where(story_keywords.c.keyword.in_(written)))
    return np.array(sorted(set(rows.scalars())), dtype=np.int64)


def _by_source(connection: Connection, selection: Selection) -> dict[str, int]:
    """Return how many stories each outlet has; its spellings are one outlet."""
    kept = selection.numbers[selection.passing("source")]
    pairs = story_pairs(connection, SOURCES)
    pairs = pairs[among(pairs["story"].astype(np.int64), kept)]
    names = all_names(connection, SOURCE)
    usual = np.bincount(pairs["name"], minlength=1 + max(names, default=0))
    first: dict[tuple[str, ...], int] = {}
    one = np.arange(len(usual))
    for number in sorted(names, key=lambda n: (-int(usual[n]), names[n])):
        plain = plain_name(names[number]) or (names[number],)
        one[number] = first.setdefault(plain, number)
    both = pairs["story"].astype(np.int64) * len(one) + one[pairs["name"]]
    return _named(connection, SOURCE, np.bincount(np.unique(both) % len(one)))


def _by_lang(connection: Connection, selection: Selection) -> dict[str, int]:
    """Return how many stories have an article in each language, as filters count."""
    kept = selection.numbers[selection.passing("lang")]
    pairs = story_pairs(connection, LANGS)
    pairs = pairs[among(pairs["story"].astype(np.int64), kept)]
    names = all_names(connection, LANG)
    size = 1 + max(names, default=0)
    story = pairs["story"].astype(np.int64) * size
    found = [story + pairs["name"]]
    found += [
        story[np.isin(pairs["name"], own)] + wider
        for wider, own in _narrower(names).items()
        if len(own) > 1
    ]
    both = np.unique(np.concatenate(found))
    return _named(connection, LANG, np.bincount(both % size))


def _narrower(names: Mapping[int, str]) -> dict[int, list[int]]:
    """Return the languages that each means: `pt` means `pt-BR` and `PT`, too."""
    written: dict[str, list[int]] = {}
    for number, name in names.items():
        written.setdefault(name.lower(), []).append(number)
    found: dict[int, list[int]] = {number: [] for number in names}
    for number, name in names.items():
        parts = name.lower().split("-")
        for size in range(1, len(parts) + 1):
            for wider in written.get("-".join(parts[:size]), ()):
                found[wider].append(number)
    return found


def _named(
    connection: Connection, kind: str, counts: np.ndarray[Any, np.dtype[np.intp]]
) -> dict[str, int]:
    """Return the most common names with their counts; number 0 has no name."""
    names = all_names(connection, kind)
    found = [
        (-int(counts[n]), names[n])
        for n in np.flatnonzero(counts).tolist()
        if n in names
    ]
    return {name: -count for count, name in sorted(found)[:MAX_NAMED]}
