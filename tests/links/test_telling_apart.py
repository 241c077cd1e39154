"""A group that few articles hold together is two; one outlet cannot make it one."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import telling_apart as plain
from tests.reference.alike import Shown
from ustory.links.gists import GistRows
from ustory.links.joining import GroupEvidence
from ustory.links.telling_apart import LARGE, PART, told_apart
from ustory.links.word_scan import Rows

Links = Mapping[tuple[int, int], float]
TERMS = 12


def evidence(
    texts: Sequence[Mapping[int, float]],
    outlet: Sequence[int],
    gists: GistRows | None = None,
) -> GroupEvidence:
    """Return what is known of articles by their weighted words."""
    none = np.zeros(0, dtype=np.int64)
    start, terms, values = [0], [], []
    for text in texts:
        length = np.sqrt(sum(weight**2 for weight in text.values())) or 1.0
        for term in sorted(text):
            terms.append(term)
            values.append(text[term] / length)
        start.append(len(terms))
    words = Rows(np.array(start), np.array(terms, dtype=np.int64), np.array(values))
    said = np.ones(len(texts))
    outlets = np.array(outlet)
    return GroupEvidence((none, none), np.zeros(0), words, said, outlets, gists)


def named(text: Mapping[int, float]) -> Mapping[str, float]:
    return {str(term): weight for term, weight in text.items()}


def found_in(
    groups: Sequence[Sequence[int]],
    links: Links,
    texts: Sequence[Mapping[int, float]],
    outlet: Sequence[int],
    gists: GistRows | None = None,
) -> list[list[int]]:
    pairs = sorted(links)
    ends = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2).T
    weight = np.array([links[pair] for pair in pairs], dtype=np.float64)
    rows = [np.array(group, dtype=np.int64) for group in groups]
    known = evidence(texts, outlet, gists)
    found = told_apart(rows, (ends[0], ends[1]), weight, known)
    return [group.tolist() for group in found]


def bridged(
    many: int, outlets: int = 1
) -> tuple[Links, list[Mapping[int, float]], list[int]]:
    """Return two stories of ten articles, and as many that are half of either."""
    size = 10
    one: Mapping[int, float] = {0: 1.0, 1: 0.5}
    other: Mapping[int, float] = {2: 1.0, 3: 0.5}
    between: Mapping[int, float] = {0: 1.0, 2: 1.0}
    texts = [one] * size + [other] * size + [between] * many
    links = dict.fromkeys(combinations(range(size), 2), 0.9)
    links |= dict.fromkeys(combinations(range(size, 2 * size), 2), 0.9)
    for forged in range(2 * size, 2 * size + many):
        links |= {(honest, forged): 0.3 for honest in range(2 * size)}
    outlet = [*range(2 * size), *(100 + n % outlets for n in range(many))]
    return links, texts, outlet


@pytest.mark.parametrize("many", [1, 3, 8])
def test_a_few_articles_of_one_outlet_do_not_make_two_stories_one(many: int) -> None:
    links, texts, outlet = bridged(many)

    found = found_in([range(20 + many)], links, texts, outlet)

    assert len(found) == 2
    assert {*range(10)} <= {*found[0]}
    assert {*range(10, 20)} <= {*found[1]}


def test_one_story_stays_one() -> None:
    links = dict.fromkeys(combinations(range(20), 2), 0.9)
    texts = [{0: 1.0, 1 + n % 3: 0.5} for n in range(20)]

    assert found_in([range(20)], links, texts, range(20)) == [[*range(20)]]


def test_what_falls_apart_by_links_alone_stays_one() -> None:
    links, _, outlet = bridged(1)

    assert len(found_in([range(21)], links, [{0: 1.0}] * 21, outlet)) == 1


def test_small_groups_and_parts_are_left_alone() -> None:
    links, texts, outlet = bridged(0)
    few = [*range(PART - 1), *range(10, 20)]
    assert found_in([few], links, texts, outlet) == [few]
    small = [*range(4), *range(10, 10 + LARGE - 5)]
    assert found_in([small], links, texts, outlet) == [small]


@st.composite
def any_groups(
    draw: st.DrawFn,
) -> tuple[list[list[int]], Links, list[Mapping[int, float]], list[int]]:
    """Return articles of a few topics in groups that mix them."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    many, topics = draw(st.integers(LARGE, 34)), draw(st.integers(1, 4))
    topic = rng.integers(0, topics, many)
    texts: list[Mapping[int, float]] = []
    for each in topic.tolist():
        own = rng.integers(0, TERMS // topics, 3) + each * (TERMS // topics)
        some = [*own.tolist(), *rng.integers(0, TERMS, rng.integers(0, 3)).tolist()]
        texts.append({term: float(rng.uniform(0.2, 1)) for term in some})
    if draw(st.booleans()):
        texts[int(rng.integers(many))] = {}
    links = {
        (a, b): float(rng.uniform(0.2, 1))
        for a, b in combinations(range(many), 2)
        if rng.random() < (0.8 if topic[a] == topic[b] else 0.08)
    }
    cut = draw(st.integers(0, many))
    groups = [[*range(cut)], [*range(cut, many)]]
    outlet = rng.integers(0, draw(st.sampled_from([1, 3, 50])), many).tolist()
    return [group for group in groups if group], links, texts, outlet


@given(any_groups())
def test_any_groups_are_told_apart_as_the_transcription_does(
    given_: tuple[list[list[int]], Links, list[Mapping[int, float]], list[int]],
) -> None:
    groups, links, texts, outlet = given_
    shown = [Shown(named(text), "", np.zeros(1), has_gist=False) for text in texts]

    expected = plain.told_apart(groups, links, shown, outlet)

    assert found_in(groups, links, texts, outlet) == expected


@given(any_groups(), st.integers(1, 3), st.integers(0, 10_000))
def test_any_groups_in_some_languages_are_told_apart_as_the_transcription_does(
    given_: tuple[list[list[int]], Links, list[Mapping[int, float]], list[int]],
    languages: int,
    seed: int,
) -> None:
    groups, links, texts, outlet = given_
    rng = np.random.default_rng(seed)
    language = rng.integers(0, languages, len(texts))
    there = rng.random(len(texts)) < 0.8
    vectors = rng.standard_normal((len(texts), 3)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[~there] = 0.0
    shown = [
        Shown(named(text), str(lang), vector.astype(np.float64), has_gist=bool(has))
        for text, lang, vector, has in zip(texts, language, vectors, there, strict=True)
    ]

    expected = plain.told_apart(groups, links, shown, outlet)

    gists = GistRows(vectors, language, there)
    assert found_in(groups, links, texts, outlet, gists) == expected


@pytest.mark.parametrize("same_gists", [True, False])
def test_what_two_languages_tell_is_two_where_their_gists_are_unlike(
    same_gists: bool,
) -> None:
    links, texts, outlet = bridged(0)
    links = {**links, **{(a, 10 + a): 0.5 for a in range(10)}}
    vectors = np.repeat(np.eye(2, dtype=np.float32), 10, axis=0)
    if same_gists:
        vectors[:, 0] = 1.0
        vectors[:, 1] = 0.0
    language = np.repeat([5, 9], 10)
    gists = GistRows(vectors, language, np.ones(20, dtype=bool))

    found = found_in([range(20)], links, texts, outlet, gists)

    whole = [list(range(20))]
    assert found == (whole if same_gists else [[*range(10)], [*range(10, 20)]])


def test_an_article_without_a_gist_is_compared_by_words() -> None:
    links, texts, outlet = bridged(0)
    links = {**links, **{(a, 10 + a): 0.5 for a in range(10)}}
    texts = [texts[0]] * 20
    there = np.repeat([True, False], 10)
    gists = GistRows(
        np.ones((20, 1), dtype=np.float32) * there[:, None],
        np.repeat([5, 0], 10),
        there,
    )

    assert found_in([range(20)], links, texts, outlet, gists) == [list(range(20))]


def test_many_parts_of_many_words_fit_into_memory() -> None:
    size, parts, words = 6, 400, 250
    texts: list[Mapping[int, float]] = []
    links: dict[tuple[int, int], float] = {}
    for node in range(size * parts):
        part, first = node // size, node * words
        texts.append({first + i: 1.0 for i in range(words)} | {-1 - part: 1.0})
        links |= {(node, other): 0.9 for other in range(node + 1, (part + 1) * size)}
    lowest = parts  # terms from 0 on
    texts = [{term + lowest: n for term, n in text.items()} for text in texts]
    links |= {(n, n + size): 0.3 for n in range(0, size * (parts - 1), size)}
    tracemalloc.start()
    found = found_in([range(size * parts)], links, texts, range(size * parts))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(found) > 1
    assert peak < 150 * 2**20  # parts times words are gigabytes
