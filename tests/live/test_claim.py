"""A database has one service, and one that was killed does not keep it."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.live.running import opened
from ustory.core.errors import StateError
from ustory.live.claim import claimed


def test_a_second_service_is_refused_in_words(url: str) -> None:
    with (
        opened(url) as store,
        opened(url) as other,
        claimed(store),
        pytest.raises(StateError, match="another ustory serve uses"),
        claimed(other, patience=0.3),
    ):
        pytest.fail("there are two")


def test_a_claim_that_is_given_up_soon_is_waited_for(postgres_url: str) -> None:
    with opened(postgres_url) as store, opened(postgres_url) as other:
        held = ExitStack()
        held.enter_context(claimed(store))
        pauses: list[float] = []

        def sleep(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 3:
                held.close()

        with claimed(other, sleep=sleep):
            assert len(pauses) == 3


def test_a_file_is_free_as_soon_as_its_process_is_gone(sqlite_url: str) -> None:
    def sleep(seconds: float) -> None:
        pytest.fail(f"it waited {seconds} s for a lock that nobody gives up")

    with opened(sqlite_url) as store, opened(sqlite_url) as other:
        with (
            claimed(store),
            pytest.raises(StateError),
            claimed(other, sleep=sleep),
        ):
            pass
        with claimed(other, sleep=sleep):
            pass
