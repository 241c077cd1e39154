"""How well found stories agree with true ones: B-cubed, ARI and AMI."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, fields
from statistics import fmean
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustory.core.arrays import Vector
from ustory.core.errors import ConfigError

Tally: TypeAlias = NDArray[np.int64]
"""Numbers of articles; 64 bits, because they are squared and multiplied."""


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """The cells of the table true stories × found stories that are not empty.

    It grows with the articles, never with stories × stories. Cell c says that
    `counts[c]` articles of true story `rows[c]` were put into found story
    `columns[c]`.
    """

    counts: Tally
    rows: Tally
    columns: Tally
    true_sizes: Tally
    """Articles of each true story; no zeros."""
    found_sizes: Tally
    """Articles of each found story; no zeros."""
    total: int

    @property
    def identical(self) -> bool:
        """Whether both sides group the articles in the same way."""
        return self.counts.size == self.true_sizes.size == self.found_sizes.size


def contingency(
    truth: Sequence[Hashable], predicted: Sequence[Hashable]
) -> Contingency:
    """Return the sparse table that every metric here is computed from.

    >>> contingency(["x", "x", "y"], [1, 2, 2]).counts.tolist()
    [1, 1, 1]
    """
    if len(truth) != len(predicted):
        raise ConfigError(
            "each article needs one true and one found story; "
            f"got {len(truth)} true and {len(predicted)} found labels"
        )
    if len(truth) == 0:
        raise ConfigError("there is nothing to score: give at least one article")
    rows, true_stories = _codes(truth)
    columns, found_stories = _codes(predicted)
    cells, counts = np.unique(rows * found_stories + columns, return_counts=True)
    return Contingency(
        counts=counts.astype(np.int64),
        rows=cells // found_stories,
        columns=cells % found_stories,
        true_sizes=np.bincount(rows, minlength=true_stories).astype(np.int64),
        found_sizes=np.bincount(columns, minlength=found_stories).astype(np.int64),
        total=len(truth),
    )


def _codes(labels: Sequence[Hashable]) -> tuple[Tally, int]:
    """Return a number for each label, by first appearance, and how many there are."""
    seen: dict[Hashable, int] = {}
    numbered = (seen.setdefault(label, len(seen)) for label in labels)
    return np.fromiter(numbered, dtype=np.int64, count=len(labels)), len(seen)


class BCubed(NamedTuple):
    """B-cubed precision, recall and F1, averaged over articles."""

    precision: float
    recall: float
    f1: float
    """Harmonic mean of the averaged precision and recall."""


def bcubed(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> BCubed:
    """Return B-cubed of one true and one found story per article.

    An article's precision is the share of its found story that belongs to its
    true story; its recall is the share of its true story that was found with it
    (Bagga & Baldwin 1998; Amigó et al. 2009, without overlap).

    >>> bcubed(["x", "x", "y", "y"], [1, 1, 1, 2]).recall
    0.75
    """
    return bcubed_of(contingency(truth, predicted))


def bcubed_of(table: Contingency) -> BCubed:
    """Return B-cubed of a table that is already counted.

        P = 1/N Σ n_ij² / n_·j        R = 1/N Σ n_ij² / n_i·

    The n_ij articles of a cell all have the same precision n_ij / n_·j.
    """
    squares = table.counts.astype(np.float64) ** 2
    precision = float((squares / table.found_sizes[table.columns]).sum() / table.total)
    recall = float((squares / table.true_sizes[table.rows]).sum() / table.total)
    # Both are above 0: every article is found at least with itself.
    return BCubed(precision, recall, 2 * precision * recall / (precision + recall))


_CELLS = 1 << 19
"""Numbers worked on at a time: fits the processor's cache rather than memory."""

_TAIL = 46.0
"""Overlaps less likely than e^-46 ≈ 1e-20 are left out."""


