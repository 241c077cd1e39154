"""A score holds every metric of the same articles, whatever is left unassigned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from ustory.core.errors import ConfigError
from ustory.scores.agreement import Score, mean_metrics, score

stories = st.sampled_from("abcde")
pairs = st.lists(st.tuples(stories, st.none() | stories), min_size=1, max_size=60)
protocols = st.sampled_from(["singleton", "paper"])


def plain_bcubed(truth: list[str], found: list[object]) -> tuple[float, float]:
    """Look from every article at all others, as B-cubed is defined."""
    precision = recall = 0.0
    for true, own in zip(truth, found, strict=True):
        together = [t == true for t, f in zip(truth, found, strict=True) if f == own]
        precision += sum(together) / len(together)
        recall += sum(together) / truth.count(true)
    return precision / len(truth), recall / len(truth)


@given(pairs, protocols)
def test_every_metric_is_that_of_the_plain_definition_and_of_scikit_learn(
    pairs: list[tuple[str, str | None]], protocol: str
) -> None:
    truth, predicted = [t for t, _ in pairs], [p for _, p in pairs]
    alone = protocol == "singleton"
    found = [
        p if p is not None else f"none {n if alone else ''}"
        for n, p in enumerate(predicted)
    ]
    precision, recall = plain_bcubed(truth, list(found))

    result = score(truth, predicted, protocol)

    assert result.bcubed_precision == pytest.approx(precision, abs=1e-12)
    assert result.bcubed_recall == pytest.approx(recall, abs=1e-12)
    f1 = 2 * precision * recall / (precision + recall)
    assert result.bcubed_f1 == pytest.approx(f1, abs=1e-12)
    ami, ari = (
        f(truth, found) for f in (adjusted_mutual_info_score, adjusted_rand_score)
    )
    assert result.ami == pytest.approx(ami, abs=1e-9)
    assert result.ari == pytest.approx(ari, abs=1e-9)


def test_one_true_story_is_all_or_nothing_to_ami_and_ari() -> None:
    whole = score(["x"] * 4, ["s"] * 4, "singleton")
    torn = score(["x"] * 4, ["s", "s", "s", "r"], "singleton")

    assert whole.ami == whole.ari == whole.bcubed_f1 == 1
    assert torn.ami == torn.ari == 0
    assert torn.bcubed_recall == pytest.approx(10 / 16)


@pytest.mark.parametrize(
    ("protocol", "precision", "recall"), [("singleton", 1, 0.5), ("paper", 0.5, 1)]
)
def test_nothing_assigned_has_a_score_that_says_nothing(
    protocol: str, precision: float, recall: float
) -> None:
    result = score(["x", "x", "y", "y"], [None] * 4, protocol)

    assert (result.bcubed_precision, result.bcubed_recall) == (precision, recall)
    assert result.ami == pytest.approx(0, abs=1e-9)
    assert result.ari == result.found == 0


def test_the_mean_of_no_score_is_refused() -> None:
    none: list[Score] = []

    with pytest.raises(ConfigError, match="no score to average"):
        mean_metrics(none)
