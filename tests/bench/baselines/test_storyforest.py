"""Both graphs by hand, how stories grow, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError, StateError
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.testing import TinyEncoder, check_discoverer, tiny_slides
from ustory.testing.parts import DAY, START, count_words
from ustory.text import load_pipeline
from ustory_bench.baselines.document import Document, document_of
from ustory_bench.baselines.eventx import (
    Extraction,
    alike,
    document_graph,
    event_keywords,
    extract,
    keyword_graph,
    top_keywords,
    topic_of,
    vector_tables,
    word_tables,
)
from ustory_bench.baselines.storyforest import PSE, SYSTEM, Root, compatible
from ustory_bench.system import Parameter, System

pytest.importorskip("sknetwork", reason="needs scikit-network: ustory-bench")

SETTINGS, ENCODER = Settings(), TinyEncoder()
HOW = Extraction(keywords=3, together=2, share=0.15, similarity=0.14, seed=0)
BOTH = np.arange(2)


def article(name: str, day: float, *sentences: str) -> PreparedArticle:
    return PreparedArticle(
        article=Article(
            id=name,
            published_at=START + day * DAY,
            title=sentences[0],
            text=". ".join(sentences[1:]),
        ),
        sentences=sentences,
        counts=count_words(sentences),
        vectors=ENCODER.encode(sentences),
    )


def document(name: str, *sentences: str) -> Document:
    return document_of(article(name, 0, *sentences), 0)


def follow(
    slides: Sequence[Sequence[PreparedArticle]], **changes: Parameter
) -> list[Mapping[str, str | None]]:
    """Return the assignments after each daily slide."""
    discoverer = SYSTEM.make(SETTINGS, ENCODER, **changes)
    state = discoverer.begin()
    told: list[Mapping[str, str | None]] = []
    for day, articles in enumerate(slides):
        slide = Slide(end=START + (day + 1) * DAY, articles=articles)
        state, _ = discoverer.advance(state, slide)
        told.append(dict(discoverer.assignments(state)))
    return told


def edges(nodes: Sequence[str], graph: sparse.csr_array) -> dict[str, float]:
    table = graph.toarray()
    assert (table == table.T).all()
    return {
        nodes[a] + nodes[b]: float(table[a, b])
        for a, b in np.argwhere(np.triu(table)).tolist()
    }


def test_keywords_have_an_edge_as_by_hand() -> None:
    # a is in 4 documents, b in 2, c in 3. a and b: 2 together, P(b|a) = 2/4 and
    # P(a|b) = 2/2. a and c: 2 together, 2/4 and 2/3. b and c: once. d: alone.
    found = [("a", "b"), ("b", "a", "c"), ("a", "c"), ("a",), ("c",), ("d",)]

    assert edges(*keyword_graph(found, 2, 0.5)) == {"ab": 2.0, "ac": 2.0}
    assert edges(*keyword_graph(found, 1, 0.34)) == {"ab": 2.0, "ac": 2.0}
    assert edges(*keyword_graph(found, 1, 0.33)) == {"ab": 2.0, "ac": 2.0, "bc": 1.0}
    assert keyword_graph(found, 2, 0.51)[0] == []
    assert keyword_graph(found, 3, 0.1)[0] == []
    assert keyword_graph(found, 2, 0.5)[0] == ["a", "b", "c"]


def test_documents_without_keywords_make_an_empty_graph() -> None:
    nodes, graph = keyword_graph([(), ()], 1, 0.1)

    assert nodes == []
    assert graph.shape == (0, 0)


def test_the_keywords_of_a_document_weigh_most() -> None:
    rows = sparse.csr_array(np.array([[0.2, 0.5, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0]]))

    assert top_keywords(rows, "abcd", 2) == [("b", "d"), ()]
    assert top_keywords(rows, "abcd", 1) == [("b",), ()]
    assert top_keywords(rows, "abcd", 9) == [("b", "d", "a"), ()]


def test_a_document_joins_the_topic_of_the_highest_cosine() -> None:
    # Topic ab is (1, 2, 0) / √5, topic c is (0, 0, 1). The document (0.6, 0, 0.8)
    # is at 0.6 / √5 = 0.268 and at 0.8; (0, 1, 0) is at 2 / √5 and 0.
    rows = sparse.csr_array(
        np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    )
    idf = {"a": 1.0, "b": 2.0, "c": 1.0}

    assert topic_of(rows, [("a", "b"), ("c",)], idf).tolist() == [1, 0, -1]
    assert topic_of(rows, [], idf).tolist() == [-1, -1, -1]
    # (0.6, 0, 0.8) is at 0.6 · 1 from topic a, and at 0 from topic b
    assert topic_of(rows, [("a",), ("b",)], idf).tolist() == [0, 1, -1]


def test_articles_are_alike_as_by_hand() -> None:
    # n = 2. Content: "flood" and "river" are in both, idf ln 2; "town", "coast",
    # "in" and "near" in one, idf ln 3; "velm" in both. The cosine is
    # 3 ln²2 / (3 ln²2 + 2 ln²3) = 0.3739. Title: "flood" alone, 1. Names: "velm"
    # alone, 1. (2 · 0.3739 + 1 + 1) / 4 = 0.6869
    content = 3 * log(2) ** 2 / (3 * log(2) ** 2 + 2 * log(3) ** 2)
    first = document("a", "flood", "river town in Velm")
    second = document("b", "flood", "river coast near Velm")

    found = alike(word_tables([first, second]), BOTH)

    assert content == pytest.approx(0.3739, abs=1e-4)
    assert found[0, 1] == pytest.approx((2 * content + 2) / 4)
    assert found[0, 1] == pytest.approx(0.6869, abs=1e-4)
    assert found.diagonal() == pytest.approx(1.0)


def test_vectors_are_alike_by_their_cosine() -> None:
    one, other = document("a", "flood velm"), document("b", "flood orsa")

    found = alike(vector_tables([one, other]), BOTH)

    assert found[0, 1] == pytest.approx(float(one.vector @ other.vector), abs=1e-6)


def test_only_alike_articles_of_one_topic_have_an_edge() -> None:
    # Cosines: ab 0.8, ac 0.6, bc 0.96; d is like c and in no topic, e like a and
    # in another one.
    rows = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0.6, 0.8], [1, 0]])
    topic = np.array([1, 1, 1, -1, 0])

    found = edges("abcde", _without_loops(document_graph([(1.0, rows)], topic, 0.8)))
    half = edges("abcde", _without_loops(document_graph([(0.5, rows)], topic, 0.3)))

    assert found == {"ab": 0.8, "bc": 0.96}
    assert half == {"ab": 0.4, "ac": 0.3, "bc": 0.48}


def _without_loops(graph: sparse.csr_array) -> sparse.csr_array:
    table = graph.toarray()
    np.fill_diagonal(table, 0)
    return sparse.csr_array(table)


def test_documents_without_a_topic_make_a_graph_without_edges() -> None:
    found = document_graph([(1.0, np.ones((3, 1)))], np.full(3, -1), 0.1)

    assert found.shape == (3, 3)
    assert found.nnz == 0


def test_two_topics_are_two_events_and_a_stray_article_is_its_own() -> None:
    # "flood" and "river" are in a and b, "coach" and "final" in c and d: an edge
    # each, of 2 articles. e has no keyword that has an edge.
    articles = [
        document("a", "flood river", "rain"),
        document("b", "river flood", "boat"),
        document("c", "coach final", "goal"),
        document("d", "final coach", "team"),
        document("e", "senate", "harbour"),
    ]

    events = extract(articles, HOW, word_tables)

    assert events.groups == (("a", "b"), ("c", "d"), ("e",))
    assert set(events.keywords["a"]) == {"flood", "river", "rain"}
    # idf of the rare word ln 6, of the common ones ln 3.5
    assert events.keywords["a"] == ("rain", "flood", "river")


def test_the_keywords_of_an_event_are_those_of_most_articles() -> None:
    found = [("b", "c"), ("c", "a"), ("d",)]

    assert event_keywords(found, 1) == {"c"}
    assert event_keywords(found, 3) == {"a", "b", "c"}


def test_compatibility_is_the_share_of_common_keywords_if_titles_meet() -> None:
    # {flood, velm, river} and {flood, velm, rain}: 2 of 4
    one = Root(frozenset({"flood", "velm", "river"}), frozenset({"flood", "hits"}))
    other = Root(frozenset({"flood", "velm", "rain"}), frozenset({"flood", "rises"}))
    untold = Root(other.keywords, frozenset({"rises"}))

    assert compatible(one, other) == 0.5
    assert compatible(one, untold) == 0.0
    assert compatible(one, one) == 1.0
    assert compatible(Root(frozenset(), one.title), Root(frozenset(), one.title)) == 0


def test_an_event_of_new_articles_joins_a_compatible_story() -> None:
    # Nothing is alike enough for an edge (similarity 1). Keywords: {flood, rain,
    # velm} and {boat, flood, velm}: 2 of 4 = 0.5, and "flood" is in both titles.
    slides = [
        [article("a", 0, "flood velm", "rain")],
        [article("b", 1, "flood velm", "boat")],
    ]

    joined = follow(slides, similarity=1.0, compatibility=0.5)
    apart = follow(slides, similarity=1.0, compatibility=0.51)

    assert joined[-1] == {"a": "s000001", "b": "s000001"}
    assert apart[-1] == {"a": "s000001", "b": "s000002"}


def test_a_new_article_goes_where_the_older_ones_of_its_event_are() -> None:
    # "flood" and "velm" are in a, b and d, "coach" and "final" in c and e: two
    # topics. No story is compatible (1.0), so only the document graph decides.
    slides = [
        [
            article("a", 0, "flood velm", "rain"),
            article("b", 0, "flood velm", "boat"),
            article("c", 0, "coach final", "goal"),
        ],
        [article("d", 1, "flood velm", "tide"), article("e", 1, "coach final", "team")],
    ]

    before, after = follow(slides, compatibility=1.0)

    assert before == {"a": "s000001", "b": "s000001", "c": "s000002"}
    assert after == {**before, "d": "s000001", "e": "s000002"}


def test_stories_are_numbered_by_their_first_article() -> None:
    late = [article("a", 0.5, "coach final"), article("b", 0.1, "flood velm")]

    (found,) = follow([late])

    assert found == {"b": "s000001", "a": "s000002"}


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
def test_it_is_a_discoverer(system: System) -> None:
    check_discoverer(lambda: system.make(SETTINGS, ENCODER))


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
def test_what_is_planted_stays(system: System) -> None:
    discoverer = system.make(SETTINGS, ENCODER)
    state = discoverer.begin()
    first: dict[str, str | None] = {}
    for slide in tiny_slides():
        state, _ = discoverer.advance(state, slide)
        for name, story in discoverer.assignments(state).items():
            assert first.setdefault(name, story) == story


def test_the_stories_of_the_tiny_stream_are_found() -> None:
    slides = tiny_slides()
    told = follow([slide.articles for slide in slides[:2]])

    found: dict[str, set[str | None]] = {}
    for name, story in told[-1].items():
        found.setdefault(name.split("-")[0], set()).add(story)

    assert sorted(map(len, found.values())) == [1, 1, 1]
    assert len(set.union(*found.values())) == 3


@given(
    st.lists(
        st.sets(st.sampled_from("abcdef"), max_size=4).map(sorted),
        min_size=1,
        max_size=8,
    ),
    st.integers(1, 3),
    st.floats(0.01, 1),
)
def test_edges_are_those_of_the_definition(
    keywords: list[list[str]], together: int, share: float
) -> None:
    count = {w: sum(w in each for each in keywords) for w in "abcdef"}
    expected = {}
    for one in "abcdef":
        for other in "abcdef":
            both = sum(one in each and other in each for each in keywords)
            if one < other and both >= together:
                chances = both / count[one], both / count[other]
                if min(chances) >= share:
                    expected[one + other] = float(both)

    assert edges(*keyword_graph(keywords, together, share)) == expected


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
def test_articles_without_a_word_are_taken_in(system: System) -> None:
    discoverer = system.make(SETTINGS, ENCODER)
    nothing = load_pipeline("fast").count(("...",), "en")
    wordless = [replace(article(name, 0, "rain"), counts=nothing) for name in "ab"]

    state, _ = discoverer.advance(
        discoverer.begin(), Slide(end=START + DAY, articles=wordless)
    )

    assert discoverer.assignments(state).keys() == {"a", "b"}


@pytest.mark.parametrize("system", [SYSTEM, PSE], ids=lambda system: system.name)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keywords": 0}, "keywords must be a whole number of at least 1, got 0"),
        ({"keywords": 2.5}, "keywords must be a whole number .* got 2.5"),
        ({"keywords": True}, "keywords must be a whole number .* got True"),
        ({"together": 0}, "together must be a whole number of at least 1, got 0"),
        ({"share": 0.0}, "share must be above 0 and at most 1, got 0.0"),
        ({"share": "half"}, "share must be a number, got 'half'"),
        ({"similarity": 1.1}, "similarity must be above 0 and at most 1, got 1.1"),
        ({"similarity": float("nan")}, "similarity must be above 0"),
        ({"compatibility": -1}, "compatibility must be above 0"),
        ({"compatibility": None}, "compatibility must be a number, got None"),
        ({"trees": 3}, "has no parameter 'trees'"),
    ],
)
def test_a_bad_parameter_is_refused(
    system: System, changes: dict[str, Parameter], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        system.make(SETTINGS, ENCODER, **changes)


def test_states_of_other_parameters_and_of_the_other_variant_are_refused() -> None:
    same = dict(PSE.parameters)
    words = SYSTEM.make(SETTINGS, ENCODER, **same)
    frozen = words.freeze(words.begin())

    for other in (PSE.make(SETTINGS, ENCODER), SYSTEM.make(SETTINGS, ENCODER)):
        with pytest.raises(StateError, match="other settings"):
            other.thaw(frozen)


def test_the_defaults_are_among_the_values_worth_trying() -> None:
    for system in (SYSTEM, PSE):
        assert system.ranges.keys() <= system.parameters.keys()
        for name, values in system.ranges.items():
            assert system.parameters[name] in values
