"""Labelled pairs of articles, in one language and across two: for testing only."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory_bench.quality.streams import PLACES

FILES = ("semeval22-t8", "tg-2019")
"""Names of the files of pairs. Nothing may be fitted on them."""

WHEN = datetime(2020, 4, 1, 12, tzinfo=UTC)
"""When all articles of pairs are said to have appeared: their time says nothing."""

_NUMBERS = re.compile(r"[a-z]+-(\d+)[a-z]*_(\d+)[a-z]*-[a-z]+")
"""The id of a pair that names its articles by numbers. Some have several texts: as they
were written, and translated by a machine, into other languages or back and forth."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two articles, by their ids, and whether they report one story."""

    id: str
    one: str
    other: str
    same: bool | None
    """None: those who were asked did not agree."""


@dataclass(frozen=True, slots=True)
class PairSet:
    """The pairs of some files and their articles, each of which is there once."""

    name: str
    articles: Mapping[str, Article]
    pairs: Sequence[LabelledPair]
    original: Mapping[str, str]
    """What each article is a translation of: the same for all that are of one."""

    def languages(self, pair: LabelledPair) -> tuple[str, str]:
        """Return the languages of a pair, in order of the alphabet."""
        both = (self.articles[end].lang or "" for end in (pair.one, pair.other))
        one, other = sorted(both)
        return one, other

    def only(self, pairs: Sequence[LabelledPair]) -> PairSet:
        """Return some of the pairs with their articles."""
        ends = dict.fromkeys(end for pair in pairs for end in (pair.one, pair.other))
        articles = {end: self.articles[end] for end in ends}
        original = {end: self.original[end] for end in ends}
        return PairSet(self.name, articles, pairs, original)


def pair_file(name: str) -> Path | None:
    """Return the file of some pairs, None if it is absent."""
    paths = (place / "pairs" / f"{name}.jsonl.gz" for place in PLACES)
    return next((path for path in paths if path.is_file()), None)


def load_pairs(name: str) -> PairSet:
    """Return the pairs of a file by its name."""
    path = pair_file(name)
    if path is None:
        raise ConfigError(
            f"no labelled pairs named {name!r} here; put {name}.jsonl.gz into "
            "shared/data/pairs"
        )
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return read_pairs(name, map(json.loads, lines))


def read_pairs(name: str, lines: Iterable[Mapping[str, Any]]) -> PairSet:
    """Return pairs from lines that have `a`, `b` and `same`.

    Of two texts of an article in one language the first is kept. A pair that is there
    twice counts once, and has no answer if it has two. A pair of one article with
    itself is left out.
    """
    articles: dict[str, Article] = {}
    original: dict[str, str] = {}
    pairs: dict[tuple[str, str], LabelledPair] = {}
    for line in lines:
        numbers = _NUMBERS.fullmatch(line["id"])
        names = numbers.groups() if numbers else (None, None)
        one, other = (
            _article(line[side], known) for side, known in zip("ab", names, strict=True)
        )
        for each, number in zip((one, other), names, strict=True):
            articles.setdefault(each.id, each)
            original.setdefault(each.id, number or each.id)
        ends = (min(one.id, other.id), max(one.id, other.id))
        if one.id == other.id:
            continue
        before, same = pairs.get(ends), line["same"]
        if before is None:
            pairs[ends] = LabelledPair(line["id"], *ends, same)
        elif before.same != same:
            pairs[ends] = LabelledPair(before.id, *ends, None)
    return PairSet(name, articles, list(pairs.values()), original)


def merged(sets: Sequence[PairSet]) -> PairSet:
    """Return the pairs of several files as one set."""
    articles = {name: each for part in sets for name, each in part.articles.items()}
    return PairSet(
        "+".join(part.name for part in sets),
        articles,
        [pair for part in sets for pair in part.pairs],
        {name: each for part in sets for name, each in part.original.items()},
    )


def _article(side: Mapping[str, Any], number: str | None) -> Article:
    title, text = side["title"] or "", side["text"] or ""
    content = " ".join(f"{title} {text}".split())
    return Article(
        id=f"{number}-{side['lang']}" if number else _digest(content),
        published_at=WHEN,
        title=title,
        text=text,
        lang=side["lang"],
    )


def _digest(content: str) -> str:
    return sha256(content.encode()).hexdigest()[:16]