def expected_mutual_information(
    true_sizes: Tally, found_sizes: Tally, total: int
) -> float:
    """Return E[MI] over all ways to shuffle articles between stories.

        E[MI] = Σ_ij Σ_n  P(n | a_i, b_j, N) · n/N · log(N·n / (a_i·b_j))

    P is hypergeometric and depends on the sizes a_i, b_j alone, so each pair of
    *different* sizes is computed once: N articles have at most √(2N) different
    sizes on a side, however many stories there are.
    """
    true, true_many = np.unique(true_sizes, return_counts=True)
    found, found_many = np.unique(found_sizes, return_counts=True)
    a, b = np.repeat(true, found.size), np.tile(found, true.size)
    many = np.outer(true_many, found_many).ravel()
    low, high = _likely_overlaps(a, b, total)
    expected = 0.0
    for block in _blocks(high - low + 1):
        each = _pair_terms(a[block], b[block], low[block], high[block], total)
        expected += float(many[block] @ each)
    return expected


def _likely_overlaps(a: Tally, b: Tally, total: int) -> tuple[Tally, Tally]:
    """Return the least and the greatest overlap of each pair worth counting.

    By Bernstein's bound, an overlap is further than t from its mean μ = ab/N
    with probability at most e^(−t² / (2μ + 2t/3)); t solves that for `_TAIL`.
    """
    mean = a * (b / total)
    reach = _TAIL / 3 + np.sqrt((_TAIL / 3) ** 2 + 2 * _TAIL * mean)
    low = np.maximum(np.floor(mean - reach).astype(np.int64), 0)
    high = np.ceil(mean + reach).astype(np.int64)
    return np.maximum(low, a + b - total), np.minimum(high, np.minimum(a, b))


