from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from safetensors.numpy import load_file
from scipy.sparse import csr_array
from tokenizers import Tokenizer

from ustory.core.errors import ConfigError
from ustory.encode import wordllama as module
from ustory.encode.door import to_unit_rows
from ustory.encode.installed import package_file
from ustory.encode.pooling_scan import pool_words
from ustory.encode.wordllama import WordLlamaEncoder
from ustory.text import word_cache as words_module
from ustory.text.word_cache import Words

SENTENCES = [
    "The council voted on Tuesday to close the old bridge for repairs.",
    "A storm cut the power to 40,000 homes; crews worked through the night.",
    "“We’re looking at all options,” the governor said.",
    "Die Regierung kündigte neue Maßnahmen an.",
    "台风登陆后，数千人撤离。",
    "Shares fell 3% – the worst day since 2009 – and rose again.",
]
words = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1)


@pytest.fixture(scope="module")
def encoder() -> WordLlamaEncoder:
    return WordLlamaEncoder()


@pytest.fixture
def quiet_logging() -> Iterator[None]:
    """Undo what importing wordllama does to everybody's logging."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


@pytest.mark.usefixtures("quiet_logging")
def test_it_agrees_with_the_packages_own_code(encoder: WordLlamaEncoder) -> None:
    package = import_module("wordllama.inference")
    weights = package_file("wordllama", "weights/l2_supercat_256.safetensors")
    tokens = package_file("wordllama", "tokenizers/l2_supercat_tokenizer_config.json")
    assert weights is not None
    assert tokens is not None
    theirs = package.WordLlamaInference(
        load_file(weights)["embedding.weight"], Tokenizer.from_file(str(tokens))
    ).embed(SENTENCES, norm=True)

    cosines = (encoder.encode(SENTENCES).astype(np.float64) * theirs).sum(axis=1)

    assert cosines.min() > 0.999


@given(st.lists(words, min_size=1, max_size=12))
def test_word_by_word_gives_the_tokens_of_the_whole_sentence(
    sentence: list[str],
) -> None:
    encoder = _shared()
    plain = [word for word in sentence if "<" not in word and word.split() == [word]]
    whole = encoder._tokenizer.encode(" ".join(plain), add_special_tokens=False)

    tokens, ends = encoder._words.words([" ".join(plain)]).tokens_between(-1, -2, 9999)
    assert tokens.tolist() == [-1, *whole.ids, -2]
    assert ends.tolist() == [len(whole.ids) + 2]


@given(st.lists(st.lists(words, max_size=30).map(" ".join), max_size=8))
def test_pooling_is_the_sparse_product_to_the_bit(sentences: list[str]) -> None:
    encoder = _shared()
    tokenise = encoder._tokens_of_words
    tokens = [
        list(chain.from_iterable(tokenise(sentence.split()))) for sentence in sentences
    ]
    counts = csr_array(
        (
            np.ones(sum(map(len, tokens)), dtype=np.float32),
            np.array(list(chain.from_iterable(tokens)), dtype=np.int32),
            np.cumsum([0, *map(len, tokens)]),
        ),
        shape=(len(sentences), len(encoder._vectors)),
    )

    expected = to_unit_rows(np.asarray(counts @ encoder._vectors))

    np.testing.assert_array_equal(
        encoder.encode(sentences).view(np.uint16), expected.view(np.uint16)
    )


@given(hnp.arrays(np.float32, (3, 256), elements=st.floats(-1e6, 1e6, width=32)))
def test_any_row_is_rounded_as_at_the_door(rows: NDArray[np.float32]) -> None:
    found = np.empty(rows.shape, np.float16)
    one = np.arange(4, dtype=np.int64)
    number = np.arange(3, dtype=np.int32)

    words = Words(number, number + 1, number, one, number, one)
    pool_words(words, rows, found.view(np.uint16))

    np.testing.assert_array_equal(
        np.abs(found).view(np.uint16), np.abs(to_unit_rows(rows)).view(np.uint16)
    )
    np.testing.assert_array_equal(found, to_unit_rows(rows))


def test_no_token_goes_on_after_a_space(encoder: WordLlamaEncoder) -> None:
    vocabulary = encoder._tokenizer.get_vocab()

    assert not [token for token in vocabulary if "▁" in token.lstrip("▁")]


def test_a_row_is_the_same_to_the_bit_in_any_company(encoder: WordLlamaEncoder) -> None:
    many = [f"{sentence} {number}" for number in range(500) for sentence in SENTENCES]
    together = encoder.encode(many)

    fresh = WordLlamaEncoder()
    for place in range(0, len(many), 97):
        np.testing.assert_array_equal(fresh.encode([many[place]])[0], together[place])


def test_forgetting_words_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_module, "REMEMBERED_TOKENS", 3)
    forgetful = WordLlamaEncoder()
    expected = WordLlamaEncoder().encode(SENTENCES)

    rows = np.concatenate([forgetful.encode([sentence]) for sentence in SENTENCES])

    np.testing.assert_array_equal(rows, expected)
    assert forgetful._words._memory.count < 20


@pytest.mark.parametrize("sentence", ["", " ", "\t\n"])
def test_a_sentence_without_a_token_is_the_first_axis(
    encoder: WordLlamaEncoder, sentence: str
) -> None:
    row = encoder.encode([sentence])[0]

    assert row[0] == 1.0
    assert not row[1:].any()


def test_white_space_only_separates(encoder: WordLlamaEncoder) -> None:
    rows = encoder.encode(["two words", "  two \t words\n"])

    np.testing.assert_array_equal(rows[0], rows[1])


def test_alike_sentences_are_closer_than_others(encoder: WordLlamaEncoder) -> None:
    storm, gale, shares = encoder.encode(
        [
            "A storm cut the power along the coast.",
            "Power outages after the hurricane hit the shore.",
            "The central bank raised interest rates again.",
        ]
    ).astype(np.float64)

    assert storm @ gale > storm @ shares + 0.1


def test_the_wordllama_package_is_not_imported() -> None:
    code = (
        "import sys; from ustory.encode.wordllama import WordLlamaEncoder; "
        "WordLlamaEncoder().encode(['a']); sys.exit('wordllama' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_package_without_the_files_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nowhere(package: str, path: str) -> Path | None:
        return None

    monkeypatch.setattr(module, "package_file", nowhere)

    with pytest.raises(ConfigError, match="pip install --force-reinstall wordllama"):
        WordLlamaEncoder()


_ONE: list[WordLlamaEncoder] = []


def _shared() -> WordLlamaEncoder:
    """Hypothesis runs a test many times; one encoder serves them all."""
    if not _ONE:
        _ONE.append(WordLlamaEncoder())
    return _ONE[0]
