"""Words that name a watched story, looked for in new articles."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.article import TermCounts
from ustory.core.errors import ConfigError
from ustory.core.protocols import TextPipeline
from ustory.links.article import LinkedArticle
from ustory.links.guidance import Watched

KEYWORD, ENTITY, CATEGORY = "keywords", "entities", "categories"

MENTIONED = 0.4
"""What a phrase counts that the article has, but neither its title nor its lead."""

PART = 0.5
"""What the rarest word of a name counts: people are called by their surname."""

SUBJECT = 2.0
"""What a category weighs at most: as a word that about one article in six has."""

ENOUGH = 0.5
"""Share of a story's phrases, by weight, that makes an article one of it."""

UNLIKELY = 1.5
"""Or this, times the weight of the rarest term: chance brings it to no article."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A keyword, a name or a category as terms."""

    story: int
    """Its watched story, by place."""
    kind: str
    text: str
    counts: TermCounts

    @property
    def words(self) -> Indices:
        """Where its single words are among its terms."""
        return np.flatnonzero(self.counts.second < 0)

    @property
    def pairs(self) -> Indices:
        """Where its pairs of words are, which an article must have; or its word."""
        pairs = np.flatnonzero(self.counts.second >= 0)
        return pairs if len(pairs) else self.words


def phrases(watched: Sequence[Watched], pipeline: TextPipeline) -> list[Phrase]:
    """Return all keywords, entities and categories; one without a word is refused."""
    found: list[Phrase] = []
    for story, each in enumerate(watched):
        for kind in (KEYWORD, ENTITY, CATEGORY):
            for text in dict.fromkeys(getattr(each, kind)):
                counts = pipeline.count((text,), each.lang)
                if not len(counts.tf):
                    raise ConfigError(
                        f"watched story {each.name!r}: {text!r} in {kind} is made of "
                        "words that every article has; leave it out"
                    )
                found.append(Phrase(story, kind, text, counts))
    return found


@dataclass(frozen=True, slots=True)
class Sought:
    """Phrases under a vocabulary, weighed by how few articles have them."""

    phrases: Sequence[Phrase]
    numbers: Sequence[Indices]
    """Of each phrase, its terms in the vocabulary."""
    idf: Vector
    """Of each number."""
    wanted: Mask
    """Of each number, whether a phrase has the term."""
    by_term: Mapping[int, Sequence[int]]
    """The phrases that have a term."""
    by_section: Mapping[str, Sequence[int]]
    """The categories that a part of an address may name."""
    need: Vector
    """(watched) weight from which an article is of the story."""

    @classmethod
    def of(
        cls,
        phrases: Sequence[Phrase],
        numbers: Sequence[Indices],
        idf: Vector,
        articles: float,
    ) -> Sought:
        """Return the phrases weighed among so many articles."""
        by_term: dict[int, list[int]] = defaultdict(list)
        by_section: dict[str, list[int]] = defaultdict(list)
        total: dict[int, float] = defaultdict(float)
        for place, (phrase, terms) in enumerate(zip(phrases, numbers, strict=True)):
            for term in terms.tolist():
                by_term[term].append(place)
            if phrase.kind == CATEGORY:
                by_section[phrase.text.casefold()].append(place)
            else:
                total[phrase.story] += float(idf[terms[phrase.pairs]].max())
        wanted = np.zeros(len(idf), dtype=bool)
        wanted[list(by_term)] = True
        need = np.full(1 + max((p.story for p in phrases), default=-1), np.inf)
        for story, weight in total.items():
            need[story] = min(ENOUGH * weight, UNLIKELY * math.log1p(articles))
        return cls(phrases, numbers, idf, wanted, by_term, by_section, need)

    def found_in(self, article: LinkedArticle, url: str) -> dict[int, float]:
        """Return how surely an article is of each watched story it is of: 0.5 to 1.

        Half at just enough; the more it has beyond that, the closer to 1.
        """
        has = self._has(article)
        near = {place for term in has for place in self.by_term[term]}
        parts = _path(url) if self.by_section else set()
        in_section = {p for part in parts for p in self.by_section.get(part, ())}
        weight: dict[int, float] = defaultdict(float)
        for place in sorted(near | in_section):
            weight[self.phrases[place].story] += self._weight(
                place, has, place in in_section
            )
        return {
            story: 1 - 0.5 * float(self.need[story]) / found
            for story, found in weight.items()
            if found > 0 and found >= self.need[story]
        }

    def _has(self, article: LinkedArticle) -> dict[int, bool]:
        """Return the sought terms of an article, and whether it begins with them."""
        front = article.in_title.copy()
        front[article.lead] = True
        at = np.flatnonzero(self.wanted[article.terms])
        terms = article.terms[at].tolist()
        return dict(zip(terms, front[at].tolist(), strict=True))

    def _weight(self, place: int, has: Mapping[int, bool], in_section: bool) -> float:
        """Return what a phrase adds to its story."""
        phrase, terms = self.phrases[place], self.numbers[place]
        weight = float(self.idf[terms[phrase.pairs]].max())
        words = terms[phrase.words].tolist()
        whole = all(term in has for term in terms[phrase.pairs].tolist())
        first = whole and all(has[word] for word in words)
        if phrase.kind == CATEGORY:
            return min(weight, SUBJECT) if first or in_section else 0.0
        if whole:
            return weight if first else MENTIONED * weight
        # of equals the last: surnames are
        rarest = max(reversed(words), key=self.idf.__getitem__)
        if phrase.kind == ENTITY and rarest in has:
            return PART * weight * (1.0 if has[rarest] else MENTIONED)
        return 0.0


def _path(url: str) -> set[str]:
    """Return the parts of an address's path, in which publishers name sections."""
    try:
        return {part.casefold() for part in urlsplit(url).path.split("/") if part}
    except ValueError:  # an address that is none has no sections
        return set()
