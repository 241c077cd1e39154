"""Systems are what the tables take them for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.bench.runner.rigged_system import articles

from ustory.core.article import PreparedArticle
from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.registry import names
from ustory.core.settings import Settings
from ustory.testing.parts import TinyEncoder
from ustory_bench.experiments.kinds import (
    OTHER,
    OURS,
    VARIANT,
    WORDS,
    chosen,
    in_order,
    kind_of,
    needs_encoder,
    needs_seed,
)
from ustory_bench.runner.follow import follow
from ustory_bench.system import find_system


def stories(name: str, given: list[PreparedArticle], seed: int = 0) -> list[object]:
    settings = Settings(mode="paper", seed=seed)
    try:
        made = find_system(name).make(settings, TinyEncoder())
        return [dict(told.stories) for told in follow(made, given, settings)]
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    "name", [name for name in names("systems") if not needs_seed(name)]
)
def test_a_system_said_to_use_no_seed_uses_none(name: str) -> None:
    given = list(articles())

    assert stories(name, given, 0) == stories(name, given, 12345)


@pytest.mark.parametrize(
    "name", [name for name in names("systems") if not needs_encoder(name)]
)
def test_a_system_said_to_use_words_uses_no_vectors(name: str) -> None:
    given = list(articles())
    blank = np.zeros(32, dtype=np.float32)
    blank[0] = 1.0
    without = [
        replace(one, vectors=np.tile(blank, (len(one.sentences), 1))) for one in given
    ]

    assert stories(name, given) == stories(name, without)


def test_systems_are_sorted_as_in_the_paper() -> None:
    assert in_order(["ustory", "zeta", "miranda-pse", "miranda", "constream"]) == [
        "constream",
        "miranda",
        "zeta",
        "miranda-pse",
        "ustory",
    ]
    kinds = ["constream", "hdbscan", "miranda-pse", "ustory-auto", "own-pse"]
    assert list(map(kind_of, kinds)) == [WORDS, OTHER, VARIANT, OURS, OTHER]


def test_unknown_names_are_refused_with_those_that_are_known() -> None:
    assert chosen("systems", []) == list(names("systems"))
    assert chosen("systems", ["ustory", "ustory"]) == ["ustory"]
    with pytest.raises(ConfigError, match=r"named 'ustori'; try one of: .*ustory"):
        chosen("systems", ["ustori"])
