"""Which new articles are of a watched story, by its phrases or by its examples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from ustory.core.arrays import Indices, Vector
from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError
from ustory.core.protocols import TextPipeline
from ustory.core.rules import Rule, Within
from ustory.core.spans import EPOCH
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.background import Background
from ustory.links.guidance import Guidance, Watched
from ustory.links.phrases import Sought, phrases
from ustory.links.prior import probability
from ustory.links.word_candidates import Rows, body_rows, lead_rows
from ustory.window.panes import day_of
from ustory.window.unassigned import open_article
from ustory.window.vocabulary import Vocabulary

LIKELY = 0.5
"""Probability from which an article is of the story that an example is of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The watched story that an article is of, as far as its words say."""

    name: str
    strength: float
    """From 0.5 to 1."""
    RULES: ClassVar[tuple[Rule, ...]] = (Within(0, 1, "strength"),)


@dataclass(frozen=True, slots=True)
class Known:
    """What the stream has shown when articles arrive."""

    vocabulary: Vocabulary
    background: Background
    """With the new articles in it."""
    log_odds: Callable[[Vector, Vector], Vector]
    """That two articles tell one story, by the word cosines of bodies and leads."""


class Seeker:
    """Looks for watched stories in new articles; it remembers nothing of them."""

    def __init__(self, guidance: Guidance, pipeline: TextPipeline) -> None:
        self.guidance = guidance
        self._watched = guidance.watched
        self._phrases = phrases(guidance.watched, pipeline)
        self._examples = _examples(guidance.watched, pipeline)

    def matches(
        self, new: Sequence[LinkedArticle], urls: Mapping[str, str], known: Known
    ) -> dict[str, Match]:
        """Return the watched story of each new article that is of one: the surest.

        Of two that are equally sure it is the one that was named first. `urls`
        are addresses by article id, where known.
        """
        if not new or not self._watched:
            return {}
        sought, like = self._looked_up(new, known)
        found: dict[str, Match] = {}
        for row, article in enumerate(new):
            sure = sought.found_in(article, urls.get(article.id, ""))
            for story, strength in like[row].items():
                sure[story] = max(strength, sure.get(story, 0.0))
            inside = [s for s in sorted(sure) if _is_inside(article, self._watched[s])]
            if inside:
                best = max(inside, key=sure.__getitem__)
                found[article.id] = Match(
                    name=self._watched[best].name, strength=sure[best]
                )
        return found

    def _looked_up(
        self, new: Sequence[LinkedArticle], known: Known
    ) -> tuple[Sought, list[dict[int, float]]]:
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
        sought = Sought.of(self._phrases, numbers[:split], idf, n)
        return sought, self._like(new, numbers[split:], idf, known)

    def _like(
        self,
        new: Sequence[LinkedArticle],
        numbers: Sequence[Indices],
        idf: Vector,
        known: Known,
    ) -> list[dict[int, float]]:
        """Return for each article the stories whose examples it is like."""
        found: list[dict[int, float]] = [{} for _ in new]
        if not numbers:
            return found
        examples = [
            linked_articles([(prepared, open_article(prepared, 0, terms))], 0)[0]
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
