from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import TermCounts
from ustory.text.counting import count_terms

Cells = Counter[tuple[int, str]]
lemma_lists = st.lists(
    st.lists(st.sampled_from(["flood", "rescue", "river", "80,000", "us"]), max_size=8),
    max_size=6,
)


def cells(counts: TermCounts) -> Cells:
    """Write each cell out as (sentence, term) and its count."""
    terms = counts.terms
    rows = zip(
        counts.sentence.tolist(), counts.term.tolist(), counts.count.tolist(),
        strict=True,
    )  # fmt: skip
    return Counter({(sentence, terms[term]): count for sentence, term, count in rows})


def plain(lemmas: list[list[str]]) -> Cells:
    """Count the same with a Counter, word by word."""
    found: Cells = Counter()
    for sentence, words in enumerate(lemmas):
        for at, word in enumerate(words):
            found[sentence, word] += 1
            if at + 1 < len(words):
                found[sentence, f"{word} {words[at + 1]}"] += 1
    return found


@given(lemma_lists)
def test_counts_equal_those_of_a_plain_counter(lemmas: list[list[str]]) -> None:
    assert cells(count_terms(lemmas)) == plain(lemmas)


@given(lemma_lists)
def test_cells_are_distinct_sorted_and_of_distinct_terms(
    lemmas: list[list[str]],
) -> None:
    counts = count_terms(lemmas)
    places = list(zip(counts.term.tolist(), counts.sentence.tolist(), strict=True))
    assert places == sorted(set(places))
    assert len(set(counts.terms)) == len(counts.terms)
    assert set(counts.term.tolist()) == set(range(len(counts.terms)))


def test_a_pair_never_crosses_the_end_of_a_sentence() -> None:
    counts = count_terms([["flood", "rescue"], ["river", "flood"]])
    assert set(counts.terms) == {
        "flood", "rescue", "river", "flood rescue", "river flood",
    }  # fmt: skip


def test_a_pair_never_crosses_an_empty_sentence() -> None:
    assert set(count_terms([["flood"], [], ["rescue"]]).terms) == {"flood", "rescue"}


def test_a_repeated_word_is_a_term_and_a_pair() -> None:
    counts = cells(count_terms([["us", "us", "us"]]))
    assert counts == {(0, "us"): 3, (0, "us us"): 2}


def test_an_article_without_a_word_has_no_terms() -> None:
    for sentences in range(3):
        counts = count_terms([[]] * sentences)
        assert counts.terms == ()
        assert counts.term.size == counts.sentence.size == counts.count.size == 0
