"""Terms counted in compiled loops are those of the plain way, word by word."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ustory.core.article import TermCounts
from ustory.text import counting as module
from ustory.text.counting import TermCounter, count_terms
from ustory.text.fast import FastPipeline
from ustory.text.lemmas import Lemmatiser

LANGUAGES = ("en", "fr", "zh")
counters = {lang: TermCounter(lang) for lang in LANGUAGES}
readers = {lang: Lemmatiser(lang) for lang in LANGUAGES}
runs = st.sampled_from(
    [
        "U.S.", "US", "THE", "(MPs)", "don't", "DON'T", "80,000", "3.5%", "l'état",
        "。", "_U.S.", "“_U.S._”", "A", "HELLO,", "-", "“", "İSTANBUL", "北京大学",
        "Straße", "www.example.com/A", "senators", "Senators", "SENATORS", "\ud83d",
        "x" * 50, "A-B-C-D-E-F", "EU/UK/US/UN/WHO", "flood",
    ]
)  # fmt: skip
sentences = st.one_of(
    st.text(max_size=60),
    st.text("aAbBsStT.,'’-_ 019éİß北京\u0301\u2003", max_size=40),
    st.lists(runs, max_size=12).map(" ".join),
)


def assert_same(found: TermCounts, expected: TermCounts) -> None:
    for column in fields(TermCounts):
        one, other = getattr(found, column.name), getattr(expected, column.name)
        if column.name == "words":
            assert one == other
        else:
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


@given(
    st.sampled_from(LANGUAGES),
    st.lists(st.lists(sentences, max_size=5), max_size=4),
)
@example("en", [["SENATE ASKS US ABOUT THE U.S. ARMY", "US", "(US)"], [], ["US army"]])
@example("en", [["“_U.S._” TALKS GO ON"], ["EU, UK AND US, TOO"], ["A B C"]])
def test_terms_are_those_of_the_lemmas_of_each_sentence(
    lang: str, texts: list[list[str]]
) -> None:
    found = counters[lang].count(texts)

    assert len(found) == len(texts)
    for counts, text in zip(found, texts, strict=True):
        assert_same(counts, count_terms(list(map(readers[lang].of, text))))


def test_forgetting_words_changes_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 8)
    forgetful = TermCounter("en")
    texts = [[f"The mayor{n} met US senators", "THEY TOLD US"] for n in range(20)]

    for text in texts:
        expected = count_terms(list(map(readers["en"].of, text)))
        assert_same(forgetful.count([text])[0], expected)
        assert len(forgetful._known.lemmas) < 20


def test_a_word_repeated_ten_thousand_times_is_counted() -> None:
    (counts,) = counters["en"].count([["flood " * 10_000, "flood"]])

    assert counts.terms == ("flood", "flood flood")
    assert counts.tf.tolist() == [10_001, 9_999]
    assert counts.count.tolist() == [10_000, 1, 9_999]


def test_articles_counted_together_are_those_counted_alone() -> None:
    pipeline = FastPipeline()
    texts = [["Flood in Velm", "Boats come"], ["A vote"], ["Boats in Velm"]]

    together = pipeline.count_all(texts, "en")

    for counts, text in zip(together, texts, strict=True):
        assert_same(counts, FastPipeline().count(text, "en"))
