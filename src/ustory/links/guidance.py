"""What a user may say: stories to watch, articles that are together or apart."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from itertools import chain, combinations
from pathlib import Path
from typing import Any, TypeVar

from ustory.core.errors import ConfigError

MOST_WATCHED = 1_000
MOST_WORDS = 100
"""Keywords, entities or categories of one watched story."""
MOST_EXAMPLES = 20
MOST_PAIRS = 10_000
"""Pairs of articles, counted in all that are said to be together, or apart."""
LONGEST_NAME = 200
"""Characters of a name, a keyword or an article id."""
LONGEST_EXAMPLE = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A story to be tracked, by what is known of it.

    Keywords, entities or examples say which articles may be of it; categories
    only help them, and the timeline bounds them.
    """

    name: str
    keywords: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    """Names; the rarest word of one stands for half of it."""
    categories: tuple[str, ...] = ()
    """Sections of the publisher, or subjects: looked for in address, title and lead."""
    since: datetime | None = None
    """No earlier article is of it."""
    until: datetime | None = None
    """Nor one that is not earlier than this."""
    examples: tuple[str, ...] = ()
    """Texts of articles that are of it; they need not be in the stream."""
    lang: str | None = None
    """Language of all these words, as in `Article.lang`."""

    def __post_init__(self) -> None:
        """Refuse what cannot be looked for, naming the story and the remedy."""
        _check_text(self.name, "the name of a watched story", LONGEST_NAME)
        where = f"watched story {self.name!r}"
        for field, most, longest in _LISTS:
            _set_texts(self, field, f"{where}: {field}", (most, longest))
        if self.lang is not None:
            _check_text(self.lang, f"{where}: lang", LONGEST_NAME)
        _check_timeline(self, where)
        if not (self.keywords or self.entities or self.examples):
            raise ConfigError(
                f"{where} has nothing to find it by: a category or a timeline holds "
                "many stories; give it keywords, entities or examples"
            )


