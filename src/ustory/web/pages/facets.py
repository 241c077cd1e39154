"""Filters of a list as links with counts, and what is chosen, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ustory.store.vocabulary import plain_name
from ustory.web.models.search import FacetsOut
from ustory.web.pages.now_query import SIZE_WORDS, SORTS, SPANS, STATUSES, NowQuery
from ustory.web.pages.reader_language import language


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a filter: its words, its address, how many it shows."""

    words: str
    path: str
    count: int | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter with its values."""

    name: str
    """Its parameter."""
    title: str
    choices: Sequence[Choice]

    @property
    def chosen(self) -> str:
        """The words of what is chosen; empty while it is anything."""
        words = next((each.words for each in self.choices if each.chosen), "")
        return "" if words.startswith("Any") else words


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is used: in words, and the address without it."""

    words: str
    path: str


def facets_of(asked: NowQuery, counts: FacetsOut) -> list[Facet]:
    """Return the filters of a list, with how many stories each would show."""
    statuses = {
        "": counts.status.get("live", 0),
        "expired": counts.status.get("expired", 0),
        "merged": counts.status.get("merged", 0),
        "all": counts.status.get("live", 0) + counts.status.get("expired", 0),
    }
    if asked.q:  # a search shows live and ended stories unless told otherwise
        statuses = {"all": statuses["all"], "live": statuses.pop("")} | statuses
    words = {**STATUSES, "live": "Live"}
    return [
        Facet(
            "status",
            "Status",
            [
                Choice(
                    words[value],
                    asked.path(status="" if asked.q and value == "all" else value),
                    count,
                    value == asked.status_name,
                )
                for value, count in statuses.items()
            ],
        ),
        Facet("source", "Outlet", _named(asked, "source", counts.source)),
        Facet("lang", "Language", _named(asked, "lang", counts.lang)),
        Facet("within", "Age", _fixed(asked, "within", SPANS, counts.within)),
        Facet("size", "Size", _fixed(asked, "size", SIZE_WORDS, counts.size)),
        *([] if asked.show else [_orders(asked)]),
    ]


def _named(asked: NowQuery, name: str, counts: Mapping[str, int]) -> list[Choice]:
    chosen = _spelled(getattr(asked, name), counts)
    words = language if name == "lang" else str
    some = counts if not chosen or chosen in counts else {chosen: None, **counts}
    every = Choice("Any", asked.path(**{name: ""}), None, chosen=not chosen)
    return [
        every,
        *(
            Choice(words(value), asked.path(**{name: value}), count, value == chosen)
            for value, count in some.items()
        ),
    ]


def _spelled(chosen: str, counts: Mapping[str, int]) -> str:
    """Return a value as it is counted, where case alone differs."""
    plain = plain_name(chosen)
    return next((v for v in counts if chosen and plain_name(v) == plain), chosen)


def _fixed(
    asked: NowQuery, name: str, words: Mapping[str, str], counts: Mapping[str, int]
) -> list[Choice]:
    chosen = getattr(asked, name)
    other = {"since": ""} if name == "within" else {}
    return [
        Choice(
            said,
            asked.path(**{name: value}, **other),
            counts.get(value),
            value == chosen,
        )
        for value, said in words.items()
    ]


def _orders(asked: NowQuery) -> Facet:
    usual = "relevance" if asked.q else "heat"
    choices = [
        Choice(
            words,
            asked.path(sort="" if value == usual else value),
            None,
            value == asked.order,
        )
        for value, words in SORTS.items()
        if asked.q or value != "relevance"
    ]
    return Facet("sort", "Order", choices)


def chips_of(asked: NowQuery, outlets: Sequence[str] = ()) -> list[Chip]:
    """Return the filters that are used, each with the address without it."""
    found: list[Chip] = []
    if asked.q:
        found.append(Chip(f"“{asked.q}”", asked.path(q="", show="")))
    if asked.status:
        words = STATUSES.get(asked.status, asked.status.capitalize())
        found.append(Chip(words, asked.path(status="")))
    for name, words in _words(asked, outlets):
        found.append(Chip(words, asked.path(**{name: ""})))
    return found


def _words(asked: NowQuery, outlets: Sequence[str]) -> Iterable[tuple[str, str]]:
    if asked.source:
        named = outlets[0] if len(outlets) == 1 else asked.source
        yield "source", f"Outlet: {named}"
    if asked.lang:
        yield "lang", language(asked.lang)
    if asked.keyword:
        yield "keyword", f"Keyword: {asked.keyword}"
    if asked.within:
        yield "within", SPANS[asked.within]
    if asked.size:
        yield "size", SIZE_WORDS[asked.size]
    if asked.since:
        yield "since", f"Since {asked.since[:10]}"
    if asked.until:
        yield "until", f"Begun before {asked.until[:10]}"


def in_words(asked: NowQuery, count: int) -> str:
    """Return what a list shows: how many stories, and which.

    >>> in_words(NowQuery(source="Vox", within="1d"), 17)
    '17 live stories covered by Vox, with an article of the last day'
    >>> in_words(NowQuery(q="storm", lang="de"), 1)
    '1 story, live or ended, in German'
    """
    status = asked.status_name
    before = {"": "live ", "live": "live ", "expired": "ended ", "merged": "merged "}
    noun = "story" if count == 1 else "stories"
    said = f"{count:,} {before.get(status, '')}{noun}"
    if status == "all":
        said += ", live or ended"
    parts = [words.format(value) for words, value in _clauses(asked) if value]
    if not parts:
        return said
    return f"{said}{', ' if status == 'all' else ' '}{', '.join(parts)}"


def _clauses(asked: NowQuery) -> list[tuple[str, str]]:
    """Return each filter as a clause, with its value in words; empty if not used."""
    return [
        ("covered by {}", asked.source),
        ("in {}", language(asked.lang) if asked.lang else ""),
        ("with the keyword {}", asked.keyword),
        (
            "with an article of the {}",
            SPANS[asked.within].lower() if asked.within else "",
        ),
        ("of {}", SIZE_WORDS[asked.size] if asked.size else ""),
        ("with articles since {}", asked.since[:10]),
        ("begun before {}", asked.until[:10]),
    ]
