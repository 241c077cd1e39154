"""Words follow Zipf's law; stories of one kind share some, and twins most."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

from ustory.core.article import Article
from ustory_bench.simulate import SimulationPlan, english, simulate
from ustory_bench.simulate.kinds import KINDS
from ustory_bench.simulate.schedule import schedule_articles
from ustory_bench.simulate.stories import Cast, Life, cast_stories
from ustory_bench.simulate.stream import story_label
from ustory_bench.simulate.traits import Characters
from ustory_bench.simulate.vocabulary import zipf_table

PLAN = SimulationPlan(articles=1_200, stories=120, days=40, sentences=20, copies=0.0)
_WORD = re.compile(r"[A-Za-z]+")


@cache
def articles() -> tuple[Article, ...]:
    return tuple(simulate(PLAN))


@cache
def cast() -> Cast:
    return cast_stories(PLAN)


def words(article: Article) -> set[str]:
    return set(_WORD.findall(f"{article.title} {article.text}".lower()))


def names(article: Article) -> set[str]:
    """Return the words that have a capital inside a sentence."""
    return set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", article.text))


def told(story: int) -> list[Article]:
    label = story_label(PLAN, story)
    return [article for article in articles() if article.label == label]


def likeness(some: list[set[str]], others: list[set[str]]) -> float:
    """Return the mean share of words in common, over pairs of different sets."""
    pairs = [(a, b) for a in some for b in others if a is not b]
    return float(np.mean([len(a & b) / len(a | b) for a, b in pairs]))


def test_frequencies_fall_with_rank_as_zipf_has_it() -> None:
    every = Counter(w for a in articles() for w in _WORD.findall(a.text.lower()))
    frequency = np.array(sorted(every.values(), reverse=True), dtype=np.float64)
    rank = np.arange(1, len(frequency) + 1)
    middle = slice(10, 3_000)

    slope, _ = np.polyfit(np.log(rank[middle]), np.log(frequency[middle]), 1)

    assert len(frequency) > 5_000
    assert -1.4 < slope < -0.7


def test_a_table_holds_each_rank_as_often_as_zipf_has_it() -> None:
    often = np.bincount(zipf_table(1_000, 16))
    shifted = np.bincount(zipf_table(1_000, 16, passed_over=30))

    assert often[0] / often[9] == pytest.approx(10, rel=0.02)
    assert often[9] / often[99] == pytest.approx(10, rel=0.1)
    assert shifted[0] / shifted[92] == pytest.approx(123 / 31, rel=0.05)


def test_common_words_are_common() -> None:
    every = Counter(w for a in articles() for w in _WORD.findall(a.text))
    nouns = english.words(english.NOUNS)

    first = sum(every[noun] for noun in nouns[:40])
    last = sum(every[noun] for noun in nouns[-40:])

    assert first > 4 * last > 0


@cache
def rare_words() -> frozenset[str]:
    """Return the words of less than a tenth of the articles: those that tell."""
    found = Counter(word for article in articles() for word in words(article))
    return frozenset(w for w, n in found.items() if n < len(articles()) / 10)


def test_articles_of_a_story_are_more_alike_than_others() -> None:
    largest = np.argsort(-cast().size)[:6].tolist()
    sets = {s: [words(a) & rare_words() for a in told(s)[:8]] for s in largest}

    within = [likeness(sets[story], sets[story]) for story in largest]
    across = [likeness(sets[a], sets[b]) for a in largest for b in largest if a < b]

    assert min(within) > 2 * np.mean(across)
    assert min(within) > max(across)


def test_twins_share_their_words_but_not_their_names() -> None:
    pairs = [(a, int(b)) for a, b in enumerate(cast().twin) if b > a]
    strangers = [(a, (a + 1) % PLAN.story_count) for a, _ in pairs]

    def mean(of_pairs: list[tuple[int, int]], part: str) -> float:
        pick = names if part == "names" else words
        return float(
            np.mean(
                [
                    likeness(list(map(pick, told(a))), list(map(pick, told(b))))
                    for a, b in of_pairs
                ]
            )
        )

    assert len(pairs) == 12
    assert mean(pairs, "words") > 1.25 * mean(strangers, "words")
    assert mean(pairs, "names") < 1.25 * mean(strangers, "names")


def test_twins_are_of_one_kind_and_partners_of_one_subject() -> None:
    traits = Characters(PLAN, cast()).of(np.arange(PLAN.story_count))

    for story, (twin, partner) in enumerate(
        zip(cast().twin, cast().partner, strict=True)
    ):
        for other in {int(twin), int(partner)} - {-1}:
            assert traits.kind[story] == traits.kind[other]
            assert traits.subject[story] == traits.subject[other]
            assert traits.names[story] != traits.names[other]
        if twin >= 0:
            assert traits.words[story] == traits.words[twin]
    twins = int(np.sum(cast().twin >= 0)) // 2
    assert len(set(traits.words.tolist())) == PLAN.story_count - twins
    assert len(set(traits.names.tolist())) == PLAN.story_count
    assert len(set(traits.kind.tolist())) > len(KINDS) / 2


def test_a_merged_story_speaks_with_the_names_of_both() -> None:
    schedule = schedule_articles(PLAN, cast())
    mentions: dict[bool, list[int]] = {True: [], False: []}
    for story in np.flatnonzero(cast().life == Life.MERGING).tolist():
        theirs, ours = main_names(int(cast().partner[story])), main_names(story)
        for number in np.flatnonzero(schedule.story == story).tolist():
            merged = bool(schedule.both[number])
            heard = names(articles()[number]) & (theirs - ours)
            mentions[merged].append(len(heard))

    assert min(map(len, mentions.values())) >= 5
    assert np.mean(mentions[True]) > 2 * np.mean(mentions[False])
    assert np.mean(np.array(mentions[True]) > 0) > 0.5


def main_names(story: int) -> set[str]:
    """Return the names in half of a story's articles, but in few of others."""
    known = Counter(name for article in told(story) for name in names(article))
    everywhere = Counter(name for article in articles() for name in names(article))
    half, few = len(told(story)) / 2, len(articles()) / 10
    return {n for n, count in known.items() if count >= half and everywhere[n] < few}


def test_drift_takes_a_story_away_from_its_first_words() -> None:
    def kept(drift: float) -> float:
        plan = SimulationPlan(
            articles=400, stories=20, days=40, noise=0.0, copies=0.0, drift=drift
        )
        lives = cast_stories(plan).life
        stream = list(simulate(plan))
        likes = []
        for story in np.flatnonzero(lives == Life.LONG).tolist():
            mine = [a for a in stream if a.label == story_label(plan, story)]
            first, last = map(words, mine[:2]), map(words, mine[-2:])
            likes.append(likeness(list(first), list(last)))
        return float(np.mean(likes))

    assert kept(0.0) > 1.1 * kept(0.3)
