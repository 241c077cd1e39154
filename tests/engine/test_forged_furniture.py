"""What a state says of page furniture is data, too: what was forged is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.engine.fuzzing import SETTINGS, Base, base_of
from tests.engine.mutations import changed, refused
from ustory.engine.snapshot.states import freeze, thaw
from ustory.links.furniture import Recurring


@pytest.fixture(scope="module")
def links() -> Base:
    """Return a state of mode links."""
    return base_of(SETTINGS[0])


@pytest.mark.parametrize("part", ["sentences", "phrases"])
@pytest.mark.parametrize(
    ("column", "forged"),
    [
        ("keys.int64", np.array([5, 5])),
        ("keys.int64", np.array([6, 5])),
        ("keys.int64", np.array([0, 5])),
        ("keys.int64", np.array([5, 6, 7])),
        ("unlike.float64", np.array([-1.0, 2.0])),
        ("like.float64", np.array([np.nan, 2.0])),
        ("day.float64", np.array([1e300, 2.0])),
    ],
)
def test_forged_furniture_is_refused(
    part: str, column: str, forged: NDArray[Any], links: Base
) -> None:
    state, settings, _ = thaw(links.frozen, "here")
    two = Recurring(
        keys=np.array([5, 6]),
        unlike=np.ones(2),
        like=np.zeros(2),
        day=np.ones(2),
    )
    furniture = replace(state.link.furniture, **{part: two})
    state = replace(state, link=replace(state.link, furniture=furniture))
    frozen = freeze(state, settings, {})
    assert len(getattr(thaw(frozen, "here")[0].link.furniture, part).keys) == 2

    name = f"state.link.furniture.{part}.{column}"
    with refused():
        thaw(changed(frozen, name, lambda _: forged), "news.state")


def test_furniture_of_terms_that_are_none_is_refused(links: Base) -> None:
    state, settings, _ = thaw(links.frozen, "here")
    number = len(state.vocabulary)
    for term, is_right in ((number - 1, True), (number, False)):
        one = Recurring(
            keys=np.array([(1 << 32) + term]),
            unlike=np.ones(1),
            like=np.zeros(1),
            day=np.ones(1),
        )
        furniture = replace(state.link.furniture, phrases=one)
        forged = replace(state, link=replace(state.link, furniture=furniture))
        frozen = freeze(forged, settings, {})
        if is_right:
            thaw(frozen, "news.state")
        else:
            with refused("furniture has terms that are no terms"):
                thaw(frozen, "news.state")


def test_terms_in_sentences_that_are_not_there_are_refused(links: Base) -> None:
    state, settings, _ = thaw(links.frozen, "here")
    name, article = next(iter(state.link.articles.items()))
    short = replace(article, keys=article.keys[: int(article.sentence.max())])
    if not len(short.keys):
        short = replace(short, sentence=(article.sentence + 1), keys=article.keys[:1])
    articles = {**state.link.articles, name: short}
    forged = replace(state, link=replace(state.link, articles=articles))

    with refused("one of the sentences"):
        thaw(freeze(forged, settings, {}), "news.state")
