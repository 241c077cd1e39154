from __future__ import annotations

import numpy as np
import pytest

from ustory.core.errors import MissingExtraError
from ustory.encode import minilm as module
from ustory.encode.installed import ModelFile
from ustory.encode.minilm import MiniLmEncoder

STORM = "A storm cut the power to forty thousand homes along the coast."
GALE = "Tens of thousands were left without electricity after the gale."
RATES = "The central bank raised interest rates by a quarter point."


@pytest.fixture(scope="module")
def encoder() -> MiniLmEncoder:
    try:
        return MiniLmEncoder()
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_alike_sentences_are_closer_than_others(encoder: MiniLmEncoder) -> None:
    storm, gale, rates = encoder.encode([STORM, GALE, RATES]).astype(np.float64)

    assert storm @ gale > storm @ rates + 0.3


def test_it_says_what_the_original_model_says(encoder: MiniLmEncoder) -> None:
    # the well-known example of the model's card, from the original in float32
    weather, sunny, stadium = encoder.encode(
        [
            "The weather is lovely today.",
            "It's so sunny outside!",
            "He drove to the stadium.",
        ]
    ).astype(np.float64)

    assert weather @ sunny == pytest.approx(0.6660, abs=0.02)
    assert weather @ stadium == pytest.approx(0.1046, abs=0.02)
    assert sunny @ stadium == pytest.approx(0.1411, abs=0.02)


def test_a_row_is_the_same_in_any_company(encoder: MiniLmEncoder) -> None:
    mixed = [" ".join([STORM, GALE][: 1 + n % 2] * (1 + n % 3)) for n in range(12)]
    mixed = [f"{sentence} {n}" for n, sentence in enumerate(mixed)]
    together = encoder.encode(mixed)
    alone = np.concatenate([encoder.encode([sentence]) for sentence in mixed])

    np.testing.assert_array_equal(together, alone)


def test_only_the_first_256_tokens_are_read(encoder: MiniLmEncoder) -> None:
    start = "word " * 254
    rows = encoder.encode([start + STORM, start + RATES])

    np.testing.assert_array_equal(rows[0], rows[1])


def test_batches_cover_each_sentence_once_within_the_budget() -> None:
    lengths = [3, 40, 8, 9, 5, 16, 256] * 20

    batches = list(module._batches(lengths))

    assert sorted(place for batch in batches for place in batch) == list(range(140))
    assert [lengths[place] for batch in batches for place in batch] == sorted(lengths)
    for batch in batches:
        assert len(batch) * max(lengths[place] for place in batch) <= 512


def test_a_row_does_not_depend_on_the_budget(
    encoder: MiniLmEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [
        " ".join([STORM, RATES, GALE][: 1 + n % 3]) + " x" * n for n in range(9)
    ]
    expected = encoder.encode(sentences)

    for budget in (1, 64, 4096):
        monkeypatch.setattr(module, "_BUDGET", budget)
        np.testing.assert_array_equal(encoder.encode(sentences), expected)


def test_padding_is_left_out_of_the_mean() -> None:
    states = np.array([[[1.0, 2.0], [3.0, 4.0], [100.0, 100.0]]], dtype=np.float32)

    means = module._pool(states, np.array([[1, 1, 0]]))

    assert means.tolist() == [[2.0, 3.0]]


@pytest.mark.parametrize("absent", ["tokenizer", "runtime"])
def test_what_is_missing_names_the_exact_command(
    absent: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if absent == "tokenizer":
        nowhere = ModelFile("no_such_package", "tokenizer.json", "")
        monkeypatch.setattr(module, "TOKENIZER", nowhere)
    else:
        request.getfixturevalue("encoder")
        monkeypatch.setattr(module, "find_spec", lambda name: None)

    with pytest.raises(
        MissingExtraError, match=r"with: ustory encoders install minilm$"
    ):
        MiniLmEncoder()
