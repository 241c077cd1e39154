"""The sparse table counts what the articles say, and nothing else."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.scores.agreement import contingency

label = st.one_of(st.integers(0, 5), st.sampled_from("abc"), st.none())
labelled = st.lists(st.tuples(label, label), min_size=1)
Pairs = list[tuple[int | str | None, int | str | None]]


@given(labelled)
def test_cells_are_the_counted_pairs_of_labels(pairs: Pairs) -> None:
    truth, predicted = [t for t, _ in pairs], [p for _, p in pairs]
    true_order, found_order = list(dict.fromkeys(truth)), list(dict.fromkeys(predicted))

    table = contingency(truth, predicted)

    cells = zip(table.rows, table.columns, table.counts, strict=True)
    named = {(true_order[i], found_order[j]): int(n) for i, j, n in cells}
    assert named == Counter(pairs)
    assert table.true_sizes.tolist() == [truth.count(t) for t in true_order]
    assert table.found_sizes.tolist() == [predicted.count(p) for p in found_order]
    assert table.total == len(pairs)


@given(labelled)
def test_groupings_are_identical_exactly_when_labels_map_one_to_one(
    pairs: Pairs,
) -> None:
    truth, predicted = [t for t, _ in pairs], [p for _, p in pairs]
    one_to_one = len(set(pairs)) == len(set(truth)) == len(set(predicted))

    assert contingency(truth, predicted).identical == one_to_one


def test_a_table_of_many_small_stories_stays_as_small_as_its_articles() -> None:
    articles = range(200_000)

    table = contingency(articles, articles)

    assert table.counts.size == len(articles)


def test_sequences_of_different_lengths_are_refused_with_both_lengths() -> None:
    with pytest.raises(ConfigError, match="got 3 true and 2 found labels"):
        contingency("abc", "ab")


def test_empty_sequences_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least one article"):
        contingency([], [])
