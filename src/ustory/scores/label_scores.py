"""All metrics of one set of articles, computed from one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import fmean

from ustory.core.errors import ConfigError
from ustory.scores.agreement import adjusted_mutual_info_of, adjusted_rand_of
from ustory.scores.bcubed import bcubed_of
from ustory.scores.contingency import contingency
from ustory.scores.protocols import label_unassigned


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The metrics of the paper's Table 2, and the two halves of B-cubed F1."""

    bcubed_precision: float
    bcubed_recall: float
    bcubed_f1: float
    ami: float
    ari: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Metrics):
    """The metrics of one set of articles, and how large it was."""

    articles: int
    stories: int
    """True stories among the articles."""
    found: int
    """Stories the articles were put into; unassigned ones make none."""


METRICS = tuple(field.name for field in fields(Metrics))
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


def mean_metrics(scores: Sequence[Metrics]) -> Metrics:
    """Return the plain mean of each metric: every window counts the same."""
    if not scores:
        raise ConfigError("there is no score to average: give at least one")
    return Metrics(
        **{name: fmean(getattr(each, name) for each in scores) for name in METRICS}
    )
