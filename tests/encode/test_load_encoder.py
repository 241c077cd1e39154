from __future__ import annotations

from pathlib import Path

import pytest

from ustory.core.errors import ConfigError
from ustory.encode import CachedEncoder, load_encoder
from ustory.encode import load as module
from ustory.encode.wordllama import WordLlamaEncoder
from ustory.testing import TinyEncoder


class Named(TinyEncoder):
    """Stands in for an encoder that takes a model."""

    def __init__(self, model: str) -> None:
        self.name = f"sentence-transformers:{model}"


def test_the_name_in_the_settings_finds_the_encoder() -> None:
    assert isinstance(load_encoder("tiny"), TinyEncoder)
    assert isinstance(load_encoder("wordllama"), WordLlamaEncoder)


def test_a_cache_goes_in_front(tmp_path: Path) -> None:
    encoder = load_encoder("tiny", cache=tmp_path / "vectors.sqlite")

    assert isinstance(encoder, CachedEncoder)
    assert encoder.name == "tiny"


@pytest.mark.parametrize("model", ["owner/model", r"C:\models\mine", "folder:odd"])
def test_what_follows_the_colon_is_the_model(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find", lambda group, name: Named)

    encoder = load_encoder(f"sentence-transformers:{model}")

    assert encoder.name == f"sentence-transformers:{model}"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"'word-llama'; try one of: .*wordllama"):
        load_encoder("word-llama")


@pytest.mark.parametrize("name", ["sentence-transformers", "sentence-transformers:"])
def test_sentence_transformers_alone_needs_a_model(name: str) -> None:
    with pytest.raises(ConfigError, match="needs a model"):
        load_encoder(name)


def test_other_encoders_take_no_model() -> None:
    with pytest.raises(ConfigError, match="write 'tiny'"):
        load_encoder("tiny:big")
