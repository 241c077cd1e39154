"""What every encoder promises, as code that anyone can run on their own."""

from __future__ import annotations

import numpy as np

from ustory.core.arrays import SentenceVectors
from ustory.core.protocols import Encoder

_SENTENCES = (
    "The council voted on Tuesday to close the old bridge for repairs.",
    "A storm cut the power to forty thousand homes along the coast.",
    "",
    "Shares fell.",
    "Die Regierung kündigte neue Maßnahmen an.",
    "台风登陆后，数千人撤离。 🌪️",
    " \t ",
    "The council voted on Tuesday to close the old bridge for repairs.",
    "half a pair \ud83d of surrogates",
)
_LONG = "word after word after word " * 4000


def check_encoder(encoder: Encoder, *, exact: bool = True) -> None:
    """Raise AssertionError unless `encoder` keeps the contract of `Encoder`.

    With `exact`, a row may not depend on the other sentences of the call; else
    it may differ by one float16 step, as padding makes it do in some models.
    Exact is what lets a restarted run tell the same stories.
    """
    rows = encoder.encode(_SENTENCES)
    _check_names(encoder)
    _check_shape(encoder, rows, len(_SENTENCES))
    _check_determinism(encoder, rows, exact)
    _check_order(rows)
    _check_company(encoder, rows, exact)
    _check_shape(encoder, encoder.encode([]), 0)
    _check_shape(encoder, encoder.encode([_LONG]), 1)


def _require(condition: bool, rule: str) -> None:
    # no assert statement: the rules must also hold under python -O
    if not condition:
        raise AssertionError(f"an encoder must {rule}")


def _check_names(encoder: Encoder) -> None:
    _require(
        isinstance(encoder.name, str) and bool(encoder.name),
        f"have a name, got {encoder.name!r}",
    )
    _require(
        isinstance(encoder.dim, int) and encoder.dim > 0,
        f"have a positive dim, got {encoder.dim!r}",
    )


def _check_shape(encoder: Encoder, rows: SentenceVectors, count: int) -> None:
    """Check one float16 row of length 1 per sentence."""
    expected = (count, encoder.dim)
    _require(rows.shape == expected, f"give shape {expected}, got {rows.shape}")
    _require(rows.dtype == np.float16, f"give float16, got {rows.dtype}")
    _require(bool(np.isfinite(rows).all()), "give finite numbers")
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    _require(
        bool((np.abs(lengths - 1.0) < 1e-3).all()),
        f"give rows of length 1, got {lengths.tolist()}",
    )


def _check_determinism(encoder: Encoder, rows: SentenceVectors, exact: bool) -> None:
    again = encoder.encode(_SENTENCES)
    _require(_same(rows, again, exact), "say the same of the same sentences twice")


def _check_order(rows: SentenceVectors) -> None:
    last = len(_SENTENCES) - 2
    _require(_same(rows[0], rows[last], False), "give a repeated sentence the same row")
    others = [row.tobytes() for row in rows[[0, 1, 3]]]
    _require(len(set(others)) == 3, "tell different sentences apart")


def _check_company(encoder: Encoder, rows: SentenceVectors, exact: bool) -> None:
    """Check that a row is its sentence's: alone, reversed or beside a long one."""
    alone = np.concatenate([encoder.encode([sentence]) for sentence in _SENTENCES])
    _require(
        _same(rows, alone, exact), "give a sentence the same row alone and in company"
    )
    backwards = encoder.encode(_SENTENCES[::-1])[::-1]
    _require(_same(rows, backwards, exact), "keep the order of the sentences")
    beside = encoder.encode((_LONG, *_SENTENCES))[1:]
    _require(_same(rows, beside, exact), "give the same rows beside a long sentence")


def _same(one: SentenceVectors, other: SentenceVectors, exact: bool) -> bool:
    if exact:
        return bool(np.array_equal(one, other))
    step = np.spacing(np.maximum(np.abs(one), np.abs(other))).astype(np.float64)
    apart = np.abs(one.astype(np.float64) - other.astype(np.float64))
    # near zero float16 is finer than the float32 sums behind it
    return bool((apart <= np.maximum(step, 1e-6)).all())
