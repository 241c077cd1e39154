"""Stories that have left the window, bounded, with an index over their terms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Indices, Matrix, SentenceVectors, Vector
from ustory.core.rules import FAR, MAX_DAYS, Alike, Arrays, Keyed, Rule, Within
from ustory.links.article import LinkedArticle
from ustory.links.word_candidates import body_rows
from ustory.links.word_scan import Rows, postings
from ustory.window.vocabulary import Vocabulary


class TermIndex:
    """Finds the profiles that share terms with a query, and touches no others.

    It never changes. A new one is made of the last, so that only terms of profiles
    that are new have to be read.
    """

    __slots__ = ("_first", "_number", "_profiles", "_row", "_rows", "_weight")

    def __init__(
        self, profiles: Mapping[str, Profile], last: TermIndex | None = None
    ) -> None:
        self._profiles = list(profiles.values())
        self._number: dict[str, int] = {}
        """Terms of profiles, those of forgotten ones too, until they are half."""
        old: Mapping[str, tuple[Profile, Indices]] = {}
        if last is not None and len(last._number) <= 2 * _entries(self._profiles):
            self._number, old = dict(last._number), last._rows
        self._rows: dict[str, tuple[Profile, Indices]] = {}
        for profile in self._profiles:
            known = old.get(profile.story)
            same = known is not None and known[0] is profile
            self._rows[profile.story] = (
                known if known and same else (profile, self._numbered(profile.terms))
            )
        self._first, self._row, self._weight = self._postings()

    def _numbered(self, terms: Sequence[str]) -> Indices:
        number = self._number
        return np.array(
            [number.setdefault(term, len(number)) for term in terms], dtype=np.int32
        )

    def _postings(self) -> tuple[Indices, Indices, Vector]:
        """Return where each term's entries begin, their profiles and weights."""
        if not self._number:  # as loops would say, which take a while to be loaded
            none64 = np.zeros(0, dtype=np.float64)
            return np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int32), none64
        none = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
        parts = [row for _, row in self._rows.values()]
        start = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        terms = np.concatenate([none[0], *parts])
        weights = np.concatenate([none[1], *(p.weights for p in self._profiles)])
        room = np.zeros(len(self._number) + 2, dtype=np.int64)
        first, row, value = postings(Rows(start, terms, weights), room)
        return first, row, value.astype(np.float64)

    def likeness(
        self, terms: Sequence[str], weights: Vector, least: float = 0.0
    ) -> dict[str, float]:
        """Return the product of weighted terms with each profile that has any.

        Products below `least` are left out.
        """
        numbers = [self._number.get(term, -1) for term in terms]
        known = np.array(numbers, dtype=np.int64)
        weights, known = weights[known >= 0], known[known >= 0]
        start, sizes = self._first[known], self._first[known + 1] - self._first[known]
        ends = np.cumsum(sizes)
        entry = np.arange(ends[-1] if len(ends) else 0)
        entry += np.repeat(start - (ends - sizes), sizes)
        row = self._row[entry]
        products = np.repeat(weights, sizes) * self._weight[entry]
        # bincount adds in the order of the query: sums do not depend on numbering
        total = np.bincount(row, products, len(self._profiles))
        has = np.zeros(len(self._profiles), dtype=bool)
        has[row] = True
        near = np.flatnonzero(has & (total >= least))
        return {self._profiles[i].story: float(total[i]) for i in near.tolist()}


def _entries(profiles: Sequence[Profile]) -> int:
    return sum(len(profile.terms) for profile in profiles)


TERMS = 64
"""Terms that a profile keeps at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A story in a few kilobytes; no headline, no text, no article."""

    story: str
    terms: tuple[str, ...]
    """Its strongest terms as text, strongest first: term numbers do not last."""
    weights: Matrix
    """(terms,) the mean of the articles' unit rows of weighted words."""
    vector: SentenceVectors
    """(dim,) the mean of the articles' vectors."""
    first: float
    """When its first article was published that is in here, in days since the epoch."""
    last: float
    """The same of its last."""
    articles: int
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("float32", "weights"),
        Arrays("float16", "vector"),
        Alike("terms", "weights"),
        Within(0, 2, "weights"),
        Within(-2, 2, "vector"),
        Within(-MAX_DAYS, MAX_DAYS, "first", "last"),
        Within(1, FAR, "articles"),
    )

    def and_(self, later: Profile) -> Profile:
        """Return one profile of both; each counts by its articles."""
        articles = self.articles + later.articles
        weight: dict[str, float] = defaultdict(float)
        vector = np.zeros(len(self.vector))
        for part in (self, later):
            share = part.articles / articles
            vector += share * part.vector
            for term, value in zip(part.terms, part.weights.tolist(), strict=True):
                weight[term] += share * value
        terms, weights = _strongest(weight)
        return Profile(
            story=self.story,
            terms=terms,
            weights=weights,
            vector=vector.astype(np.float16),
            first=min(self.first, later.first),
            last=max(self.last, later.last),
            articles=articles,
        )


