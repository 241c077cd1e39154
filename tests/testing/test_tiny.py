from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.testing import TinyEncoder

CODE = (
    "from ustory.testing import TinyEncoder; "
    "print(TinyEncoder().encode(['A storm hits the coast']).tobytes().hex())"
)


@pytest.mark.parametrize("seed", ["0", "1", "77"])
def test_it_does_not_depend_on_the_hash_seed(seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed}

    said = subprocess.run(
        [sys.executable, "-c", CODE],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip

    here = TinyEncoder().encode(["A storm hits the coast"])
    assert said.stdout.strip() == here.tobytes().hex()


def test_a_known_word_has_a_known_place() -> None:
    # pinned: stored vectors and golden files must not change under a test
    row = TinyEncoder().encode(["storm"])[0]

    assert {int(place): float(row[place]) for place in np.flatnonzero(row)} == {16: 1.0}


@given(st.lists(st.text(st.characters())))
def test_any_text_has_unit_rows(sentences: list[str]) -> None:
    rows = TinyEncoder().encode(sentences)

    assert rows.shape == (len(sentences), 32)
    assert rows.dtype == np.float16
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-3)


def test_shared_words_make_sentences_similar() -> None:
    storm, gale, bank = (
        TinyEncoder()
        .encode(
            [
                "storm hits the coast",
                "the coast after the storm",
                "bank raises rates again",
            ]
        )
        .astype(np.float64)
    )

    assert storm @ gale > storm @ bank
