"""An encoder that is loaded when it is first asked to encode, if ever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ustory.core.arrays import SentenceVectors
from ustory.core.protocols import Encoder
from ustory.encode.load import load_encoder


class AsleepEncoder:
    """Knows its name and its dimension; most jobs never need more.

    Articles come with their vectors, so that a process which never encodes neither
    waits for a model nor holds one.
    """

    def __init__(self, name: str, dim: int) -> None:
        self._asked = name
        self.dim = dim

    @property
    def name(self) -> str:
        """What it is called in settings."""
        return self._asked

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        return self._awake.encode(sentences)

    @cached_property
    def _awake(self) -> Encoder:
        return load_encoder(self._asked)
