"""The door every encoder passes: plain text in, unit float16 rows out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import SentenceVectors
from ustory.core.errors import ConfigError

MAX_CHARACTERS = 10_000
"""What is read of one sentence; the rest of a runaway sentence is left out."""


def to_plain_text(sentences: Sequence[str]) -> list[str]:
    r"""Return the sentences as every tokenizer can read them.

    Each is cut to `MAX_CHARACTERS`, and half a surrogate pair, which JSON can
    carry and UTF-8 cannot, becomes a question mark.

    >>> to_plain_text(["caf\u00e9", "half \ud83d"])
    ['café', 'half ?']
    """
    # as a rule all are short and sound, which is told of all at once
    if max(map(len, sentences), default=0) <= MAX_CHARACTERS:
        with suppress(UnicodeEncodeError):
            "".join(sentences).encode("utf-8")
            return list(sentences)
    return [_readable(sentence[:MAX_CHARACTERS]) for sentence in sentences]


def _readable(sentence: str) -> str:
    if sentence.isascii():
        return sentence
    return sentence.encode("utf-8", "replace").decode("utf-8")


def to_unit_rows(rows: NDArray[np.floating]) -> SentenceVectors:
    """Return the rows at length 1, rounded to float16.

    All encoders end here, so whatever comes later sees the same numbers,
    fresh from the model or read back from a cache. A row of zeros has no
    direction and becomes the first axis.

    >>> to_unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.60009765625, 0.7998046875], [1.0, 0.0]]
    """
    exact = np.array(rows, dtype=np.float64, order="C")
    if exact.ndim != 2 or exact.shape[1] == 0:
        raise ConfigError(
            "an encoder gives a table of one row per sentence; this one gave shape "
            f"{exact.shape}; choose another encoder"
        )
    if exact.shape[0] == 0:
        return exact.astype(np.float16)
    _refuse_non_finite(exact)
    # by the largest entry first: the square of a huge or tiny one does not fit
    largest = np.abs(exact).max(axis=1, keepdims=True)
    exact[largest[:, 0] == 0, 0] = 1.0
    exact /= np.where(largest == 0, 1.0, largest)
    exact /= np.sqrt(np.square(exact).sum(axis=1, keepdims=True))
    return exact.astype(np.float16)


def _refuse_non_finite(rows: NDArray[np.float64]) -> None:
    broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if broken.size:
        raise ConfigError(
            "sentence vectors must be finite; the encoder gave NaN or infinity for "
            f"sentence {broken[0]} of {len(rows)}; choose another encoder or model"
        )
