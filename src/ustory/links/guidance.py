"""What a user may say: stories to watch, articles that are together or apart."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import chain, combinations
from pathlib import Path

from ustory.core.errors import ConfigError
from ustory.links.closure import Closure
from ustory.links.guidance_file import read_guidance

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
    """Ids of articles of which no two are ever in one story."""

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
