"""What is read of an article, and how many languages are held, is bounded."""

from __future__ import annotations

import gc
from threading import Event, Thread

import numpy as np
import pytest
from simplemma.strategies import DefaultStrategy
from simplemma.strategies.dictionaries import DefaultDictionaryFactory
from simplemma.strategies.dictionaries.stream_dictionary_factory import StreamMap
from tests.text.test_counting import assert_same
from tests.text.test_sentences import make_article

from ustory.text import fast
from ustory.text.counting import MAX_CHARACTERS, MAX_LEMMAS, TermCounter, count_terms
from ustory.text.fast import FastPipeline
from ustory.text.languages import MAX_LOADED, UNKNOWN, LoadedLanguages, language_of
from ustory.text.lemmas import Lemmatiser, is_read
from ustory.text.sentences import MAX_SENTENCES


def test_an_article_of_two_letter_lines_has_a_bounded_number_of_sentences() -> None:
    article = make_article("Title", "ab\n" * 333_000)

    sentences = FastPipeline().split(article)

    assert len(sentences) == MAX_SENTENCES
    assert sentences[:2] == ("Title", "ab")


def test_an_article_of_words_that_differ_has_a_bounded_number_of_terms() -> None:
    words = [f"w{n:05d}x" for n in range(30_000)]
    sentences = [" ".join(words[at : at + 100]) for at in range(0, len(words), 100)]

    counts = FastPipeline().count(sentences, "en")

    assert len(counts.words) == MAX_LEMMAS
    assert len(counts.first) <= 2 * MAX_LEMMAS
    assert counts.words[0] == words[0]


def test_both_ways_of_counting_leave_out_the_same_lemmas() -> None:
    text = [" ".join(f"w{n}x{m}" for m in range(70)) for n in range(400)]
    reader = Lemmatiser("en")

    (found,) = TermCounter("en").count([text])

    assert_same(found, count_terms(list(map(reader.of, text))))


def test_words_behind_the_first_quarter_of_a_million_characters_are_not_looked_up() -> (
    None
):
    text = ["harbour", *["x" * 1_000] * (MAX_CHARACTERS // 1_000), "lighthouse"]

    counts = FastPipeline().count(text, "en")

    assert "harbour" in counts.terms
    assert "lighthouse" not in counts.terms
    assert int(np.max(counts.sentence)) < len(text)


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("en-US", "en"), ("EN_us", "en"), ("de-Latn-CH", "de"), (None, "en"),
        ("", "en"), ("x", UNKNOWN), ("made up", UNKNOWN), ("ç" * 3, UNKNOWN),
        ("a" * 9, UNKNOWN),
    ],
)  # fmt: skip
def test_a_tag_stands_for_its_language(tag: str | None, language: str) -> None:
    assert language_of(tag) == language


def test_an_article_in_american_english_is_read_as_english() -> None:
    pipeline = FastPipeline()
    assert_same(
        pipeline.count(["The mayors met"], "en-US"),
        pipeline.count(["The mayors met"], "en"),
    )


def test_languages_nobody_knows_share_one_counter_and_few_are_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []

    def counter(lang: str) -> TermCounter:
        made.append(lang)
        return TermCounter(lang)

    monkeypatch.setattr(fast, "TermCounter", counter)
    pipeline = FastPipeline()
    for number in range(300):
        tag = "".join("abcdefghij"[int(digit)] for digit in str(number))
        pipeline.count(["It rained"], f"q{tag}")
    for known in ("it", "fr", "es", "nl", "pt", "ca", "id", "ms"):
        pipeline.count(["It rained"], known)

    assert made == [UNKNOWN, "it", "fr", "es", "nl", "pt", "ca", "id", "ms"]
    assert len(pipeline._counters) == MAX_LOADED


def test_dropping_a_language_changes_no_count() -> None:
    pipeline, text = FastPipeline(), ["Le elezioni sono finite", "LE ELEZIONI"]
    before = pipeline.count(text, "it")
    for other in ("fr", "es", "nl", "pt", "ca", "id", "ms"):
        pipeline.count(["x"], other)

    assert_same(pipeline.count(text, "it"), before)


def test_a_language_that_is_dropped_leaves_the_memory_at_once() -> None:
    gc.collect()
    gc.disable()
    before = _dictionaries()
    try:
        counter = TermCounter("it")
        counter.count([["Le elezioni sono finite"]])
        assert _dictionaries() == before + 1
        del counter
        assert _dictionaries() == before
    finally:
        gc.enable()


def _dictionaries() -> int:
    return sum(isinstance(each, StreamMap) for each in gc.get_objects())


def test_what_was_used_last_is_held() -> None:
    made: list[str] = []

    def make(lang: str) -> str:
        made.append(lang)
        return lang

    held = LoadedLanguages(make, most=2)

    for lang in ("a", "b", "a", "c", "a", "b"):
        assert held.get(lang) == lang

    assert made == ["a", "b", "c", "b"]


def test_many_languages_do_not_push_out_the_default_one() -> None:
    made: list[str] = []

    def make(lang: str) -> str:
        made.append(lang)
        return lang

    held = LoadedLanguages(make, most=3)
    for lang in ("en", "a", "b", "c", "d", "e", "en"):
        assert held.get(lang) == lang

    assert made == ["en", "a", "b", "c", "d", "e"]
    assert len(held) == 3


def test_a_language_that_is_held_can_be_used_while_another_is_loaded() -> None:
    begun, over, done = Event(), Event(), Event()

    def make(lang: str) -> str:
        if lang == "it":
            begun.set()
            over.wait(20)
        return lang

    held = LoadedLanguages(make)

    def use() -> None:
        held.get("de")
        done.set()

    held.get("de")
    threads = [
        Thread(target=held.get, args=("it",), daemon=True),
        Thread(target=use, daemon=True),
    ]
    threads[0].start()
    assert begun.wait(5)
    threads[1].start()
    try:
        assert done.wait(5), "it waits for the other language"
    finally:
        over.set()
        for thread in threads:
            thread.join(20)
    assert len(held) == 2


@pytest.mark.parametrize("lang", ["de", "it", "es", "nl", "hi"])
def test_a_packed_dictionary_gives_the_lemmas_of_an_unpacked_one(lang: str) -> None:
    whole = DefaultStrategy(
        dictionary_factory=DefaultDictionaryFactory(cache_max_size=1)
    )
    reader = Lemmatiser(lang)
    packed = reader._strategy
    assert packed is not None
    factory = DefaultDictionaryFactory(cache_max_size=1)
    every = list(factory.get_dictionary(lang))

    for word in [*every[:: len(every) // 300], "zzzz", "élan", "12-x"]:
        assert packed.get_lemma(word, lang) == whole.get_lemma(word, lang)


def test_a_language_is_read_where_its_words_or_its_spelling_are_known() -> None:
    assert is_read("no")
    assert is_read("en")
    assert is_read("zh")
    assert not is_read("vi")
    assert not is_read(UNKNOWN)
