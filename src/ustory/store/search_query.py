"""What people type into a search, read: words, phrases, alternatives and filters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ustory.core.errors import ConfigError
from ustory.store.search_words import word_pattern, words_of

_MOST_PHRASES = 32
"""Phrases of a search, alternatives included; each is looked up by itself."""
_MOST_PREFIXES = 4
"""Beginnings of words in a search: each stands for many words."""
_SHORTEST_PREFIX = 2
_LONGEST_PHRASE = 200
"""Words of a phrase; a text without spaces is one."""
_LONGEST_QUERY = 1_000

_PART = re.compile(r'(-?)(?:(source|lang|after|before):)?(?:"([^"]*)"?|(\S+))', re.I)
_OR = "OR"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand side by side; the last may be the beginning of a word."""

    words: tuple[str, ...]
    prefix: bool = False
    others: tuple[Phrase, ...] = ()
    """Phrases that do as well."""

    @property
    def choices(self) -> tuple[Phrase, ...]:
        """The phrase alone, and its alternatives."""
        return (replace(self, others=()), *self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFilter:
    """What an article must be, besides having the words."""

    sources: tuple[str, ...] = ()
    """Names of outlets as somebody wrote them; one of them is enough."""
    not_sources: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()
    not_langs: tuple[str, ...] = ()
    after: datetime | None = None
    """It was published on that day or later."""
    before: datetime | None = None
    """It was published before that day."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: every phrase of `wanted`, none of `unwanted`."""

    wanted: tuple[Phrase, ...] = ()
    unwanted: tuple[Phrase, ...] = ()
    filter: ArticleFilter = ArticleFilter()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is looked for."""
        return not self.wanted and self.filter == ArticleFilter()


def parse_query(text: str) -> Query:
    """Return what a person looks for.

    Words must all be there, `"words in quotes"` side by side, `word*` begins a word,
    `-word` must not be there, and of `storm OR flood` one is enough. `source:`,
    `lang:`, `after:2024-03-01` and `before:` say which articles.

    >>> parse_query('storm -"old bridge" har*').unwanted
    (Phrase(words=('old', 'bridge'), prefix=False, others=()),)
    >>> [len(each.choices) for each in parse_query("storm OR flood bridge").wanted]
    [2, 1]
    >>> parse_query('source:"Harbour Post" quake').filter.sources
    ('Harbour Post',)
    """
    wanted: list[Phrase] = []
    unwanted: list[Phrase] = []
    filters = ArticleFilter()
    joined = False
    for minus, name, value, quoted in _parts(text):
        if name:
            filters = _with(filters, name.lower(), value, negative=bool(minus))
            continue
        if value == _OR and not quoted:
            joined = bool(wanted)
            continue
        words = tuple(words_of(value))[:_LONGEST_PHRASE]
        if not words:
            continue
        phrase = Phrase(words, prefix=value.endswith("*") and not quoted)
        if minus:
            unwanted.append(phrase)
        elif joined:
            wanted[-1] = replace(wanted[-1], others=(*wanted[-1].others, phrase))
        else:
            wanted.append(phrase)
        joined = False
    _check(wanted, unwanted)
    return Query(tuple(wanted), tuple(unwanted), filters)


def _check(wanted: Sequence[Phrase], unwanted: Sequence[Phrase]) -> None:
    """Refuse a search that would take too long."""
    every = [*(choice for phrase in wanted for choice in phrase.choices), *unwanted]
    begun = [phrase for phrase in every if phrase.prefix]
    if len(every) > _MOST_PHRASES:
        raise ConfigError(
            f"a search may have {_MOST_PHRASES} words at most; got {len(every)}"
        )
    if len(begun) > _MOST_PREFIXES:
        raise ConfigError(
            f"a search may have {_MOST_PREFIXES} beginnings of words, such as quak*, "
            f"at most; got {len(begun)}"
        )
    short = [p.words[-1] for p in begun if len(p.words[-1]) < _SHORTEST_PREFIX]
    if any(word.isascii() for word in short):
        raise ConfigError(
            f"the beginning of a word needs {_SHORTEST_PREFIX} letters at least; got "
            f"{short[0]}*"
        )


def with_words(text: str, mends: Mapping[str, str]) -> str:
    """Return a search with some words replaced, and its filters as they were.

    >>> with_words("stom source:stom -stom", {"stom": "storm"})
    'storm source:stom -stom'
    """

    def part(found: re.Match[str]) -> str:
        if found[1] or found[2]:
            return found[0]
        return word_pattern().sub(word, found[0])

    def word(found: re.Match[str]) -> str:
        plain = words_of(found[0])
        return mends.get(plain[0], found[0]) if len(plain) == 1 else found[0]

    return _PART.sub(part, text[:_LONGEST_QUERY])


def _parts(text: str) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the parts of a query: minus, name of a filter, value, and if in quotes."""
    for minus, name, quoted, plain in _PART.findall(text[:_LONGEST_QUERY]):
        yield minus, name, quoted or plain, bool(quoted)


def _with(
    filters: ArticleFilter, name: str, value: str, *, negative: bool
) -> ArticleFilter:
    if name in ("after", "before"):
        if negative:
            raise ConfigError(f"{name}: cannot be negated; use {_other(name)}: instead")
        moment = _day(name, value)
        if name == "after":
            return replace(filters, after=moment)
        return replace(filters, before=moment)
    value = value.strip()
    if not value:
        return filters
    if name == "lang":
        value = value.lower()
    field = f"not_{name}s" if negative else f"{name}s"
    some: Any = (*getattr(filters, field), value)[:_MOST_PHRASES]
    return replace(filters, **{field: some})


def _other(name: str) -> str:
    return "before" if name == "after" else "after"


def _day(name: str, value: str) -> datetime:
    if _DAY.fullmatch(value):
        try:
            return datetime.fromisoformat(value).replace(tzinfo=UTC)
        except ValueError:
            pass  # the 31st of June
    raise ConfigError(f"{name}: takes a day such as 2024-03-07; got {value[:40]!r}")
