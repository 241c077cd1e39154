from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.encode.minilm_cuda import _BUDGETS, MiniLmCudaEncoder, cut
from ustory.testing import check_encoder

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None,
    reason="needs torch: pip install 'ustory[transformers]'",
)


@pytest.fixture(scope="module")
def encoder() -> MiniLmCudaEncoder:
    """Run the path of the card on the CPU, in float32."""
    try:
        return MiniLmCudaEncoder(device="cpu")
    except MissingExtraError as error:
        pytest.skip(str(error))


@needs_torch
def test_it_keeps_the_contract(encoder: MiniLmCudaEncoder) -> None:
    check_encoder(encoder, exact=False)


@needs_torch
def test_it_says_what_the_original_model_says(encoder: MiniLmCudaEncoder) -> None:
    # the well-known example of the model's card, from the original in float32
    rows = encoder.encode(
        [
            "The weather is lovely today.",
            "It's so sunny outside!",
            "He drove to the stadium.",
        ]
    ).astype(np.float64)

    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-3)


@needs_torch
def test_without_a_card_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch  # noqa: PLC0415 - heavy, optional

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    with pytest.raises(ConfigError, match="choose the encoder minilm"):
        MiniLmCudaEncoder()


def test_without_torch_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ustory.core.extras.find_spec", lambda name: None)

    with pytest.raises(
        MissingExtraError, match=r"pip install 'ustory\[transformers\]'"
    ):
        MiniLmCudaEncoder()


@pytest.mark.parametrize("seed", range(5))
def test_batches_hold_every_token_once_within_the_budget(seed: int) -> None:
    sizes = np.random.default_rng(seed).integers(2, 257, size=50 * 4**seed)
    ends = np.cumsum(sizes)
    tokens = np.arange(1, ends[-1] + 1, dtype=np.int32)

    batches = list(cut(tokens, ends, first=7))

    kept = [one.ids[: one.starts[-1]] for one in batches]
    np.testing.assert_array_equal(np.concatenate(kept), tokens)
    starts = np.cumsum([7, *(len(one.starts) - 1 for one in batches)])
    assert [one.first for one in batches] == starts[:-1].tolist()
    found = np.concatenate([np.diff(one.starts) for one in batches])
    np.testing.assert_array_equal(found, sizes)
    for one in batches:
        assert len(one.ids) in _BUDGETS
        assert np.diff(one.starts).max() <= one.longest <= 256
        assert not one.ids[one.starts[-1] :].any()


def test_no_sentence_makes_no_batch() -> None:
    nothing = np.array([], dtype=np.int64)

    assert list(cut(nothing.astype(np.int32), nothing, 0)) == []
