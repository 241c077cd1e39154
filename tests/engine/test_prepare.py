"""Articles are prepared in order, with one call to the encoder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count

import numpy as np
import pytest

from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.engine.prepare import Stopwatch, prepare
from ustory.testing import TinyEncoder
from ustory.text.fast import FastPipeline

NOW = datetime(2024, 3, 4, tzinfo=UTC)
ARTICLES = [
    Article(
        id="b", published_at=NOW, title="Flood in Velm", text="It rains. Boats come."
    ),
    Article(id="a", published_at=NOW, title="A vote"),
    Article(id="c", published_at=NOW, text="No title here."),
]


class _Counting(TinyEncoder):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        self.calls.append(list(sentences))
        return super().encode(sentences)


def test_all_sentences_of_a_slide_are_encoded_at_once() -> None:
    encoder = _Counting()

    prepared = prepare(ARTICLES, FastPipeline(), encoder, Stopwatch())

    sentences = [s for article in prepared for s in article.sentences]
    assert encoder.calls == [sentences]
    assert [p.article for p in prepared] == ARTICLES
    assert [p.sentences[0] for p in prepared] == [
        "Flood in Velm",
        "A vote",
        "No title here.",
    ]


def test_each_article_gets_its_own_rows_and_terms() -> None:
    for one in prepare(ARTICLES, FastPipeline(), TinyEncoder(), Stopwatch()):
        expected = TinyEncoder().encode(one.sentences)
        np.testing.assert_array_equal(one.vectors, expected)
        terms = FastPipeline().count(one.sentences, None).terms
        assert one.counts.terms == terms


def test_the_two_steps_are_timed() -> None:
    ticks = count()
    stopwatch = Stopwatch(lambda: float(next(ticks)))

    prepare(ARTICLES, FastPipeline(), TinyEncoder(), stopwatch)

    assert dict(stopwatch.seconds) == {"text": 1.0, "encoding": 1.0}


def test_no_article_needs_no_encoder() -> None:
    encoder = _Counting()

    assert prepare([], FastPipeline(), encoder, Stopwatch()) == []
    assert encoder.calls == []


def test_an_article_without_words_to_read_is_refused() -> None:
    empty = Article(id="e1", published_at=NOW, text=" \n ")

    with pytest.raises(InputError, match="'e1' has neither") as caught:
        prepare([empty], FastPipeline(), TinyEncoder(), Stopwatch())
    assert caught.value.kind == "no-text"


def test_an_encoder_that_gives_too_few_rows_is_refused() -> None:
    class Short(TinyEncoder):
        def encode(self, sentences: Sequence[str]) -> SentenceVectors:
            return super().encode(sentences)[1:]

    with pytest.raises(
        ConfigError, match=r"'tiny' must give 5 rows of 32.*check_encoder"
    ):
        prepare(ARTICLES, FastPipeline(), Short(), Stopwatch())


def test_vectors_are_rounded_to_float16_here_at_the_latest() -> None:
    class Wide(TinyEncoder):
        def encode(self, sentences: Sequence[str]) -> SentenceVectors:
            rows = super().encode(sentences)
            return rows.astype(np.float64) / 3  # type: ignore[return-value]

    (first, *_) = prepare(ARTICLES, FastPipeline(), Wide(), Stopwatch())

    assert first.vectors.dtype == np.float32
    rounded = first.vectors.astype(np.float16).astype(np.float32)
    assert (rounded == first.vectors).all()


def test_articles_of_several_languages_keep_their_own_terms() -> None:
    langs = ["de", "en", None, "de"]
    articles = [
        Article(id=str(n), published_at=NOW, text="die Regierungen", lang=lang)
        for n, lang in enumerate(langs)
    ]

    prepared = prepare(articles, FastPipeline(), TinyEncoder(), Stopwatch())

    expected = [FastPipeline().count(["die Regierungen"], lang) for lang in langs]
    assert [p.counts.terms for p in prepared] == [e.terms for e in expected]
    assert prepared[0].counts.terms != prepared[1].counts.terms


def test_a_pipeline_that_counts_only_one_by_one_is_enough() -> None:
    class Plain:
        name = "plain"
        split = FastPipeline().split
        count = FastPipeline().count

    prepared = prepare(ARTICLES, Plain(), TinyEncoder(), Stopwatch())

    whole = prepare(ARTICLES, FastPipeline(), TinyEncoder(), Stopwatch())
    assert [p.counts.terms for p in prepared] == [w.counts.terms for w in whole]
