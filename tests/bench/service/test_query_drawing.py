"""Queries are drawn by how many articles they find, and what they find is true."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ustory.store import Store
from ustory.store.listing import search_articles
from ustory.store.search_words import words_of
from ustory.testing import TinyEncoder
from ustory_bench.service.filling import fill
from ustory_bench.service.query_drawing import (
    BANDS,
    candidate_ranks,
    draw_queries,
    made_postings,
    postings_of,
)
from ustory_bench.service.synthetic import Synthetic
from ustory_bench.service.vocabulary import OUTLETS, WORDS, outlet, word

MADE = Synthetic(3_000, most_live=100, window=200)
SMALL_BANDS = {"no hit": (0, 0), "few": (1, 20), "more": (20, 200), "many": (200, 1500)}


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [f"{title}\n{text}" for title, text in MADE.texts(0, MADE.articles)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store.open(str(tmp_path_factory.mktemp("drawn") / "archive.db"))
    fill(opened, MADE, lambda line: None, encoder=TinyEncoder())
    yield opened
    opened.close()


def test_every_rank_has_a_word_of_its_own_that_is_searched_as_it_is() -> None:
    words = {word(rank) for rank in range(WORDS + 1)}
    assert len(words) == WORDS + 1
    assert words_of(" ".join(sorted(words)[:1_000])) == sorted(words)[:1_000]
    assert len({outlet(number) for number in range(1, OUTLETS + 1)}) == OUTLETS


def test_the_archive_knows_which_articles_have_a_word(texts: list[str]) -> None:
    ranks = candidate_ranks()
    known, read = made_postings(MADE, ranks), postings_of(texts)
    for name, at in known.items():
        assert at.tolist() == read.get(name, at[:0]).tolist()


def test_every_band_has_queries_of_one_word_and_of_two(texts: list[str]) -> None:
    drawn = draw_queries(postings_of(texts[:400]), SMALL_BANDS, each=8)
    for band in ("no hit", "few", "more"):
        here = [query for query in drawn if query.band == band]
        assert len(here) == 8
        assert sum(" " in query.text for query in here) == 4
    again = draw_queries(postings_of(texts[:400]), SMALL_BANDS, each=8)
    assert again == drawn
    assert draw_queries(postings_of(texts[:400]), SMALL_BANDS, 8, seed=1) != drawn


def test_a_query_has_as_many_hits_as_it_was_drawn_for(store: Store) -> None:
    postings = made_postings(MADE, candidate_ranks())
    drawn = draw_queries(postings, BANDS, each=6)
    assert {query.band for query in drawn} == set(BANDS)
    for query in drawn:
        low, high = BANDS[query.band]
        assert low <= query.hits <= high
        with store.read() as connection:
            found = search_articles(connection, query.text, limit=3_000)
        assert len(found.items) == query.hits, query
