from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ustory.core.arrays import SentenceVectors
from ustory.testing import TinyEncoder, check_encoder

Breaking = Callable[[SentenceVectors], SentenceVectors]


class Broken(TinyEncoder):
    """Spoils what a sound encoder says."""

    def __init__(self, breaking: Breaking) -> None:
        self._break = breaking

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Encode, then spoil."""
        return self._break(super().encode(sentences))


def _nudged(rows: SentenceVectors, steps: int = 1) -> SentenceVectors:
    """Move one number by some float16 steps wherever there is company."""
    rows = rows.copy()
    if len(rows) > 1:
        place = rows[1].argmax()
        rows[1, place] -= steps * np.spacing(rows[1, place])
    return rows


def _lonely_is_lost(rows: SentenceVectors) -> SentenceVectors:
    return rows * np.float16(0) if len(rows) == 1 else rows


def _not_finite(rows: SentenceVectors) -> SentenceVectors:
    return np.where(rows == 0, np.float16("nan"), rows)


class _Moody(TinyEncoder):
    """Says something new each time."""

    def __init__(self) -> None:
        self._calls = 0

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        self._calls += 1
        return np.roll(super().encode(sentences), self._calls, axis=1)


class _ShortOfBreath(TinyEncoder):
    """Gives up on a long sentence."""

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        rows = super().encode(sentences)
        rows[[len(sentence) > 10_000 for sentence in sentences]] = 0
        return rows


class _Nameless(TinyEncoder):
    name = ""


def test_a_sound_encoder_passes() -> None:
    check_encoder(TinyEncoder())
    check_encoder(Broken(lambda rows: rows))


@pytest.mark.parametrize(
    ("breaking", "rule"),
    [
        (lambda rows: rows[::-1], "give a repeated sentence the same row"),
        (lambda rows: rows.astype(np.float32), "give float16"),
        (lambda rows: rows * np.float16(1.01), "give rows of length 1"),
        (lambda rows: rows[:, :31], "give shape"),
        (lambda rows: rows[:1], "give shape"),
        (_not_finite, "give finite numbers"),
        (lambda rows: rows[[0] * len(rows)], "give different sentences different rows"),
        (lambda rows: np.roll(rows, len(rows), axis=1), "alone and in company"),
        (_lonely_is_lost, "alone and in company"),
        (_nudged, "alone and in company"),
    ],
)
def test_each_broken_promise_is_named(breaking: Breaking, rule: str) -> None:
    with pytest.raises(AssertionError, match=rule):
        check_encoder(Broken(breaking))


def test_a_moody_encoder_is_caught() -> None:
    with pytest.raises(AssertionError, match="twice"):
        check_encoder(_Moody())


def test_giving_up_on_a_long_sentence_is_caught() -> None:
    with pytest.raises(AssertionError, match="give rows of length 1"):
        check_encoder(_ShortOfBreath())


def test_a_nameless_encoder_is_caught() -> None:
    with pytest.raises(AssertionError, match="have a name"):
        check_encoder(_Nameless())


def test_one_step_of_float16_passes_where_exactness_is_not_asked() -> None:
    check_encoder(Broken(_nudged), exact=False)


def test_two_steps_do_not() -> None:
    with pytest.raises(AssertionError, match="alone and in company"):
        check_encoder(Broken(lambda rows: _nudged(rows, steps=2)), exact=False)