_LISTS = (
    ("keywords", MOST_WORDS, LONGEST_NAME),
    ("entities", MOST_WORDS, LONGEST_NAME),
    ("categories", MOST_WORDS, LONGEST_NAME),
    ("examples", MOST_EXAMPLES, LONGEST_EXAMPLE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """All that a user says of the stories; nothing, unless given."""

    watched: tuple[Watched, ...] = ()
    together: tuple[tuple[str, ...], ...] = ()
    """Ids of articles that are always in one story: two in an entry, or more."""
    apart: tuple[tuple[str, ...], ...] = ()
    """Ids of articles that are never in one story, no two of them."""

    def __post_init__(self) -> None:
        """Refuse what contradicts itself, naming the articles."""
        object.__setattr__(self, "watched", _checked_watched(self.watched))
        for field in ("together", "apart"):
            object.__setattr__(self, field, _checked_ids(getattr(self, field), field))
        _check_contradictions(self)

    def __bool__(self) -> bool:
        """Say whether anything was said."""
        return any(getattr(self, field.name) for field in fields(self))

    @classmethod
    def load(cls, path: Path) -> Guidance:
        """Read a TOML file: `together`, `apart`, a table `[[watched]]` per story."""
        return read_guidance(path, cls, Watched)

    @property
    def closure(self) -> Closure:
        """Articles that are together with each other, through others too."""
        return Closure.of(self.together)

    @property
    def paired(self) -> frozenset[str]:
        """All articles that are said to be together with others, or apart."""
        return frozenset(chain.from_iterable(self.together + self.apart))


def _checked_watched(watched: object) -> tuple[Watched, ...]:
    """Return the stories as a tuple, no two of one name."""
    if not isinstance(watched, (tuple, list)):
        raise ConfigError(f"watched must be a list of stories, got {watched!r:.80}")
    _check_count(len(watched), MOST_WATCHED, "watched stories")
    names: set[str] = set()
    for each in watched:
        if not isinstance(each, Watched):
            raise ConfigError(f"watched must hold Watched(...) values, got {each!r}")
        if each.name in names:
            raise ConfigError(
                f"watched stories need different names; two are {each.name!r}: rename "
                "one, or write both as one"
            )
        names.add(each.name)
    return tuple(watched)


def _checked_ids(entries: object, field: str) -> tuple[tuple[str, ...], ...]:
    """Return the entries as tuples of distinct ids."""
    if not isinstance(entries, (tuple, list)):
        raise ConfigError(
            f"{field} must be a list of pairs of ids, got {entries!r:.80}"
        )
    pairs = 0
    for entry in entries:
        if not isinstance(entry, (tuple, list)) or len(entry) < 2:
            raise ConfigError(
                f"each entry of {field} must name two articles or more, got "
                f'{entry!r:.80}; write it as ["id-1", "id-2"]'
            )
        size = len(entry)
        pairs += size * (size - 1) // 2 if field == "apart" else size - 1
        _check_count(pairs, MOST_PAIRS, f"pairs in {field}")
        for article in entry:
            _check_text(article, f"an article id in {field}", LONGEST_NAME)
        if len(set(entry)) < size:
            raise ConfigError(
                f"an entry of {field} must name different articles, got "
                f"{list(entry)!r:.80}; leave the repeated id out"
            )
    return tuple(tuple(entry) for entry in entries)


def _check_contradictions(guidance: Guidance) -> None:
    closure = guidance.closure
    for entry in guidance.apart:
        for one, other in combinations(entry, 2):
            if closure.root(one) == closure.root(other):
                raise ConfigError(
                    f"articles {one!r} and {other!r} are to be apart, but `together` "
                    "puts them in one story, directly or through others; take one of "
                    "the two back"
                )


def _check_timeline(watched: Watched, where: str) -> None:
    for field in ("since", "until"):
        moment = getattr(watched, field)
        if moment is None:
            continue
        if not isinstance(moment, datetime) or moment.utcoffset() is None:
            raise ConfigError(
                f"{where}: {field} must be a time with its zone, got {moment!r}; "
                "such as datetime(2024, 3, 4, tzinfo=UTC)"
            )
    since, until = watched.since, watched.until
    if since is not None and until is not None and since >= until:
        raise ConfigError(
            f"{where}: its timeline ends before it begins, at {until} and {since}; "
            "swap since and until"
        )


def _set_texts(
    watched: Watched, field: str, what: str, limits: tuple[int, int]
) -> None:
    """Make the field a tuple of texts within the limits."""
    most, longest = limits
    texts = getattr(watched, field)
    if not isinstance(texts, (tuple, list)):
        raise ConfigError(f"{what} must be a list of texts, got {texts!r:.80}")
    _check_count(len(texts), most, what)
    for text in texts:
        _check_text(text, what, longest, lines=field == "examples")
    object.__setattr__(watched, field, tuple(texts))


def _check_count(given: int, most: int, what: str) -> None:
    if given > most:
        raise ConfigError(
            f"{what}: at most {most:,} can be given, got {given:,}; leave some out"
        )


def _check_text(text: object, what: str, longest: int, lines: bool = False) -> None:
    if not isinstance(text, str) or not text.strip():
        raise ConfigError(f"{what} must be a text, not empty; got {text!r:.80}")
    if len(text) > longest:
        raise ConfigError(
            f"{what} must have at most {longest:,} characters, got {len(text):,}; "
            "shorten it"
        )
    if not lines and any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        raise ConfigError(
            f"{what} must be printable, got {text!r:.80}; leave control characters out"
        )


LARGEST = 8 << 20
"""Bytes of a guidance file."""

Whole = TypeVar("Whole")


def read_guidance(path: Path, whole: Callable[..., Whole], part: Any) -> Whole:  # noqa: ANN401 - two dataclasses
    """Return `whole` made of the file, with its tables `[[watched]]` made `part`s."""
    table = _table(path)
    _refuse_unknown(table, whole, str(path))
    given = table.get("watched", [])
    if not isinstance(given, list) or not all(isinstance(t, dict) for t in given):
        raise ConfigError(
            f"{path}: watched must be tables; begin each story with a line [[watched]]"
        )
    watched = [_watched(t, part, _where(path, i, t)) for i, t in enumerate(given, 1)]
    return _made(whole, {**table, "watched": watched}, str(path))


def _table(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ConfigError(
                f"{path}: a guidance file must have at most {LARGEST >> 20} MiB; give "
                "fewer or shorter examples"
            )
        return tomllib.loads(data.decode())
    except OSError as error:
        raise ConfigError(f"cannot read guidance from {path}: {error}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: not a TOML file in UTF-8: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: brackets are nested too deeply") from error


def _watched(table: Mapping[str, Any], part: Any, where: str) -> Any:  # noqa: ANN401 - a dataclass
    _refuse_unknown(table, part, where)
    if "name" not in table:
        raise ConfigError(f'{where}: the story needs a name; add name = "..."')
    moments = {
        key: _moment(table[key], f"{where}: {key}", key == "until")
        for key in ("since", "until")
        if key in table
    }
    return _made(part, {**table, **moments}, where)


def _where(path: Path, number: int, table: Mapping[str, Any]) -> str:
    name = table.get("name")
    known = f" ({name!r:.60})" if isinstance(name, str) else ""
    return f"{path}, [[watched]] number {number}{known}"


def _refuse_unknown(table: Mapping[str, Any], made: Any, where: str) -> None:  # noqa: ANN401 - a dataclass
    known = [field.name for field in fields(made)]
    for key in table:
        if key in known:
            continue
        if key in ("together", "apart"):
            raise ConfigError(
                f"{where}: {key} is of the whole file; move it above the first "
                "[[watched]]"
            )
        raise ConfigError(f"{where}: no key {key!r:.60}; known are: {', '.join(known)}")


def _moment(value: object, what: str, is_end: bool) -> datetime:
    """Return a date or time of TOML in UTC; the day of an end is of the timeline."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        day = datetime(value.year, value.month, value.day, tzinfo=UTC)
        try:
            return day + timedelta(days=1) if is_end else day
        except OverflowError as error:
            raise ConfigError(f"{what} is out of range: {value}") from error
    raise ConfigError(
        f"{what} must be a date or a time, got {value!r:.60}; write it without quotes, "
        "like 2024-03-04 or 2024-03-04T12:00:00Z"
    )


def _made(made: Callable[..., Whole], values: Mapping[str, Any], where: str) -> Whole:
    try:
        return made(**values)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


@dataclass(frozen=True, slots=True)
class Closure:
    """The sets that pairs add up to."""

    roots: Mapping[str, str]
    """The first named of its set, for each that was named."""

    @classmethod
    def of(cls, entries: Iterable[Sequence[str]]) -> Closure:
        """Return the sets in which all of each entry are one.

        >>> closure = Closure.of([("a", "b"), ("c", "d"), ("b", "c")])
        >>> closure.root("d"), closure.root("e")
        ('a', 'e')
        """
        parent: dict[str, str] = {}
        order: dict[str, int] = {}
        for entry in entries:
            for name in entry:
                order.setdefault(name, len(order))
                parent.setdefault(name, name)
            first = _top(parent, entry[0])
            for name in entry[1:]:
                ends = sorted((first, _top(parent, name)), key=order.__getitem__)
                first = parent[ends[1]] = ends[0]
        return cls({name: _top(parent, name) for name in parent})

    def root(self, name: str) -> str:
        """Return what stands for a name: itself, if nothing was said of it."""
        return self.roots.get(name, name)


def _top(parent: dict[str, str], name: str) -> str:
    top = name
    while parent[top] != top:
        top = parent[top]
    while parent[name] != top:  # the next search is short
        parent[name], name = top, parent[name]
    return top
