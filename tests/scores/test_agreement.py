"""Our adjusted scores are scikit-learn's, at any size it can reach."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from ustory.core.arrays import Vector
from ustory.core.errors import ConfigError
from ustory.scores import agreement as chance
from ustory.scores.agreement import Tally, adjusted_mutual_info, adjusted_rand

labelled = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1)
sizes = st.lists(st.integers(1, 40), min_size=1, max_size=12)


@given(labelled)
def test_adjusted_rand_is_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    truth, found = [t for t, _ in pairs], [p for _, p in pairs]

    expected = adjusted_rand_score(truth, found)

    assert adjusted_rand(truth, found) == pytest.approx(expected, abs=1e-9)


@given(labelled)
def test_adjusted_mutual_info_is_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    truth, found = [t for t, _ in pairs], [p for _, p in pairs]

    expected = adjusted_mutual_info_score(truth, found)

    assert adjusted_mutual_info(truth, found) == pytest.approx(expected, abs=1e-9)


@given(sizes, st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_uneven_stories_with_strays_agree_with_scikit_learn(
    sizes: list[int], seed: int, strayed: float
) -> None:
    generator = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    stray = generator.random(truth.size) < strayed
    found = np.where(stray, generator.permutation(truth), truth)

    ami = adjusted_mutual_info(truth.tolist(), found.tolist())
    ari = adjusted_rand(truth.tolist(), found.tolist())

    assert ami == pytest.approx(adjusted_mutual_info_score(truth, found), abs=1e-9)
    assert ari == pytest.approx(adjusted_rand_score(truth, found), abs=1e-9)


def test_large_stories_agree_although_unlikely_overlaps_are_left_out() -> None:
    generator = np.random.default_rng(5)
    truth = generator.choice(30, size=20_000, p=np.arange(1, 31) / 465)
    found = np.where(generator.random(20_000) < 0.5, truth, 3)

    ami = adjusted_mutual_info(truth.tolist(), found.tolist())

    assert ami == pytest.approx(adjusted_mutual_info_score(truth, found), abs=1e-9)


@pytest.mark.parametrize(
    ("truth", "found", "score"),
    [
        ([0, 0, 0], [1, 1, 1], 1.0),  # one story on both sides
        ([0, 1, 2], [5, 4, 3], 1.0),  # singletons on both sides
        ([0, 0, 0], [0, 1, 2], 0.0),  # one story against singletons
        ([0, 1, 2], [0, 0, 0], 0.0),
        ([0], [0], 1.0),  # a single article
    ],
)
def test_corners_are_exact(truth: list[int], found: list[int], score: float) -> None:
    for ours, theirs in (
        (adjusted_rand, adjusted_rand_score),
        (adjusted_mutual_info, adjusted_mutual_info_score),
    ):
        assert ours(truth, found) == score
        assert theirs(truth, found) == pytest.approx(score, abs=1e-9)


def test_many_singletons_against_stories_score_as_chance() -> None:
    articles = range(50_000)

    ami = adjusted_mutual_info([a // 7 for a in articles], articles)

    assert ami == pytest.approx(0.0, abs=1e-9)


def test_pairs_of_a_million_articles_do_not_overflow() -> None:
    # C(10^6, 2)² is past 2^63, where a 64-bit product would turn over.
    truth = [0] * 500_000 + [1] * 500_000
    found = [0] * 499_999 + [1] * 500_001

    assert adjusted_rand(truth, found) == pytest.approx(0.999996, abs=1e-9)


def test_many_stories_of_few_sizes_agree_with_scikit_learn() -> None:
    generator = np.random.default_rng(7)
    truth, found = generator.integers(1_000, size=(2, 10_000))

    ami = adjusted_mutual_info(truth.tolist(), found.tolist())

    assert ami == pytest.approx(adjusted_mutual_info_score(truth, found), abs=1e-9)


def test_each_pair_of_sizes_is_worked_out_once_however_many_stories_have_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worked: list[tuple[int, int]] = []
    pair_terms = chance._pair_terms

    def noting(a: Tally, b: Tally, low: Tally, high: Tally, total: int) -> Vector:
        worked.extend(zip(a.tolist(), b.tolist(), strict=True))
        return pair_terms(a, b, low, high, total)

    monkeypatch.setattr(chance, "_pair_terms", noting)
    true, found = np.repeat([3, 5, 9], 10_000), np.repeat([2, 6], [25_000, 20_000])

    chance.expected_mutual_information(true, found, 170_000)

    assert sorted(worked) == [(a, b) for a in (3, 5, 9) for b in (2, 6)]


def test_chance_agreement_is_the_same_in_small_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = np.array([1, 2, 2, 9, 30, 56])
    whole = chance.expected_mutual_information(sizes, sizes, 100)

    monkeypatch.setattr(chance, "_CELLS", 8)

    in_blocks = chance.expected_mutual_information(sizes, sizes, 100)
    assert in_blocks == pytest.approx(whole, rel=1e-12)


def test_chance_agreement_with_singletons_is_all_there_is_to_know() -> None:
    # Every shuffle of singletons tells the other side's story exactly: E[MI] = H.
    sizes = np.array([3, 5, 12])
    share = sizes / 20

    expected = chance.expected_mutual_information(sizes, np.ones(20, np.int64), 20)

    assert expected == pytest.approx(-(share * np.log(share)).sum(), rel=1e-13)


def test_nothing_has_no_agreement() -> None:
    for metric in (adjusted_rand, adjusted_mutual_info):
        with pytest.raises(ConfigError, match="nothing to score"):
            metric([], [])
