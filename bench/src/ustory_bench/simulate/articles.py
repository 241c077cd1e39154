"""Writes articles in batches: sentences, then words, then text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ustory.core.arrays import Indices, Mask
from ustory_bench.simulate.draws import Draws, bits_of, draw, fractions, scrambled
from ustory_bench.simulate.grammar import SLOTS, WORDS, behind_clause, clauses
from ustory_bench.simulate.outline import Assignment, Outline, outline
from ustory_bench.simulate.plan import SimulationPlan
from ustory_bench.simulate.schedule import DAY, Schedule
from ustory_bench.simulate.stories import Cast
from ustory_bench.simulate.traits import Characters
from ustory_bench.simulate.vocabulary import (
    APART,
    PARAGRAPH,
    SENTENCE,
    TEXT,
    TITLE,
    Patterns,
    Vocabulary,
    build_vocabulary,
)
from ustory_bench.simulate.wording import Voices, Wording

_OF_PARTNER = 0.4  # of the sentences, where a story tells of its partner too
_EDITED = 0.02  # of the words of a copy
_BREAKS = 0.4  # of the sentences end a paragraph
_SIDE_DAYS, _SIDES = 3, 3
_FACT_DAYS = 2  # for which news is the news
_SAME_CLAUSE = 0.7  # of the sentences that tell a fact, at least
_SET_PHRASES = 0.5  # of the adjectives, which go with the noun behind them
_LOOSE = 0.8  # the power of a share: rather few stories are told alike by all
_NARROW, _WIDER = 5, 20
"""Words of each slot that a story has which all tell alike, and how many more the
loosest has."""
_FIRST, _TYPE = SLOTS.index("F"), SLOTS.index("T")
_NOUN, _ADJECTIVE = SLOTS.index("N"), SLOTS.index("A")


class Written(NamedTuple):
    """What readers see of an article."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The words and slots of a batch, end to end."""

    sentence: Indices
    place: Indices
    """In the sentence; the sign that ends it comes last."""
    word: Indices
    """Its number, or a slot as `Patterns` has it."""
    nth: Indices
    """Of slots: which of its kind it is in its part of the sentence."""


