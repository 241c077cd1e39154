"""Words tell stories apart, or confuse them."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import TermCounts
from ustory_bench.describe import wording as wording_module
from ustory_bench.describe.wording import Wording, Words, wording_of

DAY = timedelta(days=1)
NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


def counted(text: str) -> TermCounts:
    """Return the terms of one sentence; of its pairs only the first, as a decoy."""
    found = Counter(text.split())
    n = len(found)
    first, second = [*range(n), 0], [-1] * n + [0]
    tf = [*found.values(), 9]
    if not n:
        first, second, tf = [], [], []
    return TermCounts(
        words=tuple(found),
        first=np.array(first, dtype=np.int32),
        second=np.array(second, dtype=np.int32),
        tf=np.array(tf, dtype=np.int32),
        cells=np.ones(len(tf), dtype=np.int32),
        term=np.arange(len(tf), dtype=np.int32),
        sentence=np.zeros(len(tf), dtype=np.int32),
        count=np.array(tf, dtype=np.int32),
    )


def gathered(*texts: str) -> Words:
    words = Words()
    for text in texts:
        words.add(counted(text))
    return words


def wording(*articles: tuple[str, str | None, float]) -> Wording:
    """Judge articles of words, label and day, in windows of a week."""
    words = gathered(*(text for text, _, _ in articles))
    labels = [label for _, label, _ in articles]
    return wording_of(words, labels, [NOON + d * DAY for *_, d in articles], 7 * DAY)


def test_a_row_is_tfidf_of_single_words_and_of_unit_length() -> None:
    rows = gathered("quake quake city", "city vote", "").rows().toarray()

    quake, city = (1 + log(2)) * log(1 + 3 / 1), log(1 + 3 / 2)
    length = sqrt(quake**2 + city**2)
    assert rows[0, :2] == pytest.approx([quake / length, city / length])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 0])


def test_stories_with_words_of_their_own_are_told_apart() -> None:
    found = wording(
        ("quake city", "q", 0), ("quake city", "q", 1), ("vote law", "v", 0),
        ("vote law", "v", 2),
    )  # fmt: skip

    assert found.within == pytest.approx(1)
    assert (found.beside, found.confused) == (0, 0)
    assert found.near_copies == 1
    assert found.judged == 4


def test_twins_are_confused() -> None:
    found = wording(
        ("quake city", "one", 0), ("quake village", "one", 0), ("quake city", "two", 0),
        ("quake village", "two", 0),
    )  # fmt: skip

    assert found.within is not None
    assert found.beside is not None
    assert found.beside > found.within
    assert found.confused == 1


def test_articles_a_window_apart_do_not_meet() -> None:
    found = wording(("quake", "one", 0), ("quake", "two", 7), ("vote", None, 6.9))

    assert found.nearest == 0
    assert (found.within, found.beside, found.confused) == (None, None, None)


def test_without_labels_only_neighbours_are_told() -> None:
    found = wording(("quake city", None, 0), ("quake city", None, 0))

    assert found.nearest == pytest.approx(1)
    assert found.near_copies == 1
    assert found.within is None


def test_one_story_only_has_no_other_beside_it() -> None:
    found = wording(("quake city", "q", 0), ("quake", "q", 0))

    assert (found.within, found.beside) == (None, None)
    assert found.nearest is not None


def test_articles_without_words_are_like_nothing() -> None:
    found = wording(("", "q", 0), ("", "q", 0), ("", "v", 0))

    assert (found.nearest, found.near_copies, found.within) == (0, 0, 0)


def test_of_many_articles_every_kth_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording_module, "_JUDGED", 3)

    assert wording(*(("quake", "q", n) for n in range(10))).judged == 3


def test_only_so_many_articles_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording_module, "KEPT", 2)

    assert wording(*(("quake", "q", n) for n in range(5))).judged == 2


texts = st.lists(st.sampled_from(["quake", "city", "vote", "law"]), max_size=5)
articles = st.lists(
    st.tuples(
        texts.map(" ".join),
        st.sampled_from(["a", "b", "c", None]),
        st.integers(0, 20).map(float),
    ),
    min_size=1,
    max_size=12,
)


@given(articles, st.integers(1, 5))
def test_blocks_give_what_all_pairs_give(
    given_: list[tuple[str, str | None, float]], block: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wording_module, "_BLOCK", block)
        found = wording(*given_)

    given_ = sorted(given_, key=lambda article: article[2])
    rows = gathered(*(text for text, _, _ in given_)).rows().toarray()
    alike = rows @ rows.T
    nearest, within, beside = [], [], []
    for i, (_, label, day) in enumerate(given_):
        near = [j for j, a in enumerate(given_) if j != i and abs(a[2] - day) < 7]
        nearest.append(max((alike[i, j] for j in near), default=0))
        means = {
            s: np.mean([alike[i, j] for j in near if given_[j][1] == s])
            for s in {given_[j][1] for j in near} - {None}
        }
        others = [mean for s, mean in means.items() if s != label]
        if label is not None and label in means and others:
            within.append(means[label])
            beside.append(max(others))

    assert found.nearest == pytest.approx(np.mean(nearest))
    assert found.within == (pytest.approx(np.mean(within)) if within else None)
    assert found.beside == (pytest.approx(np.mean(beside)) if beside else None)
