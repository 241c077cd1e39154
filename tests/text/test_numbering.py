from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.text import word_cache as module
from ustory.text.word_cache import ALONE, LETTER, SPACE, WordTokenizer

OPENING, CLOSING = -1, -2
text = st.text(st.characters(exclude_categories=["Cs"]))


def letters(words: list[str]) -> list[list[int]]:
    """Give a word the code points of its letters as tokens."""
    return [[ord(letter) for letter in word] for word in words]


def tokens_of(tokenizer: WordTokenizer, sentences: list[str]) -> list[list[int]]:
    tokens, ends = tokenizer.words(sentences).tokens_between(OPENING, CLOSING, 2**31)
    parts = np.split(tokens, ends)[:-1]
    for part in parts:
        assert part[0] == OPENING
        assert part[-1] == CLOSING
    return [part[1:-1].tolist() for part in parts]


@given(st.lists(text, max_size=8))
def test_words_are_those_of_split(sentences: list[str]) -> None:
    asked: list[str] = []

    def note(words: list[str]) -> list[list[int]]:
        asked.extend(words)
        return letters(words)

    found = tokens_of(WordTokenizer(note), sentences)

    expected = [letters(["".join(sentence.split())])[0] for sentence in sentences]
    assert found == expected
    assert len(asked) == len(set(asked))
    assert set(asked) == {word for sentence in sentences for word in sentence.split()}


@given(st.lists(text, max_size=4), st.lists(text, max_size=4))
def test_words_seen_before_are_not_asked_for_again(
    one: list[str], other: list[str]
) -> None:
    asked: list[str] = []

    def note(words: list[str]) -> list[list[int]]:
        asked.extend(words)
        return letters(words)

    tokenizer = WordTokenizer(note)
    tokenizer.words(one)
    before = len(asked)
    tokenizer.words(other)

    known = {word for sentence in one for word in sentence.split()}
    assert not known & set(asked[before:])


def test_a_character_can_be_a_word_by_itself() -> None:
    kinds = {" ": SPACE, ",": ALONE}
    asked: list[str] = []

    def note(words: list[str]) -> list[list[int]]:
        asked.extend(words)
        return letters(words)

    tokenizer = WordTokenizer(note, lambda character: kinds.get(character, LETTER))

    assert tokens_of(tokenizer, ["a,,b, c", ","]) == letters(["a,,b,c", ","])
    assert asked == ["a", ",", "b", "c"]


def test_sentences_are_cut_with_both_marks_kept() -> None:
    found = WordTokenizer(letters).words(["abc def", "", "ab"])

    tokens, ends = found.tokens_between(OPENING, CLOSING, 5)

    kept = [OPENING, *map(ord, "abc"), CLOSING, OPENING, CLOSING]
    assert tokens.tolist() == [*kept, OPENING, *map(ord, "ab"), CLOSING]
    assert ends.tolist() == [5, 7, 11]


def test_many_words_outgrow_every_array_and_are_still_found() -> None:
    tokenizer = WordTokenizer(letters)
    sentences = [f"w{number} " * 2 + "x" * (number % 50) for number in range(20_000)]
    for start in range(0, len(sentences), 1000):
        tokenizer.words(sentences[start : start + 1000])

    expected = letters(["".join(sentence.split()) for sentence in sentences])
    assert tokens_of(tokenizer, sentences) == expected


def test_what_was_found_stays_right_while_words_are_added() -> None:
    tokenizer = WordTokenizer(letters)
    early = tokenizer.words(["one two"])
    for number in range(5):
        tokenizer.words([f"{number}-{more}" for more in range(3000)])

    assert early.tokens_between(OPENING, CLOSING, 99)[0].tolist() == [
        OPENING,
        *map(ord, "onetwo"),
        CLOSING,
    ]


def test_forgetting_changes_nothing_and_bounds_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REMEMBERED_TOKENS", 30)
    tokenizer = WordTokenizer(letters)
    sentences = [f"word{number} again" for number in range(100)]

    found = [tokens_of(tokenizer, [sentence])[0] for sentence in sentences]

    assert found == letters([sentence.replace(" ", "") for sentence in sentences])
    assert tokenizer._memory.token_count < 60
