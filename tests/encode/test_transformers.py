from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.encode import load_encoder
from ustory.encode.transformers import TransformersEncoder
from ustory.testing import check_encoder

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("sentence_transformers") is None,
    reason="needs torch: pip install 'ustory[transformers]'",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a tiny model of random weights, as sentence-transformers would."""
    import sentence_transformers as library  # noqa: PLC0415 - heavy, optional
    import torch  # noqa: PLC0415 - heavy, optional

    transformers = import_module("transformers")
    bert = tmp_path_factory.mktemp("bert")
    letters = [chr(code) for code in range(33, 127)]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters]
    tokens += [f"##{letter}" for letter in letters]
    (bert / "vocab.txt").write_text("\n".join(tokens), encoding="utf-8")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokens), hidden_size=24, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=48, max_position_embeddings=64,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(bert)
    transformers.BertTokenizerFast(str(bert / "vocab.txt")).save_pretrained(bert)
    saved = tmp_path_factory.mktemp("models") / "tiny-bert"
    library.SentenceTransformer(str(bert)).save(str(saved))
    return saved


@needs_torch
def test_a_model_in_a_folder_keeps_the_contract(folder: Path) -> None:
    encoder = load_encoder(f"sentence-transformers:{folder}")

    check_encoder(encoder, exact=False)
    assert encoder.dim == 24
    assert encoder.name == f"sentence-transformers:{folder}"


@needs_torch
def test_it_says_what_the_library_says(folder: Path) -> None:
    import sentence_transformers as library  # noqa: PLC0415 - heavy, optional

    sentences = ["A storm hits the coast.", "Shares fell.", "x " * 100]
    theirs = library.SentenceTransformer(str(folder)).encode(
        sentences, normalize_embeddings=True
    )

    rows = TransformersEncoder(str(folder)).encode(sentences)

    np.testing.assert_allclose(rows.astype(np.float64), theirs, atol=1e-3)


@needs_torch
def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such-model"}))

    with pytest.raises(
        ConfigError, match="cannot load the sentence-transformers model"
    ):
        TransformersEncoder(str(tmp_path))


def test_what_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ustory.core.extras.find_spec", lambda name: None)

    with pytest.raises(
        MissingExtraError, match=r"pip install 'ustory\[transformers\]'"
    ):
        TransformersEncoder("any/model")
