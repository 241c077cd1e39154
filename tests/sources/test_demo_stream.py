from __future__ import annotations

from collections import Counter
from itertools import pairwise
from statistics import median

import pytest

from ustory.core.article import Article
from ustory.sources import Problems, open_source
from ustory.sources.demo import EXPLAINED, demo_stream
from ustory.text.fast import FastPipeline


@pytest.fixture(scope="module")
def articles() -> list[Article]:
    source = open_source(str(demo_stream()), Problems("stop"))
    return [arrival.article for arrival in source.read()]


def stories(articles: list[Article]) -> dict[str, list[Article]]:
    sizes = Counter(article.label for article in articles)
    return {
        str(label): [a for a in articles if a.label == label]
        for label, size in sizes.items()
        if size > 1
    }


def test_it_is_large_enough_to_show_something(articles: list[Article]) -> None:
    assert len(articles) >= 100
    assert len(stories(articles)) >= 12
    assert len({article.published_at.date() for article in articles}) >= 12


def test_it_is_valid_and_in_order(articles: list[Article]) -> None:
    assert len({article.id for article in articles}) == len(articles)
    assert all(a.published_at <= b.published_at for a, b in pairwise(articles))
    for article in articles:
        assert article.label
        assert article.source
        assert article.authors
        assert article.lang == "en"
        assert article.url
        assert ".example/" in article.url


def test_articles_have_6_to_15_sentences_below_their_title(
    articles: list[Article],
) -> None:
    pipeline = FastPipeline()
    for article in articles:
        title, *sentences = pipeline.split(article)
        assert title == article.title
        assert 6 <= len(sentences) <= 15, article.id


def test_there_are_long_and_short_stories_and_noise(articles: list[Article]) -> None:
    spans = [
        (found[-1].published_at.date() - found[0].published_at.date()).days + 1
        for found in stories(articles).values()
    ]
    labels = Counter(article.label for article in articles)

    assert max(spans) >= 10
    assert min(spans) <= 4
    assert 3 <= median(spans) <= 10
    assert sum(size == 1 for size in labels.values()) >= 8


def test_two_events_of_one_kind_happen_at_the_same_time(
    articles: list[Article],
) -> None:
    found = stories(articles)
    for kind in ("earthquake", "trial"):
        one, other = (found[label] for label in found if label.endswith(kind))
        assert one[0].published_at < other[-1].published_at
        assert other[0].published_at < one[-1].published_at


def test_the_article_to_explain_is_one_of_the_earthquakes(
    articles: list[Article],
) -> None:
    labels = {article.id: article.label for article in articles}

    assert labels[EXPLAINED] == "ostry-ridge-earthquake"
