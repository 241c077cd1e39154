"""B-cubed as it is defined, article by article, against the table's short cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.scores.agreement import bcubed

labelled = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1)


def by_definition(truth: list[int], predicted: list[int]) -> tuple[float, float, float]:
    """Transcribe Bagga & Baldwin (1998): look around from every article."""
    articles = range(len(truth))
    precisions, recalls = [], []
    for a in articles:
        same_story = {b for b in articles if truth[b] == truth[a]}
        found_with = {b for b in articles if predicted[b] == predicted[a]}
        correct = len(same_story & found_with)
        precisions.append(correct / len(found_with))
        recalls.append(correct / len(same_story))
    precision = sum(precisions) / len(articles)
    recall = sum(recalls) / len(articles)
    return precision, recall, 2 * precision * recall / (precision + recall)


@given(labelled)
def test_the_table_gives_what_the_definition_gives(
    pairs: list[tuple[int, int]],
) -> None:
    truth, predicted = [t for t, _ in pairs], [p for _, p in pairs]

    assert bcubed(truth, predicted) == pytest.approx(
        by_definition(truth, predicted), abs=1e-12
    )


def test_a_hand_worked_example() -> None:
    # article      1    2    3    4    5    6    7
    truth = ["q", "q", "q", "q", "f", "f", "v"]
    found = ["A", "A", "A", "B", "B", "B", "C"]
    # precision   3/3  3/3  3/3  1/3  2/3  2/3  1/1   sum 17/3
    # recall      3/4  3/4  3/4  1/4  2/2  2/2  1/1   sum 11/2

    precision, recall, f1 = bcubed(truth, found)

    assert precision == pytest.approx(17 / 21)
    assert recall == pytest.approx(11 / 14)
    # 2PR/(P+R) of the averages; the average of the articles' own F1 is another number
    assert f1 == pytest.approx(2 * 17 * 11 / (17 * 14 + 11 * 21))


def test_amigo_2009_a_mixed_bag_costs_less_apart_from_clean_stories() -> None:
    # Rag bag: a stray article harms a clean story more than a bag of strays.
    truth = ["x"] * 4 + ["a", "b", "c", "d"] + ["stray"]
    into_clean = [1] * 4 + [2, 2, 2, 2] + [1]
    into_bag = [1] * 4 + [2, 2, 2, 2] + [2]

    assert bcubed(truth, into_bag).f1 > bcubed(truth, into_clean).f1
