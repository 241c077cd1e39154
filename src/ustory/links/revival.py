"""Which new stories continue an old one that had left the window."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ustory.core.arrays import Vector
from ustory.links.archive import Archive, Profile, mean_row, mean_vector
from ustory.links.article import LinkedArticle
from ustory.links.evidence.meaning import Meanings
from ustory.links.evidence.words import BODY, LEAD
from ustory.links.prior import probability
from ustory.links.word_candidates import body_rows
from ustory.window.vocabulary import Vocabulary

REVIVED = 0.5
"""Probability from which a story is revived: rather than not."""

USUAL = 0.07
"""1 over the old stories among which their number adds nothing."""

EVEN = 0.1
"""Mean word cosine of long articles that speaks neither for one story nor against."""

SHORT = 20.0
"""Terms of an article so short that the level doubles: where there are few, a single
name in common makes a cosine high."""

MEANING, MEANING_EVEN = 2.0, 0.35
"""Log-odds per unit of the cosine of two mean vectors, and where it is neutral."""

_ROUNDING = 1e-6
"""Far more than the order of sums makes a difference."""

_ALL = MEANING * (1.0 - MEANING_EVEN)
"""The most that meaning can say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """What is known of the stream when new stories are compared with old ones."""

    idf: Vector
    vocabulary: Vocabulary
    meanings: Meanings | None
    """None: meaning does not count."""
    window: float
    """Days."""
    awake: Collection[str]
    """Stories with an article in the window: links decide about these."""
    least: float = REVIVED
    """Probability that it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revival:
    """A new group of articles takes an old story's id."""

    story: str
    slept: float
    """Days from the last article that had left to the group's first."""
    probability: float


def revived(
    groups: Sequence[Sequence[LinkedArticle]],
    archive: Archive,
    now: Present,
) -> dict[int, Revival]:
    """Return which old story each of some new groups continues, if any.

    Groups are named by their place. Two groups never continue the same story: the
    more likely one does; of equals the one with the earliest article.
    """
    found = [
        (revival, min(article.serial for article in group), place)
        for place, group in enumerate(groups)
        for revival in _likely(group, archive, now)
        if revival.probability >= now.least
    ]
    taken: set[str] = set()
    result: dict[int, Revival] = {}
    for revival, _, place in sorted(found, key=lambda f: (-f[0].probability, *f[1:])):
        if place not in result and revival.story not in taken:
            result[place] = revival
            taken.add(revival.story)
    return dict(sorted(result.items()))


def without_story(
    groups: Sequence[Sequence[str]],
    articles: Mapping[str, LinkedArticle],
    story: Mapping[str, str],
    since: int,
) -> list[int]:
    """Return the places of groups that may continue an old story.

    None of their articles has a story yet, and one is new: its serial number is
    `since` or later. An article that waits is looked at once, not at every slide.
    """
    return [
        place
        for place, group in enumerate(groups)
        if story.keys().isdisjoint(group)
        and any(articles[name].serial >= since for name in group)
    ]


def _likely(
    group: Sequence[LinkedArticle], archive: Archive, now: Present
) -> Iterator[Revival]:
    """Yield old stories that a group may continue, with all evidence weighed."""
    first = min(article.day for article in group)
    for profile, odds in _by_words(group, archive, now):
        total = odds + _meaning(group, profile, now.meanings)
        yield Revival(
            story=profile.story,
            slept=first - profile.last,
            probability=float(probability(np.array([total]))[0]),
        )


def _by_words(
    group: Sequence[LinkedArticle], archive: Archive, now: Present
) -> Iterator[tuple[Profile, float]]:
    """Yield stories that meaning could still make likely, in order of their ids.

    The product of two mean rows is the mean cosine of the articles' pairs, less
    what the profile has forgotten: a likeness in its strongest terms, or none.
    """
    terms, weights = mean_row(body_rows(group, now.idf))
    first = min(article.day for article in group)
    rivals = among(len(archive))
    even = level(group)
    enough = math.log(now.least / (1.0 - now.least)) - _ALL
    # most stories are not alike enough however short they slept: these are left out
    root = math.sqrt(even) + (enough - rivals) / (BODY + LEAD) - _ROUNDING
    words_of = now.vocabulary.written(terms)
    near = archive.likeness(words_of, weights, max(root, 0.0) ** 2)
    for story in sorted(story for story in near if story not in now.awake):
        profile = archive.profiles[story]
        words = (BODY + LEAD) * (math.sqrt(near[story]) - math.sqrt(even))
        odds = words + rivals - asleep(first - profile.last, now.window)
        if odds >= enough:
            yield profile, odds


def among(stories: int) -> float:
    """Return the prior log-odds of one of so many old stories.

    Among many there is more likely one that is alike by accident. Half of the
    logarithm: those of its subject grow more slowly in number than all.
    """
    return -0.5 * math.log(max(stories, 2) * USUAL)


def level(group: Sequence[LinkedArticle]) -> float:
    """Return the mean word cosine that speaks neither for one story nor against."""
    terms = sum(len(article.terms) for article in group) / len(group)
    return EVEN * (1.0 + SHORT / max(terms, 1.0))


def asleep(days: float, window: float) -> float:
    """Return what a story's sleep takes from its odds: ln(days / window).

    Each doubling halves them: the longer a story was silent, the more
    likely is a new one of the same kind.

    >>> round(asleep(14.0, 7.0), 3)
    0.693
    """
    return math.log(max(days / window, 1.0))


def _meaning(
    group: Sequence[LinkedArticle], profile: Profile, meanings: Meanings | None
) -> float:
    if meanings is None:
        return 0.0
    # `distinct` reads nothing of an article but its vector
    new = replace(group[0], vector=mean_vector(group).astype(np.float32))
    old = replace(group[0], vector=profile.vector.astype(np.float32))
    rows = meanings.distinct([new, old]).astype(np.float64)
    return MEANING * (float(rows[0] @ rows[1]) - MEANING_EVEN)