def profile_of(
    story: str, articles: Sequence[LinkedArticle], idf: Vector, vocabulary: Vocabulary
) -> Profile:
    """Return what is kept of some articles of a story.

    Words are weighed by what is common in the stream now, as they are for links.
    """
    numbers, means = mean_row(body_rows(articles, idf))
    # a margin, since equal weights are put in order of their text, not their number
    likely = np.argsort(-means, kind="stable")[: 4 * TERMS]
    words = vocabulary.written(numbers[likely])
    terms, weights = _strongest(dict(zip(words, means[likely].tolist(), strict=True)))
    days = [article.day for article in articles]
    return Profile(
        story=story,
        terms=terms,
        weights=weights,
        vector=mean_vector(articles).astype(np.float16),
        first=min(days),
        last=max(days),
        articles=len(articles),
    )


def mean_row(rows: Rows) -> tuple[Indices, Vector]:
    """Return the terms that some rows have, ascending, and the mean weight of each."""
    terms, place = np.unique(rows.terms, return_inverse=True)
    total = np.bincount(place, rows.values.astype(np.float64), len(terms))
    return terms, total / max(len(rows.start) - 1, 1)


def mean_vector(articles: Sequence[LinkedArticle]) -> Vector:
    """Return the mean of the articles' vectors."""
    rows = np.array([article.vector for article in articles], dtype=np.float64)
    return np.asarray(rows.mean(axis=0))


def _strongest(weight: Mapping[str, float]) -> tuple[tuple[str, ...], Matrix]:
    """Return the strongest terms and their weights; of equals the first by text."""
    kept = sorted(
        ((term, value) for term, value in weight.items() if value > 0),
        key=lambda item: (-item[1], item[0]),
    )[:TERMS]
    return tuple(term for term, _ in kept), np.array(
        [value for _, value in kept], dtype=np.float32
    )


MAX_ARCHIVED_STORIES = 5_000
"""Profiles that are kept; at about 5 kB each, 25 MB."""


class Archive:
    """The profiles of stories whose articles have left the window, some or all.

    It never changes: keeping and forgetting make a new one. The story that was
    seen last longest ago is the first to be forgotten.
    """

    COLUMNS: ClassVar = {"profiles": Mapping[str, Profile]}
    """What a snapshot writes down; the index follows from it."""
    RULES: ClassVar[tuple[Rule, ...]] = (Keyed("profiles", "story"),)

    __slots__ = ("_index", "_most", "_profiles")

    def __init__(
        self,
        profiles: Mapping[str, Profile] | None = None,
        most: int = MAX_ARCHIVED_STORIES,
    ) -> None:
        self._most = most
        self._profiles = _latest((profiles or {}).values(), most)
        self._index = TermIndex(self._profiles)

    def __len__(self) -> int:
        return len(self._profiles)

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """By story; seen last longest ago first, of equals in order of their ids."""
        return self._profiles

    def with_(self, profiles: Iterable[Profile]) -> Archive:
        """Return an archive with more profiles; one of a known story is added to it."""
        return self._changed((), profiles)

    def without(self, stories: Iterable[str]) -> Archive:
        """Return an archive without some stories."""
        return self._changed(stories, ())

    def likeness(
        self, terms: Sequence[str], weights: Vector, least: float = 0.0
    ) -> dict[str, float]:
        """Return the product of weighted terms with each story that has any of them.

        Only these stories are touched: each term names the stories that have it.
        Those with a product below `least` are left out.
        """
        return self._index.likeness(terms, weights, least)

    def after_leaving(
        self,
        gone: Sequence[tuple[str, LinkedArticle]],
        idf: Vector,
        vocabulary: Vocabulary,
    ) -> Archive:
        """Return an archive that remembers articles, each given with its story."""
        if not gone:
            return self
        left: defaultdict[str, list[LinkedArticle]] = defaultdict(list)
        for story, article in sorted(gone, key=lambda pair: pair[1].serial):
            left[story].append(article)
        return self.with_(
            profile_of(story, articles, idf, vocabulary)
            for story, articles in left.items()
        )

    def after_settling(
        self, before: Mapping[str, str], after: Mapping[str, str]
    ) -> Archive:
        """Return an archive in which a story that merged is part of its heir.

        `before` and `after` tell the stories of the window's articles. A merged
        id is never to come back, so what left of it counts as its heir's past.
        """
        merged = set(before.values()) - set(after.values())
        past = [self._profiles[s] for s in sorted(merged) if s in self._profiles]
        if not past:
            return self
        heirs: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for article, story in before.items():
            if story in merged and article in after:
                heirs[story][after[article]] += 1
        return self._changed(
            [profile.story for profile in past],
            [
                replace(profile, story=_largest(heirs[profile.story]))
                for profile in past
                if heirs[profile.story]
            ],
        )

    def _changed(self, out: Iterable[str], into: Iterable[Profile]) -> Archive:
        profiles = dict(self._profiles)
        for story in out:
            profiles.pop(story, None)
        for profile in sorted(into, key=_seen):
            old = profiles.get(profile.story)
            profiles[profile.story] = profile if old is None else old.and_(profile)
        other = Archive(most=self._most)
        other._profiles = _latest(profiles.values(), self._most)
        other._index = TermIndex(other._profiles, self._index)
        return other


def _latest(profiles: Iterable[Profile], most: int) -> dict[str, Profile]:
    """Return the profiles seen last, in order of that."""
    ordered = sorted(profiles, key=_seen)
    return {p.story: p for p in ordered[max(len(ordered) - most, 0) :]}


def _seen(profile: Profile) -> tuple[float, str]:
    return profile.last, profile.story


def _largest(stories: Counter[str]) -> str:
    return min(stories, key=lambda story: (-stories[story], story))
