"""What every evidence promises, as code that anyone can run on their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import Formatter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ustory.core.article import PreparedArticle
from ustory.core.evidence import Evidence, Pairs
from ustory.testing.parts import tiny_slides

_NONE = np.zeros(0)


def check_evidence(
    evidence: Evidence, articles: Sequence[PreparedArticle] | None = None
) -> None:
    """Raise AssertionError unless `evidence` keeps the contract of `Evidence`.

    It is asked about all pairs of some articles, a few invented ones if none are given.
    """
    given = articles or [a for slide in tiny_slides()[:2] for a in slide.articles]
    _require(
        isinstance(evidence.name, str) and evidence.name.isidentifier(),
        f"have a name that is one word, got {evidence.name!r}",
    )
    _require(bool(np.isfinite(evidence.most)), f"have a bound, got {evidence.most!r}")
    columns = [_column(evidence, prepared) for prepared in given]
    pairs = _all_pairs(evidence, columns)
    odds = evidence.log_odds(pairs)
    _check_odds(evidence, pairs, odds)
    _check_candidates(evidence, columns)
    _check_reason(evidence, odds)


def _require(condition: bool, rule: str) -> None:
    # no assert statement: the rules must also hold under python -O
    if not condition:
        raise AssertionError(f"evidence must {rule}")


def _column(evidence: Evidence, prepared: PreparedArticle) -> NDArray[Any]:
    """Check what is kept of an article: numbers that do not depend on the call."""
    found, again = evidence.column(prepared), evidence.column(prepared)
    if found is None or again is None:
        _require(found is again, "keep a column of every article, or of none")
        return _NONE
    is_array = isinstance(found, np.ndarray) and found.ndim == 1
    _require(
        is_array and found.dtype.kind in "iufb",
        f"keep arrays of numbers with one axis, got {found!r:.80}",
    )
    _require(np.array_equal(found, again), "keep the same of the same article")
    return found


def _all_pairs(evidence: Evidence, columns: Sequence[NDArray[Any]]) -> Pairs:
    """Return every pair of the articles, with random cosines and vectors."""
    count = len(columns)
    newer, older = np.tril_indices(count, -1)
    random = np.random.default_rng(1)
    vectors = random.normal(size=(count, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    body, lead = random.random((2, len(newer)))
    return Pairs(
        newer=newer,
        older=older,
        body=body,
        lead=lead,
        vectors=vectors,
        columns={evidence.name: columns},
    )


def _check_odds(evidence: Evidence, pairs: Pairs, odds: NDArray[Any]) -> None:
    is_array = isinstance(odds, np.ndarray) and odds.dtype == np.float64
    _require(
        is_array and odds.shape == (len(pairs),), "give one float64 number per pair"
    )
    _require(bool(np.isfinite(odds).all()), "give finite log-odds")
    highest = float(odds.max(initial=-np.inf))
    _require(
        highest <= evidence.most + 1e-6, f"give at most {evidence.most}, got {highest}"
    )
    again = evidence.log_odds(pairs)
    _require(np.array_equal(odds, again), "say the same of the same pairs")
    some = np.arange(len(pairs)) % 2 == 0
    part = evidence.log_odds(pairs.only(some))
    _require(np.array_equal(part, odds[some]), "weigh each pair by itself")
    none = pairs.only(np.zeros(len(pairs), dtype=bool))
    _require(len(evidence.log_odds(none)) == 0, "give nothing for no pairs")
    rows = int(pairs.newer.max()) + 1
    lacking = replace(pairs, columns={evidence.name: [_NONE] * rows})
    _require(
        bool(np.isfinite(evidence.log_odds(lacking)).all()),
        "give finite log-odds of articles whose column is empty",
    )


def _check_candidates(evidence: Evidence, columns: Sequence[NDArray[Any]]) -> None:
    new = max(len(columns) // 2, 1)
    found = evidence.candidates(columns, new)
    if found is None:
        return
    newer, older = (side.tolist() for side in found)
    _require(len(newer) == len(older), "propose as many newer rows as older ones")
    first, rows = len(columns) - new, len(columns)
    _require(
        all(
            first <= a < rows and 0 <= b < a for a, b in zip(newer, older, strict=True)
        ),
        "propose pairs of a new row and one before it",
    )


def _check_reason(evidence: Evidence, odds: NDArray[Any]) -> None:
    for each in (-5.0, 0.0, 5.0, *odds[:3].tolist()):
        reason = evidence.reason(each)
        fields = {name for _, name, _, _ in Formatter().parse(reason.message) if name}
        _require(
            fields <= set(reason.parameters), "give a parameter for each field it names"
        )
        _require(bool(str(reason).strip()), "have a reason for any log-odds")
