from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ustory.core.errors import MissingExtraError
from ustory.encode import minilm as batches
from ustory.encode import minilm as module
from ustory.encode.installed import ModelFile
from ustory.encode.minilm import MiniLmEncoder, OnnxRuntime, OpenVino

STORM = "A storm cut the power to forty thousand homes along the coast."
GALE = "Tens of thousands were left without electricity after the gale."
RATES = "The central bank raised interest rates by a quarter point."


@pytest.fixture(
    scope="module", params=[OnnxRuntime, OpenVino], ids=lambda kind: kind.name
)
def encoder(request: pytest.FixtureRequest) -> MiniLmEncoder:
    pytest.importorskip(request.param.name)
    try:
        return MiniLmEncoder(request.param)
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


def test_a_row_does_not_depend_on_the_budget(
    encoder: MiniLmEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    if encoder.runtime == OpenVino.name:
        pytest.skip("with OpenVINO the budget is part of a sentence's shape")
    sentences = [
        " ".join([STORM, RATES, GALE][: 1 + n % 3]) + " x" * n for n in range(9)
    ]
    expected = encoder.encode(sentences)

    for budget in (1, 64, 4096):
        monkeypatch.setattr(batches, "BUDGET", budget)
        np.testing.assert_array_equal(encoder.encode(sentences), expected)


def test_a_row_is_the_same_at_any_place_of_any_batch(encoder: MiniLmEncoder) -> None:
    sentences = [f"{STORM} {RATES}"[: 4 + 3 * n] for n in range(30)] * 2
    expected = dict(zip(sentences, encoder.encode(sentences), strict=True))

    for seed in range(3):
        drawn = np.random.default_rng(seed).choice(sentences, 17).tolist()
        for sentence, row in zip(drawn, encoder.encode(drawn), strict=True):
            np.testing.assert_array_equal(row, expected[sentence])


def test_threads_may_share_an_encoder(encoder: MiniLmEncoder) -> None:
    calls = [[f"{sentence} {n}" for sentence in (STORM, RATES)] for n in range(6)]
    expected = [encoder.encode(call) for call in calls]

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(encoder.encode, calls))

    np.testing.assert_array_equal(found, expected)


def test_padding_is_left_out_of_the_mean() -> None:
    states = np.array([[[1.0, 2.0], [3.0, 4.0], [100.0, 100.0]]], dtype=np.float32)

    means = module._pool(states, [2])

    assert means.tolist() == [[2.0, 3.0]]


def test_a_missing_tokenizer_names_the_exact_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nowhere = ModelFile("no_such_package", "tokenizer.json", "")
    monkeypatch.setattr(module, "TOKENIZER", nowhere)

    with pytest.raises(
        MissingExtraError, match=r"with: ustory encoders install minilm$"
    ):
        MiniLmEncoder()
