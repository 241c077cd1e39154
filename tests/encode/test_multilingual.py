from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ustory.core.errors import MissingExtraError
from ustory.encode.multilingual import MultilingualEncoder

ENGLISH = "The government announced new measures against the flood."
GERMAN = "Die Regierung kündigte neue Maßnahmen gegen das Hochwasser an."
OTHER = "Le club de football a gagné le match de dimanche."


@pytest.fixture(scope="module")
def encoder() -> MultilingualEncoder:
    try:
        return MultilingualEncoder()
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_a_translation_is_closer_than_another_sentence(
    encoder: MultilingualEncoder,
) -> None:
    english, german, other = encoder.encode([ENGLISH, GERMAN, OTHER]).astype(np.float64)

    assert english @ german > 0.6
    assert english @ other < 0.3


def test_a_row_is_the_same_to_the_bit_in_any_company(
    encoder: MultilingualEncoder,
) -> None:
    many = [f"{ENGLISH} {n} {OTHER if n % 3 else ''}" for n in range(40)]
    together = encoder.encode(many)
    alone = np.concatenate([encoder.encode([sentence]) for sentence in many])

    np.testing.assert_array_equal(together, alone)


def test_two_threads_get_the_same_rows_as_one(encoder: MultilingualEncoder) -> None:
    many = [f"{GERMAN} {n}" for n in range(32)]
    expected = encoder.encode(many)

    with ThreadPoolExecutor(2) as pool:
        for rows in pool.map(encoder.encode, [many] * 4):
            np.testing.assert_array_equal(rows, expected)


def test_what_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ustory.core.extras.find_spec", lambda name: None)

    with pytest.raises(
        MissingExtraError, match=r"pip install 'ustory\[multilingual\]'"
    ):
        MultilingualEncoder()