class Writer:
    """Writes any articles of a stream, by number; holds tables only."""

    def __init__(self, plan: SimulationPlan, cast: Cast, schedule: Schedule) -> None:
        self._plan = plan
        self._schedule = schedule
        self._partner = cast.partner
        self._key = draw(np.uint64(plan.seed), 4)
        self._characters = Characters(plan, cast)
        self._vocabulary = build_vocabulary(plan.story_count)
        self._wording = Wording(self._vocabulary, plan.drift)

    def write(self, numbers: Indices) -> list[Written]:
        """Return the title and the text of each article."""
        origin = self._schedule.origin[numbers]
        story = draw(self._key, 2, self._schedule.story[origin])
        days = self._schedule.second[origin] // (DAY * _FACT_DAYS)
        job = Assignment(
            key=draw(self._key, 0, origin),
            copy=origin != numbers,
            edit=draw(self._key, 1, numbers),
            story=story,
            loose=fractions(draw(story, 2**32)) ** _LOOSE,
            days=draw(self._key, 3, days),
            sentences=self._plan.sentences,
        )
        plot = outline(job)
        tokens = _lay_out(plot, self._vocabulary)
        slots = np.flatnonzero(tokens.word < 0)
        sentence = tokens.sentence[slots]
        slot = -1 - tokens.word[slots]
        bits = _bits(plot, tokens, slot, slots)
        bits = _edited(bits, job, plot.article[sentence], slot)
        by = self._voices(plot, origin, job)
        tokens.word[slots] = self._wording.fill(slot, sentence, plot.mode, bits, by)
        return _spelled(self._vocabulary, tokens)

    def _voices(self, plot: Outline, origin: Indices, job: Assignment) -> Voices:
        """Return whose words each sentence uses: its story's, or a partner's."""
        story = self._schedule.story[origin].astype(np.int64)
        day = self._schedule.second[origin] // DAY
        other = story.copy()
        both = self._schedule.both[origin]
        other[both] = self._partner[story[both]]
        turned = bits_of(plot.words, 48, 8) < _OF_PARTNER * 256
        told = np.where(turned, other[plot.article], story[plot.article])
        traits = self._characters.of(told)
        at = day[plot.article]
        told_by_all = plot.by != job.key[plot.article]
        at -= at % _FACT_DAYS * told_by_all
        age = np.maximum(at - np.floor(traits.begin), 0.0)
        turn = bits_of(draw(plot.by, 2**32 + 2), 0, 16) % _SIDES
        return Voices(
            kind=traits.kind,
            scene=traits.scene,
            subject=traits.subject,
            circle=traits.circle,
            words=traits.words,
            names=traits.names,
            side=(age.astype(np.int64) // _SIDE_DAYS) + turn,
            article=plot.by,
            breadth=(_NARROW + _WIDER * job.loose[plot.article]).astype(np.int64),
            age=age,
        )


def _lay_out(plot: Outline, vocabulary: Vocabulary) -> _Tokens:
    """Give each sentence a pattern, and return all their words and slots."""
    titles = plot.number == 0
    start, size = _patterns_of(_with_clauses(plot, vocabulary.body), vocabulary.body)
    chosen = bits_of(plot.bits, 16, 24) % len(vocabulary.titles)
    title_start, title_size = _patterns_of(chosen, vocabulary.titles)
    flat = np.concatenate([vocabulary.body.words, vocabulary.titles.words, [0]])
    start = np.where(titles, title_start + len(vocabulary.body.words), start)
    size = np.where(titles, title_size, size) + 1
    sentence = np.repeat(np.arange(len(size)), size)
    place = np.arange(len(sentence)) - np.repeat(size.cumsum() - size, size)
    at = np.minimum(start[sentence] + place, len(flat) - 1)
    word = flat[at]
    word[size.cumsum() - 1] = _ends(plot)
    nth = np.concatenate([vocabulary.body.nth, vocabulary.titles.nth, [0]])[at]
    return _Tokens(sentence, place, word, nth)


def _with_clauses(plot: Outline, patterns: Patterns) -> Indices:
    """Return the pattern of each sentence: who tells a fact mostly keeps its clause."""
    chosen = bits_of(plot.bits, 16, 24) % len(patterns)
    behind, many = behind_clause(), clauses()
    own = chosen // behind % many
    kept = bits_of(plot.bits, 8, 8) < _SAME_CLAUSE * 256
    clause = np.where(kept, bits_of(plot.words, 16, 24) // behind % many, own)
    return chosen + (clause - own) * behind


def _patterns_of(chosen: Indices, patterns: Patterns) -> tuple[Indices, Indices]:
    return patterns.starts[chosen], patterns.sizes[chosen]


def _ends(plot: Outline) -> Indices:
    ends = np.where(bits_of(plot.bits, 40, 8) < _BREAKS * 256, PARAGRAPH, SENTENCE)
    ends[plot.number == 0] = TITLE
    ends[plot.counts.cumsum() - 1] = TEXT
    return ends


def _bits(plot: Outline, tokens: _Tokens, slot: Indices, slots: Indices) -> Draws:
    """Return the chance of each slot.

    First names and types follow their name, and some adjectives their noun. A fact has
    the same words in whatever sentence it is told.
    """
    nth = tokens.nth[slots].astype(np.uint64)
    bits = scrambled(plot.words[tokens.sentence[slots]] + (nth << np.uint64(32)))
    first = np.flatnonzero(slot == _FIRST)
    bits[first] = bits[first + 1]
    after = np.flatnonzero(slot == _TYPE)
    bits[after] = bits[after - 1]
    pair = np.flatnonzero((slot[:-1] == _ADJECTIVE) & (slot[1:] == _NOUN))
    pair = pair[bits_of(bits[pair], 56, 8) < _SET_PHRASES * 256]
    bits[pair] = bits[pair + 1]
    return bits


def _edited(bits: Draws, job: Assignment, article: Indices, slot: Indices) -> Draws:
    """Change a few words of copies, but no names."""
    open_to_change: Mask = job.copy[article] & (slot < len(WORDS))
    rows = np.flatnonzero(open_to_change)
    fresh = scrambled(bits[rows] ^ job.edit[article[rows]])
    changed = fractions(scrambled(fresh)) < _EDITED
    bits[rows[changed]] = fresh[changed]
    return bits


def _spelled(vocabulary: Vocabulary, tokens: _Tokens) -> list[Written]:
    """Return the words as text: titles apart, sentences with capitals."""
    word = tokens.word + vocabulary.size * (tokens.place == 0)
    whole = "".join(vocabulary.spelled[word].tolist())
    titled = (each.partition("\n") for each in whole.split(APART)[:-1])
    return [Written(title, text) for title, _, text in titled]
