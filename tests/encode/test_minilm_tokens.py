from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from ustory.core.errors import MissingExtraError
from ustory.encode.installed import verified
from ustory.encode.minilm import TOKENIZER
from ustory.encode.minilm_cuda import MAX_TOKENS, MiniLmTokens

ODD = [
    "",
    " \t\n",
    "control\x1cs, \x0bspaces\x85 and\u3000wide ones",
    "“quoted”—dashed… it’s U.S.-based; 3%",
    "[SEP] inside[CLS]a word [MASK], a[b]c",
    "re\u0301sume\u0301 \u0301alone Ωmega İstanbul straße",
    "台风登陆后，数千人撤离。 🌪️ zero\u200bwidth\u00adsoft",
    "x" * 5000,
    "word " * 400,
    "a,b." * 200,
]


@pytest.fixture(scope="module")
def file() -> Path:
    try:
        return verified(TOKENIZER, "minilm")
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def ours(file: Path) -> MiniLmTokens:
    return MiniLmTokens(file)


@pytest.fixture(scope="module")
def whole(file: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


@pytest.mark.parametrize("sentence", ODD)
def test_odd_sentences_have_the_tokens_of_the_models_own_tokenizer(
    sentence: str, ours: MiniLmTokens, whole: Tokenizer
) -> None:
    tokens, ends = ours.of([sentence])

    assert tokens.tolist() == whole.encode(sentence).ids
    assert ends.tolist() == [len(tokens)]


@given(sentence=st.text(st.characters(exclude_categories=["Cs", "Cn"])))
def test_any_sentence_has_the_tokens_of_the_models_own_tokenizer(
    sentence: str, ours: MiniLmTokens, whole: Tokenizer
) -> None:
    assert ours.of([sentence])[0].tolist() == whole.encode(sentence).ids


def test_sentences_follow_one_another(ours: MiniLmTokens) -> None:
    tokens, ends = ours.of(ODD)
    alone = [ours.of([sentence])[0].tolist() for sentence in ODD]

    assert tokens.tolist() == [token for one in alone for token in one]
    assert ends[-1] == len(tokens)
