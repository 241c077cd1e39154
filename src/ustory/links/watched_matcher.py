"""Which new articles are of a watched story, by its phrases or by its examples."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlsplit

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.article import Article, PreparedArticle, TermCounts
from ustory.core.errors import ConfigError
from ustory.core.protocols import TextPipeline
from ustory.core.rules import Rule, Within
from ustory.core.spans import EPOCH
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.background import Background
from ustory.links.guidance import Guidance, Watched
from ustory.links.prior import probability
from ustory.links.sentence_terms import in_order
from ustory.links.word_candidates import body_rows, lead_rows
from ustory.links.word_scan import Rows
from ustory.window.panes import day_of
from ustory.window.unassigned import open_article
from ustory.window.vocabulary import Vocabulary

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
class WatchedPhrase:
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


def phrases(watched: Sequence[Watched], pipeline: TextPipeline) -> list[WatchedPhrase]:
    """Return all keywords, entities and categories; one without a word is refused."""
    found: list[WatchedPhrase] = []
    for story, each in enumerate(watched):
        for kind in (KEYWORD, ENTITY, CATEGORY):
            for text in dict.fromkeys(getattr(each, kind)):
                counts = pipeline.count((text,), each.lang)
                if not len(counts.tf):
                    raise ConfigError(
                        f"watched story {each.name!r}: {text!r} in {kind} is made of "
                        "words that every article has; leave it out"
                    )
                found.append(WatchedPhrase(story, kind, text, counts))
    return found


@dataclass(frozen=True, slots=True)
class PhraseIndex:
    """Phrases under a vocabulary, weighed by how few articles have them."""

    phrases: Sequence[WatchedPhrase]
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
        phrases: Sequence[WatchedPhrase],
        numbers: Sequence[Indices],
        idf: Vector,
        articles: float,
    ) -> PhraseIndex:
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


LIKELY = 0.5
"""Probability from which an article is of the story that an example is of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedMatch:
    """The watched story that an article is of, as far as its words say."""

    name: str
    strength: float
    """From 0.5 to 1."""
    RULES: ClassVar[tuple[Rule, ...]] = (Within(0, 1, "strength"),)


@dataclass(frozen=True, slots=True)
class StreamStats:
    """What the stream has shown when articles arrive."""

    vocabulary: Vocabulary
    background: Background
    """With the new articles in it."""
    log_odds: Callable[[Vector, Vector], Vector]
    """That two articles tell one story, by the word cosines of bodies and leads."""


class WatchedMatcher:
    """Looks for watched stories in new articles; it remembers nothing of them."""

    def __init__(self, guidance: Guidance, pipeline: TextPipeline) -> None:
        self.guidance = guidance
        self._watched = guidance.watched
        self._phrases = phrases(guidance.watched, pipeline)
        self._examples = _examples(guidance.watched, pipeline)

    def matches(
        self, new: Sequence[LinkedArticle], urls: Mapping[str, str], known: StreamStats
    ) -> dict[str, WatchedMatch]:
        """Return the watched story of each new article that is of one: the surest.

        Of two that are equally sure it is the one that was named first. `urls`
        are addresses by article id, where known.
        """
        if not new or not self._watched:
            return {}
        sought, like = self._looked_up(new, known)
        found: dict[str, WatchedMatch] = {}
        for row, article in enumerate(new):
            sure = sought.found_in(article, urls.get(article.id, ""))
            for story, strength in like[row].items():
                sure[story] = max(strength, sure.get(story, 0.0))
            inside = [s for s in sorted(sure) if _is_inside(article, self._watched[s])]
            if inside:
                best = max(inside, key=sure.__getitem__)
                found[article.id] = WatchedMatch(
                    name=self._watched[best].name, strength=sure[best]
                )
        return found

    def _looked_up(
        self, new: Sequence[LinkedArticle], known: StreamStats
    ) -> tuple[PhraseIndex, list[dict[int, float]]]:
        """Return phrases and likenesses under the vocabulary of the moment."""
        parts = [phrase.counts for phrase in self._phrases]
        parts += [prepared.counts for _, prepared in self._examples]
        larger, numbers = known.vocabulary.grown(parts)
        n = known.background.articles
        # a term that nobody has is as rare as one that a single article has
        idf = np.full(len(larger), math.log1p(n))
        seen = known.background.idf
        idf[: len(seen)][seen > 0] = seen[seen > 0]
        split = len(self._phrases)
        sought = PhraseIndex.of(self._phrases, numbers[:split], idf, n)
        return sought, self._like(new, numbers[split:], idf, known)

    def _like(
        self,
        new: Sequence[LinkedArticle],
        numbers: Sequence[Indices],
        idf: Vector,
        known: StreamStats,
    ) -> list[dict[int, float]]:
        """Return for each article the stories whose examples it is like."""
        found: list[dict[int, float]] = [{} for _ in new]
        if not numbers:
            return found
        examples = [
            linked_articles(
                in_order([(prepared, open_article(prepared, 0, terms))]), 0
            )[0]
            for (_, prepared), terms in zip(self._examples, numbers, strict=True)
        ]
        body = _cosines(body_rows(examples, idf), body_rows(new, idf), len(idf))
        lead = _cosines(lead_rows(examples, idf), lead_rows(new, idf), len(idf))
        example, article = body.nonzero()
        if not len(example):
            return found
        near, early = body[example, article], lead[example, article]
        likely = probability(known.log_odds(near, early))
        for at in np.flatnonzero(likely >= LIKELY).tolist():
            story, row = self._examples[example[at]][0], int(article[at])
            found[row][story] = max(float(likely[at]), found[row].get(story, 0.0))
        return found


def _examples(
    watched: Sequence[Watched], pipeline: TextPipeline
) -> list[tuple[int, PreparedArticle]]:
    """Return each example as an article, with the place of its story."""
    found = []
    for place, each in enumerate(watched):
        for text in each.examples:
            article = Article(id="", published_at=EPOCH, text=text, lang=each.lang)
            sentences = pipeline.split(article)
            counts = pipeline.count(sentences, each.lang)
            if not len(counts.tf):
                raise ConfigError(
                    f"watched story {each.name!r}: the example {text!r:.60} has no "
                    "word to compare; leave it out"
                )
            vectors = np.zeros((len(sentences), 1), dtype=np.float32)
            prepared = PreparedArticle(
                article=article, sentences=sentences, counts=counts, vectors=vectors
            )
            found.append((place, prepared))
    return found


def _cosines(some: Rows, others: Rows, vocabulary: int) -> sparse.csr_array:
    return sparse.csr_array(_table(some, vocabulary) @ _table(others, vocabulary).T)


def _table(rows: Rows, vocabulary: int) -> sparse.csr_array:
    values = rows.values.astype(np.float64)
    shape = len(rows.start) - 1, vocabulary
    return sparse.csr_array((values, rows.terms, rows.start), shape=shape)


def _is_inside(article: LinkedArticle, watched: Watched) -> bool:
    """Say whether an article was published within a story's timeline."""
    after = watched.since is None or article.day >= day_of(watched.since)
    return after and (watched.until is None or article.day < day_of(watched.until))
