"""A stream of many languages made from labelled pairs, for want of a real one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from ustory.core.article import Article
from ustory_bench.quality.pair_data import PairSet

FIRST = datetime(2020, 3, 2, tzinfo=UTC)
DAYS = 30
"""Days that stories begin on."""
LASTS = timedelta(hours=36)
"""Within which all articles of a story appear, and those they are told apart from."""

TITLE_WORDS = 12
TITLE_SIGNS = 28
"""The same of scripts without spaces."""

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_LINE = re.compile(r"\n|\s{2,}|(?<=[.!?。！？؟])\s")


class Together:
    """Groups of what belongs together (union and find). Mutable."""

    def __init__(self, names: Iterable[str]) -> None:
        self._up = {name: name for name in names}

    def join(self, one: str, other: str) -> None:
        """Put two groups together; the smaller name stands for both."""
        low, high = sorted((self.of(one), self.of(other)))
        self._up[high] = low

    def of(self, name: str) -> str:
        """Return the name that stands for a group."""
        while self._up[name] != name:
            self._up[name] = self._up[self._up[name]]
            name = self._up[name]
        return name


def true_stories(chosen: PairSet) -> dict[str, str]:
    """Return the story of each article: what pairs join, however far apart.

    Translations of one article are of one story, too. Left out are articles of pairs
    on which those who were asked did not agree, and stories of which two articles are
    said to be of different ones.
    """
    pairs, original = chosen.pairs, chosen.original
    unsure = {end for p in pairs if p.same is None for end in (p.one, p.other)}
    sure = [p for p in pairs if not {p.one, p.other} & unsure]
    ends = dict.fromkeys(end for p in sure for end in (p.one, p.other))
    groups = Together([*ends, *(original[end] for end in ends)])
    for end in ends:
        groups.join(end, original[end])
    for pair in sure:
        if pair.same:
            groups.join(pair.one, pair.other)
    torn = {
        groups.of(p.one)
        for p in sure
        if not p.same and groups.of(p.one) == groups.of(p.other)
    }
    return {end: story for end in ends if (story := groups.of(end)) not in torn}


def stand_in(pairs: PairSet, titles: bool) -> list[Article]:
    """Return the articles of pairs as a labelled stream, oldest first.

    Stories begin on days by a hash of their name, and their articles follow within
    `LASTS` by a hash of theirs. Stories that a pair tells apart begin on one day, for
    only so are they hard to tell apart. `titles`: each article is its title alone.
    """
    story = true_stories(pairs)
    near = Together([*story, *story.values()])
    for end, label in story.items():
        near.join(end, label)
    for pair in pairs.pairs:
        if pair.one in story and pair.other in story:
            near.join(pair.one, pair.other)
    made = []
    for name, label in story.items():
        moment = FIRST + DAYS * timedelta(days=_share(near.of(name)))
        article = replace(
            pairs.articles[name],
            published_at=_minute(moment + LASTS * _share(name)),
            label=label,
        )
        if titles:
            article = replace(article, title=title_of(article), text="")
        if article.title.strip() or article.text.strip():
            made.append(article)
    return sorted(made, key=lambda each: (each.published_at, each.id))


def title_of(article: Article) -> str:
    """Return the title of an article, or the first words of its text as one.

    >>> title_of(Article(id="a", published_at=FIRST, text="Rain.  More is to come."))
    'Rain.'
    """
    if article.title.strip():
        return " ".join(article.title.split())
    first = next((line for line in _LINE.split(article.text) if line.strip()), "")
    words = first.split()
    if _UNSPACED.search(first):
        return first.strip()[:TITLE_SIGNS]
    return " ".join(words[:TITLE_WORDS])


def sizes(articles: Sequence[Article]) -> Mapping[int, int]:
    """Return how many stories have how many articles."""
    count: dict[str | None, int] = defaultdict(int)
    for article in articles:
        count[article.label] += 1
    found: dict[int, int] = defaultdict(int)
    for size in count.values():
        found[size] += 1
    return dict(sorted(found.items()))


def _share(name: str) -> float:
    """Return a number from 0 to 1 that a name always has."""
    return int(sha256(name.encode()).hexdigest()[:8], 16) / 2**32


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)
