"""Which article's title is a story's headline: one that several sources' words fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ustory.core.arrays import Matrix
from ustory.engine.state import Record
from ustory.links.article import LinkedArticle
from ustory.paper.assignment.confidence import TIE

WORDS = 3
"""Words of a title that others must use, too: a single one fits many stories."""

FEW, MANY = 3, 5
"""Of fewer than three sources none can be told from the others. From five on some
title is nearly always in words that others use, too; of fewer, good titles have words
of their own, and half of them may be."""


def central(records: Sequence[Record], vector: Matrix) -> Record:
    """Return the article nearest to the story's `vector`, by cosine.

    `records` are in order of publication, and the earliest wins a tie.
    """
    rows = np.array([record.vector for record in records], dtype=np.float64)
    lengths = np.maximum(np.linalg.norm(rows, axis=1), np.finfo(np.float64).tiny)
    near = rows @ vector.astype(np.float64) / lengths
    margin = TIE * float(np.linalg.norm(vector))
    return records[int(np.flatnonzero(near >= near.max() - margin)[0])]


def headlined(
    records: Sequence[Record], vector: Matrix, known: Mapping[str, LinkedArticle]
) -> Record:
    """Return the article whose title the story is told by.

    A text can be near to a story while its title says something else. So the most
    central article is chosen among those whose titles fit: they have no more words
    that no other source uses in a title or lead than any title must have. Whatever
    a source says, and however often, is one voice, and not heard on its own titles.
    `known` has the articles of mode `links`; of others the nearest is taken.
    """
    inside = [known[record.id] for record in records if record.id in known]
    if len(inside) < len(records):
        return central(records, vector)
    fit = fitting(inside)
    return central([r for r, fits in zip(records, fit, strict=True) if fits], vector)


def fitting(articles: Sequence[LinkedArticle]) -> list[bool]:
    """Say of each article of a story whether its title may be the headline."""
    voices = _voices(articles)
    said: dict[str, set[int]] = {voice: set() for voice in voices}
    for voice, article in zip(voices, articles, strict=True):
        said[voice].update(article.terms[article.lead].tolist())
    if len(said) < FEW:
        return [True] * len(articles)
    heard = Counter(word for words in said.values() for word in words)
    shared, alone = [], []
    for article in articles:
        words = [heard[word] > 1 for word in _title_words(article)]
        shared.append(sum(words))
        alone.append(len(words) - sum(words) + max(WORDS - sum(words), 0))
    if len(said) >= MANY:
        return [own == min(alone) for own in alone]
    fit = [own <= others for own, others in zip(alone, shared, strict=True)]
    return fit if any(fit) else [others == max(shared) for others in shared]


def _voices(articles: Sequence[LinkedArticle]) -> list[str]:
    """Return whose voice each article is: those of unnamed sources are one.

    Where no source is named at all, each article speaks for itself.
    """
    if not any(article.source for article in articles):
        return [article.id for article in articles]
    return [article.source for article in articles]


def _title_words(article: LinkedArticle) -> list[int]:
    words = article.lead[article.in_title[article.lead]]
    found: list[int] = article.terms[words].tolist()
    return found