def _blocks(lengths: Tally) -> Iterator[NDArray[np.intp]]:
    """Yield the pairs in blocks of similar length that stay within `_CELLS`."""
    order = np.argsort(-lengths)
    start = 0
    while start < order.size:
        # The longest comes first, so it bounds the width of its block.
        size = max(1, _CELLS // int(lengths[order[start]]))
        yield order[start : start + size]
        start += size


def _pair_terms(a: Tally, b: Tally, low: Tally, high: Tally, total: int) -> Vector:
    """Return the inner sum of E[MI] for each pair of sizes.

    P follows from the ratios P(n)/P(n−1) and Σ P = 1: log-factorials of a
    million would leave only nine digits of it.
    """
    a, b, low, high = (column[:, np.newaxis] for column in (a, b, low, high))
    # (pairs, overlaps), shorter rows padded at the right
    overlap = low + np.arange(int((high - low).max()) + 1)
    inside = overlap <= high
    logs = np.zeros(overlap.shape)
    n = np.where(inside, overlap, high)[:, 1:]
    rise = ((a - n + 1) * (b - n + 1)) / np.maximum(n * (total - a - b + n), 1)
    np.cumsum(np.log(rise), axis=1, out=logs[:, 1:])
    logs[~inside] = -np.inf
    chance = np.exp(logs - logs.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    # An overlap of 0 adds 0; the 1 only keeps its logarithm quiet.
    surprise = np.log(np.maximum(overlap, 1) * (total / (a * b)))
    terms: Vector = (chance * overlap * surprise).sum(axis=1) / total
    return terms


_EPS = float(np.finfo(np.float64).eps)


def adjusted_rand(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> float:
    """Return the adjusted Rand index: 1 for the same groups, 0 as by chance.

    >>> adjusted_rand(["x", "x", "y", "y"], [1, 2, 1, 2])
    -0.5
    """
    return adjusted_rand_of(contingency(truth, predicted))


def adjusted_rand_of(table: Contingency) -> float:
    """Return the adjusted Rand index of a table that is already counted.

        ARI = (Σ C(n_ij,2) − E) / ((A + B)/2 − E),  E = A·B / C(N,2)

    where A and B count the pairs inside the true and the found stories. It is
    computed in whole numbers, so no precision is lost with many articles.
    """
    together = _pairs(table.counts)
    true, found = _pairs(table.true_sizes), _pairs(table.found_sizes)
    all_pairs = table.total * (table.total - 1) // 2
    spread = (true + found) * all_pairs - 2 * true * found
    # No spread: one story on both sides, or only singletons on both sides.
    if spread == 0:
        return 1.0
    return 2 * (together * all_pairs - true * found) / spread


def adjusted_mutual_info(
    truth: Sequence[Hashable], predicted: Sequence[Hashable]
) -> float:
    """Return adjusted mutual information: 1 for the same groups, 0 as by chance.

    >>> adjusted_mutual_info(["x", "x", "y"], [7, 7, 3])
    1.0
    """
    return adjusted_mutual_info_of(contingency(truth, predicted))


def adjusted_mutual_info_of(table: Contingency) -> float:
    """Return adjusted mutual information of a table that is already counted.

        AMI = (MI − E[MI]) / ((H_true + H_found)/2 − E[MI])

    One story against many says nothing and scores 0.
    """
    if table.identical:
        return 1.0
    if table.true_sizes.size == 1 or table.found_sizes.size == 1:
        return 0.0
    expected = expected_mutual_information(
        table.true_sizes, table.found_sizes, table.total
    )
    entropies = [
        _entropy(sizes, table.total) for sizes in (table.true_sizes, table.found_sizes)
    ]
    gained = _off_zero(_mutual_information(table) - expected)
    return gained / _off_zero(sum(entropies) / 2 - expected)


def _pairs(sizes: Tally) -> int:
    # A Python int, because products of these overflow 64 bits.
    return int((sizes * (sizes - 1) // 2).sum())


def _entropy(sizes: Tally, total: int) -> float:
    share = sizes / total
    return float(-(share * np.log(share)).sum())


def _mutual_information(table: Contingency) -> float:
    surprise = np.log(table.counts) + math.log(table.total)
    surprise -= np.log(table.true_sizes)[table.rows]
    surprise -= np.log(table.found_sizes)[table.columns]
    # Never negative in theory; rounding may say otherwise.
    return max(float((table.counts / table.total * surprise).sum()), 0.0)


def _off_zero(difference: float) -> float:
    """Keep a difference at least one rounding step from zero, sign kept.

    Both differences of AMI vanish if one side is all singletons; the result must
    not be 0/0.
    """
    if difference < 0:
        return min(difference, -_EPS)
    return max(difference, _EPS)


PROTOCOLS = ("singleton", "paper")
"""`singleton`: each unassigned article is its own story; `paper`: all are one."""

Label: TypeAlias = str | tuple[str, int]
"""A story's id, or what stands in for a missing one; the two never collide."""


def check_protocol(protocol: str) -> str:
    """Return the protocol's name; refuse one that does not exist."""
    if protocol not in PROTOCOLS:
        raise ConfigError(
            f"no protocol named {protocol!r} for unassigned articles; "
            f"try one of: {', '.join(PROTOCOLS)}"
        )
    return protocol


def label_unassigned(predicted: Sequence[str | None], protocol: str) -> list[Label]:
    """Return a label for every article, so that metrics see a full grouping.

    >>> label_unassigned(["s1", None, None], "paper")
    ['s1', ('unassigned', 0), ('unassigned', 0)]
    >>> label_unassigned(["s1", None, None], "singleton")
    ['s1', ('unassigned', 1), ('unassigned', 2)]
    """
    apart = check_protocol(protocol) == "singleton"
    return [
        ("unassigned", place if apart else 0) if story is None else story
        for place, story in enumerate(predicted)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValues:
    """The metrics of the paper's Table 2, and the two halves of B-cubed F1."""

    bcubed_precision: float
    bcubed_recall: float
    bcubed_f1: float
    ami: float
    ari: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(MetricValues):
    """The metrics of one set of articles, and how large it was."""

    articles: int
    stories: int
    """True stories among the articles."""
    found: int
    """Stories the articles were put into; unassigned ones make none."""


METRICS = tuple(field.name for field in fields(MetricValues))
"""Names of the metrics, in the order tables show them."""


def score(
    truth: Sequence[str], predicted: Sequence[str | None], protocol: str
) -> Score:
    """Return every metric of the articles' found stories against the true ones.

    None in `predicted` is an unassigned article; `protocol` says what it counts as.
    """
    table = contingency(truth, label_unassigned(predicted, protocol))
    precision, recall, f1 = bcubed_of(table)
    return Score(
        bcubed_precision=precision,
        bcubed_recall=recall,
        bcubed_f1=f1,
        ami=adjusted_mutual_info_of(table),
        ari=adjusted_rand_of(table),
        articles=table.total,
        stories=table.true_sizes.size,
        found=len(set(predicted) - {None}),
    )


def mean_metrics(scores: Sequence[MetricValues]) -> MetricValues:
    """Return the plain mean of each metric: every window counts the same."""
    if not scores:
        raise ConfigError("there is no score to average: give at least one")
    return MetricValues(
        **{name: fmean(getattr(each, name) for each in scores) for name in METRICS}
    )
