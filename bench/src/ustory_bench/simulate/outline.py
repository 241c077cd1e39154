"""The sentences of some articles before their words: how many, and of what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory_bench.simulate.draws import Draws, bits_of, draw, fractions

ON_STORY, ON_KIND, ON_ANYTHING = range(3)
"""What a sentence may speak of."""

_LEAD = 2
"""Sentences that always speak of the story: the title, and the first of the text."""

_LEAST_FOCUS, _MORE_FOCUS = 0.05, 0.9
_SPREAD = 0.45  # of the lengths: the standard deviation of their logarithm
_MOST_CUT = 0.3  # of a copy, which editors shorten from its end


@dataclass(frozen=True, slots=True)
class Assignment:
    """Articles to be written together; one row each."""

    key: Draws
    """By which the words are drawn: the same for an article and its copies."""
    copy: Mask
    """Whether it is a copy; then `edit` says what is changed."""
    edit: Draws
    sentences: int
    """On average."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The sentences of a batch of articles, end to end; the first is the title."""

    article: Indices
    """Its place in the batch."""
    number: Indices
    """Its place in the article."""
    mode: Indices
    bits: Draws
    counts: Indices
    """(articles,) sentences of each, the title counted."""


def outline(job: Assignment) -> Outline:
    """Return what the sentences of each article will be about."""
    counts = _lengths(job)
    article = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(article)) - np.repeat(counts.cumsum() - counts, counts)
    bits = draw(job.key[article], number)
    retitled = (job.copy & (bits_of(draw(job.edit, 1), 0, 1) == 1))[article]
    bits = np.where(retitled & (number == 0), draw(job.edit, 2)[article], bits)
    focus = _LEAST_FOCUS + _MORE_FOCUS * fractions(draw(job.key, 2**32))
    return Outline(
        article=article,
        number=number,
        mode=_modes(focus[article], number, bits_of(bits, 0, 16) / 2**16),
        bits=bits,
        counts=counts,
    )


def _lengths(job: Assignment) -> Indices:
    quantile = bits_of(draw(job.key, 2**32 + 1), 0, 8)
    whole = np.maximum(np.rint(job.sentences * _relative_lengths()[quantile]), 1)
    cut = _MOST_CUT * fractions(draw(job.edit, 0)) ** 2 * job.copy
    return np.ceil(whole * (1 - cut)).astype(np.int64) + 1


@cache
def _relative_lengths() -> Vector:
    """Return 256 lengths as likely as each other, of mean 1."""
    normal = NormalDist(sigma=_SPREAD)
    log = [normal.inv_cdf((number + 0.5) / 256) for number in range(256)]
    lengths: Vector = np.exp(log)
    lengths /= lengths.mean()
    return lengths


def _modes(focus: Vector, number: Indices, luck: Vector) -> Indices:
    on_story = (number < _LEAD) | (luck < focus)
    on_kind = luck < focus + (1 - focus) / 2
    return np.select([on_story, on_kind], [ON_STORY, ON_KIND], ON_ANYTHING)
