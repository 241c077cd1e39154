"""Turns the encoder's name in the settings into an encoder."""

from __future__ import annotations

from pathlib import Path

from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.registry import find, made_of
from ustory.encode.cache import CachedEncoder

_WITH_MODEL = "sentence-transformers"
_IN_COMPANY = {_WITH_MODEL, "minilm-cuda"}
"""Encoders whose rows may depend, by a rounding, on the other sentences of a call: a
slide's sentences must be encoded in one call, and cannot be spread over workers."""


def load_encoder(name: str, cache: Path | None = None) -> Encoder:
    """Return the encoder `name`, behind the cache file `cache` if one is given.

    `sentence-transformers:ID` names a model of the hub, or a folder, as well.
    """
    family, colon, model = name.partition(":")
    if family == _WITH_MODEL and not model:
        raise ConfigError(
            f"{_WITH_MODEL} needs a model, got {name!r}; write for example "
            f"{_WITH_MODEL}:{_WITH_MODEL}/all-roberta-large-v1"
        )
    if colon and family != _WITH_MODEL:
        raise ConfigError(
            f"only {_WITH_MODEL} takes a model after a colon; got {name!r}; "
            f"write {family!r}"
        )
    made = find("encoders", family)
    encoder: Encoder = made(model) if model else made()
    encoder = CachedEncoder(encoder, cache) if cache is not None else encoder
    return encoder if family in _IN_COMPANY else made_of(encoder, name, cache)
