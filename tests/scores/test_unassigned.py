"""Unassigned articles are one story, or each their own, never somebody else's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.scores.agreement import label_unassigned, score

stories = st.lists(st.one_of(st.none(), st.text(max_size=3)))


@given(stories)
def test_singleton_gives_each_unassigned_article_its_own_story(
    predicted: list[str | None],
) -> None:
    labels = label_unassigned(predicted, "singleton")

    assigned = {story for story in predicted if story is not None}
    assert len(set(labels)) == len(assigned) + predicted.count(None)


@given(stories)
def test_paper_puts_all_unassigned_articles_into_one_story(
    predicted: list[str | None],
) -> None:
    labels = label_unassigned(predicted, "paper")

    assigned = {story for story in predicted if story is not None}
    assert len(set(labels)) == len(assigned) + (None in predicted)


@given(stories, st.sampled_from(["singleton", "paper"]))
def test_assigned_articles_keep_their_story(
    predicted: list[str | None], protocol: str
) -> None:
    labels = label_unassigned(predicted, protocol)

    for before, after in zip(predicted, labels, strict=True):
        assert before in (None, after)


def test_an_unknown_protocol_is_refused_and_both_are_named() -> None:
    with pytest.raises(ConfigError, match=r"'papers'.*singleton, paper"):
        label_unassigned(["s1"], "papers")


def test_the_protocol_decides_the_score() -> None:
    truth = ["a", "a", "b", "c"]
    predicted = ["s1", "s1", None, None]

    apart, together = (score(truth, predicted, p) for p in ("singleton", "paper"))

    assert apart.bcubed_f1 == apart.ami == apart.ari == 1.0
    assert together.bcubed_precision == pytest.approx(3 / 4)
    assert together.bcubed_recall == 1.0
    assert (apart.articles, apart.stories, apart.found) == (4, 3, 1)
    assert (together.articles, together.stories, together.found) == (4, 3, 1)
