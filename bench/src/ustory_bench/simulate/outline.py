"""The sentences of some articles before their words: how many, and of what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory_bench.simulate.draws import Draws, bits_of, draw, fractions

IN_LEAD, ON_STORY, ON_KIND, ON_ANYTHING = range(4)
"""What a sentence may speak of."""

_LEAD = 4
"""Sentences that say what is new: the title, and the first of the text."""

_NEWS = (0.6, 0.55, 0.5, 0.4)
"""How often each sentence of the lead tells the fact that has its place there."""
_FACTS = (
    *(0.8, 0.8, 0.75, 0.75, 0.7, 0.7, 0.65, 0.65, 0.6, 0.6),
    *(0.55, 0.5, 0.5, 0.45, 0.4, 0.4, 0.35, 0.35, 0.3, 0.3),
)
"""How often each other fact of a story is told."""
_QUOTES = (0.3, 0.2, 0.15, 0.1)
"""How often each sentence is repeated that goes round in a story."""
_OFTEN = np.array([*_NEWS, *_FACTS, *_QUOTES])[:, None]

_KEPT, _LEFT = 0.3, 3.0
"""The power that these are taken to where an article keeps to its story, and what is
added to it where an article leaves it altogether."""
_OWN_WAY = 0.7  # the power of a share: most articles of a loose story go their own way
_STILL = 0.1  # of the leads speak of the story where the rest of the article does not
_SPREAD = 0.6  # of the lengths: the standard deviation of their logarithm
_MOST_CUT = 0.3  # of a copy, which editors shorten from its end


@dataclass(frozen=True, slots=True)
class Assignment:
    """Articles to be written together; one row each."""

    key: Draws
    """By which the words are drawn: the same for an article and its copies."""
    copy: Mask
    """Whether it is a copy; then `edit` says what is changed."""
    edit: Draws
    story: Draws
    """By which the facts of its story are drawn: every other one all the time."""
    loose: Vector
    """From 0 to 1: how little reports of its story have in common."""
    days: Draws
    """By which, together with the story, those of some days are drawn."""
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
    """By which its pattern is drawn."""
    words: Draws
    """By which its words are drawn."""
    by: Draws
    """Whose the words are that no story lends: its article's, or those of a fact."""
    counts: Indices
    """(articles,) sentences of each, the title counted."""


def outline(job: Assignment) -> Outline:
    """Return what the sentences of each article will be about."""
    whole, counts = _lengths(job)
    article = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(article)) - np.repeat(counts.cumsum() - counts, counts)
    bits = draw(job.key[article], number)
    retitled = (job.copy & (bits_of(draw(job.edit, 1), 0, 1) == 1))[article]
    bits = np.where(retitled & (number == 0), draw(job.edit, 2)[article], bits)
    focus = 1 - job.loose * fractions(draw(job.key, 2**32)) ** _OWN_WAY
    plot = Outline(
        article=article,
        number=number,
        mode=_modes(focus[article], number, bits_of(bits, 0, 16) / 2**16),
        bits=bits,
        words=bits.copy(),
        by=job.key[article],
        counts=counts,
    )
    _tell(job, plot, whole, focus)
    return plot


def _tell(job: Assignment, plot: Outline, whole: Indices, focus: Vector) -> None:
    """Let articles tell the facts of their story; changes the outline.

    A fact has its words, and whoever tells it puts them into a sentence of its own; a
    quote is the same word for word. No article tells one twice, and a copy tells what
    its original does: `whole` are sentences before a cut.
    """
    number = np.arange(len(_OFTEN))[:, None]
    luck = draw(job.key, 2**32 + 3, number)
    room = np.maximum(whole - _LEAD, 1)
    place = np.where(number < len(_NEWS), number, _LEAD + bits_of(luck, 0, 8) % room)
    told = fractions(luck) < _OFTEN ** (_KEPT + _LEFT * (1 - focus))
    told &= place < plot.counts
    at = (place + (plot.counts.cumsum() - plot.counts))[told]
    source = np.where(number % 2, job.story, job.story + job.days)
    fact = draw(draw(source, number)[told])
    plot.by[at] = fact
    plot.words[at] = fact
    plot.mode[at] = np.minimum(plot.mode[at], ON_STORY)
    quote = (number >= len(_OFTEN) - len(_QUOTES)).repeat(len(whole), 1)[told]
    plot.bits[at[quote]] = fact[quote]


def _lengths(job: Assignment) -> tuple[Indices, Indices]:
    """Return the sentences of each article, titles counted: before and after a cut."""
    quantile = bits_of(draw(job.key, 2**32 + 1), 0, 8)
    whole = np.maximum(np.rint(job.sentences * _relative_lengths()[quantile]), 1)
    cut = _MOST_CUT * fractions(draw(job.edit, 0)) ** 2 * job.copy
    left = np.ceil(whole * (1 - cut))
    return whole.astype(np.int64) + 1, left.astype(np.int64) + 1


@cache
def _relative_lengths() -> Vector:
    """Return 256 lengths as likely as each other, of mean 1."""
    normal = NormalDist(sigma=_SPREAD)
    log = [normal.inv_cdf((number + 0.5) / 256) for number in range(256)]
    lengths: Vector = np.exp(log)
    lengths /= lengths.mean()
    return lengths


def _modes(focus: Vector, number: Indices, luck: Vector) -> Indices:
    on_kind = luck < focus + (1 - focus) / 2
    lead = (number < _LEAD) & (luck < _STILL + focus)
    cases = [lead, luck < focus, on_kind]
    return np.select(cases, [IN_LEAD, ON_STORY, ON_KIND], ON_ANYTHING)
