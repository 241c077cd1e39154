"""The archive keeps the stories seen last, and finds them by their terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.links.running import linked
from ustory.engine.snapshot import seal, unseal
from ustory.links.archive import TERMS, Archive, Profile, profile_of
from ustory.window.vocabulary import Vocabulary

WORDS = ("bank", "fire", "flood", "strike", "vote")


def profile(
    story: str, weights: Sequence[float] = (0.5,), last: float = 0.0, articles: int = 2
) -> Profile:
    return Profile(
        story=story,
        terms=WORDS[: len(weights)],
        weights=np.array(weights, dtype=np.float32),
        vector=np.full(4, 0.5, dtype=np.float16),
        first=last - 1.0,
        last=last,
        articles=articles,
    )


def vocabulary_of(words: Sequence[str]) -> Vocabulary:
    return Vocabulary(words, np.arange(len(words), dtype=np.int64) << 32)


def near(archive: Archive, query: Mapping[str, float]) -> dict[str, float]:
    return archive.likeness(list(query), np.array(list(query.values())))


PROFILES = st.lists(
    st.builds(
        profile,
        st.sampled_from([f"s{i}" for i in range(8)]),
        st.lists(st.sampled_from([0.125, 0.25, 0.5]), min_size=1, max_size=5),
        st.integers(0, 5).map(float),
        st.integers(1, 4),
    ),
    max_size=12,
)
DISTINCT = PROFILES.map(lambda found: list({p.story: p for p in found}.values()))
QUERIES = st.dictionaries(
    st.sampled_from([*WORDS, "unheard"]), st.sampled_from([0.25, 1.0])
)


@given(PROFILES, PROFILES, st.integers(1, 4))
def test_the_archive_never_holds_more_than_its_bound(
    first: list[Profile], second: list[Profile], most: int
) -> None:
    archive = Archive(most=most).with_(first).with_(second)

    assert len(archive) == len(archive.profiles) <= most


def test_the_story_seen_last_longest_ago_is_forgotten_first() -> None:
    archive = Archive(most=2).with_([profile("s1", last=5.0), profile("s2", last=3.0)])

    assert list(archive.with_([profile("s3", last=4.0)]).profiles) == ["s3", "s1"]
    assert list(archive.with_([profile("s0", last=1.0)]).profiles) == ["s2", "s1"]


@given(DISTINCT, st.randoms(use_true_random=False), st.integers(1, 9))
def test_the_order_in_which_stories_come_changes_nothing(
    profiles: list[Profile], random: Random, most: int
) -> None:
    shuffled = random.sample(profiles, len(profiles))

    one, other = Archive(most=most).with_(profiles), Archive(most=most).with_(shuffled)

    assert seal(one, {}) == seal(other, {})


@given(PROFILES, PROFILES, st.sets(st.sampled_from(["s0", "s1", "s2"])), QUERIES)
def test_the_index_finds_what_a_look_at_every_profile_finds(
    first: list[Profile],
    second: list[Profile],
    out: set[str],
    query: dict[str, float],
) -> None:
    archive = Archive(most=6).with_(first).without(out).with_(second)
    every = {
        story: sum(
            weight * float(value)
            for term, weight in query.items()
            for own, value in zip(kept.terms, kept.weights, strict=True)
            if own == term
        )
        for story, kept in archive.profiles.items()
    }

    found = near(archive, query)

    assert found == pytest.approx({s: value for s, value in every.items() if value})


@given(PROFILES, PROFILES, QUERIES)
def test_an_archive_does_not_change_when_another_is_made_of_it(
    first: list[Profile], second: list[Profile], query: dict[str, float]
) -> None:
    archive = Archive(most=6).with_(first)
    before, found = seal(archive, {}), near(archive, query)

    archive.with_(second)
    archive.without([p.story for p in first])

    assert seal(archive, {}) == before
    assert near(archive, query) == found


@given(PROFILES, QUERIES)
def test_a_snapshot_brings_the_archive_and_its_index_back(
    profiles: list[Profile], query: dict[str, float]
) -> None:
    archive = Archive().with_(profiles)
    data = seal(archive, {})

    back, _ = unseal(data, Archive, "archive")

    assert seal(back, {}) == data
    assert near(back, query) == near(archive, query)


def test_a_story_that_is_known_is_added_to_by_its_articles() -> None:
    archive = Archive().with_([profile("s1", [0.5], last=3.0, articles=3)])

    (both,) = archive.with_([profile("s1", [0.1, 0.4], 9.0, 1)]).profiles.values()

    assert (both.first, both.last, both.articles) == (2.0, 9.0, 4)
    assert both.terms == ("bank", "fire")
    assert both.weights.tolist() == pytest.approx([0.4, 0.1])


def test_what_left_of_a_merged_story_is_its_heirs_past() -> None:
    archive = Archive().with_([profile("s1", last=1.0), profile("s2", last=4.0)])
    before = {"a": "s1", "b": "s2", "c": "s2"}

    merged = archive.after_settling(before, {"a": "s1", "b": "s1", "c": "s1"})
    renamed = archive.after_settling(before, {"a": "s1", "b": "s3", "c": "s3"})
    dissolved = archive.after_settling(before, {"a": "s1"})

    assert [(p.story, p.articles) for p in merged.profiles.values()] == [("s1", 4)]
    assert list(renamed.profiles) == ["s1", "s3"]
    assert list(dissolved.profiles) == ["s1"]


def test_a_story_without_articles_in_the_window_is_left_as_it_is() -> None:
    archive = Archive().with_([profile("s1")])

    assert archive.after_settling({"a": "s2"}, {"a": "s2"}) is archive


@given(st.lists(st.sets(st.integers(0, 99), min_size=1), min_size=1, max_size=5))
def test_a_profile_has_the_strongest_terms_and_not_more_than_its_bound(
    articles: list[set[int]],
) -> None:
    vocabulary = vocabulary_of([f"w{i:02d}" for i in range(100)])
    idf = np.linspace(1.0, 2.0, 100)
    new = [
        linked(i, dict.fromkeys(terms, 1), float(i)) for i, terms in enumerate(articles)
    ]

    made = profile_of("s1", new, idf, vocabulary)
    weights = made.weights.tolist()

    assert len(made.terms) == min(len(set.union(*articles)), TERMS)
    assert weights == sorted(weights, reverse=True)
    assert (made.first, made.last) == (0.0, len(articles) - 1.0)
    assert made.vector.dtype == np.float16


def test_a_profile_weighs_terms_by_the_background_and_the_title() -> None:
    vocabulary = vocabulary_of(WORDS)
    article = linked(0, dict.fromkeys(range(5), 1), title=[3])

    made = profile_of("s1", [article], np.array([1.0, 2.0, 3.0, 2.5, 0.0]), vocabulary)

    assert made.terms == ("strike", "flood", "fire", "bank")


def test_articles_that_leave_are_remembered_with_their_story() -> None:
    vocabulary, idf = vocabulary_of(WORDS), np.ones(5)
    gone = [
        ("s1", linked(0, {0: 1})),
        ("s2", linked(1, {1: 1})),
        ("s1", linked(2, {2: 1})),
    ]

    archive = Archive().after_leaving(gone, idf, vocabulary)
    reverse = Archive().after_leaving(gone[::-1], idf, vocabulary)

    assert {s: p.articles for s, p in archive.profiles.items()} == {"s1": 2, "s2": 1}
    assert seal(archive, {}) == seal(reverse, {})
    assert archive.after_leaving([], idf, vocabulary) is archive
