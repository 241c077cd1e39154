from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.text.fast import FastPipeline
from ustory.text.sentences import (
    MAX_SENTENCE,
    cut,
    one_spaced,
    split_article,
    whole,
)

pipeline = FastPipeline()


def make_article(title: str, text: str, lang: str | None = "en") -> Article:
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    return Article(id="a", published_at=moment, title=title, text=text, lang=lang)


def test_the_title_is_sentence_zero_even_when_it_looks_like_two() -> None:
    article = make_article("Floods hit.  Thousands\nflee", "Rain fell. Rivers rose.")
    assert pipeline.split(article) == (
        "Floods hit. Thousands flee",
        "Rain fell.",
        "Rivers rose.",
    )


def test_without_a_title_the_text_begins_at_sentence_zero() -> None:
    article = make_article(" \n ", "Rain fell. Rivers rose.")
    assert pipeline.split(article) == ("Rain fell.", "Rivers rose.")


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\n\n \n", "\u2028"])
def test_a_line_break_ends_a_sentence(line_break: str) -> None:
    article = make_article("", f"By our staff{line_break}the river rose")
    assert pipeline.split(article) == ("By our staff", "the river rose")


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    article = make_article("", "Mr. Smith met Dr. Jones. They talked.")
    assert pipeline.split(article) == ("Mr. Smith met Dr. Jones.", "They talked.")


def test_an_endless_sentence_is_cut_at_spaces_and_nothing_is_lost() -> None:
    words = [f"word{i}" for i in range(2_000)]
    sentences = pipeline.split(make_article("", " ".join(words)))
    assert max(map(len, sentences)) <= MAX_SENTENCE
    assert " ".join(sentences).split() == words


def test_a_megabyte_without_a_space_is_cut_hard_and_fast() -> None:
    started = time.perf_counter()
    sentences = pipeline.split(make_article("", "x" * 1_000_000))
    assert time.perf_counter() - started < 5
    assert {len(sentence) for sentence in sentences} == {MAX_SENTENCE}
    assert len(sentences) == 1_000


def test_a_long_title_is_cut_like_a_sentence() -> None:
    sentences = pipeline.split(make_article("word " * 300, "Rain fell."))
    assert max(map(len, sentences)) <= MAX_SENTENCE
    assert sentences[-1] == "Rain fell."
    assert " ".join(sentences[:-1]) == ("word " * 300).strip()


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("zh", "北京下雨了。河水上涨。", ("北京下雨了。", "河水上涨。")),
        ("ja", "雨が降った。川が増水した！", ("雨が降った。", "川が増水した！")),
        ("hi", "बारिश हुई। नदी बढ़ी।", ("बारिश हुई।", "नदी बढ़ी।")),
        (None, "Rain fell. Rivers rose.", ("Rain fell.", "Rivers rose.")),
        ("qqq", "Rain fell. Rivers rose.", ("Rain fell.", "Rivers rose.")),
    ],
)
def test_every_language_has_sentences(
    lang: str | None, text: str, expected: tuple[str, ...]
) -> None:
    assert pipeline.split(make_article("", text, lang)) == expected


@pytest.mark.parametrize("text", ["!!!", "—", "7", "。", "* * *"])
def test_an_article_of_punctuation_is_still_one_sentence(text: str) -> None:
    assert pipeline.split(make_article("", text)) == (text,)
    assert pipeline.split(make_article(" ", text)) == (text,)


def test_rules_and_bullets_between_sentences_are_left_out() -> None:
    article = make_article("", "Rain fell.\n***\n-\n1.\nRivers rose.")
    assert pipeline.split(article) == ("Rain fell.", "Rivers rose.")


def test_a_sentence_behind_a_long_rule_is_kept() -> None:
    text = "-" * 80 + " Rivers rose"
    assert pipeline.split(make_article("", text)) == (text,)


def test_half_a_character_becomes_a_replacement_sign() -> None:
    article = make_article("Rain \ud83c", "It fell \ud800 hard")
    assert pipeline.split(article) == ("Rain \ufffd", "It fell \ufffd hard")
    assert whole("Regen für alle 🌧") == "Regen für alle 🌧"
    assert whole("two halves \ud83c\udf27 meet \udf27") == "two halves 🌧 meet \ufffd"


@given(st.text(max_size=200), st.text(max_size=400))
def test_any_article_has_short_sentences_and_at_least_one(
    title: str, text: str
) -> None:
    sentences = pipeline.split(make_article(title, text))
    assert sentences
    assert all(len(sentence) <= MAX_SENTENCE for sentence in sentences)


@given(
    st.lists(st.text("ab", min_size=1, max_size=30), max_size=40), st.integers(5, 60)
)
def test_cutting_loses_spaces_at_most(words: list[str], limit: int) -> None:
    text = " ".join(words)
    parts = list(cut(text, limit))
    assert all(0 < len(part) <= limit for part in parts)
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.text("ab", min_size=1, max_size=5), max_size=40))
def test_no_word_is_cut_where_a_space_is_near(words: list[str]) -> None:
    parts = list(cut(" ".join(words), limit=12))
    assert " ".join(parts).split() == words


@given(st.one_of(st.text(), st.text("ab \u00a0\t\x1c\u2003\u200b\u00ad")))
def test_white_space_becomes_single_spaces(text: str) -> None:
    assert one_spaced(text) == " ".join(text.split())


@given(st.text("a_1 .-é"))
def test_a_line_is_a_sentence_when_it_has_two_letters_or_digits(text: str) -> None:
    sentences = split_article(make_article("Title", text), lambda lines: lines)

    assert (len(sentences) > 1) == (sum(map(str.isalnum, text)) > 1)
