"""How many threads a process uses."""

from __future__ import annotations

import os

import pytest

from ustory.core.threads import THREADS_VARIABLE, thread_count


@pytest.mark.parametrize(("text", "threads"), [("1", 1), ("3", 3), ("0", 1)])
def test_the_environment_limits_the_threads(
    text: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, text)

    assert thread_count() == threads


@pytest.mark.parametrize("text", ["", "many", "-1"])
def test_without_a_number_there_is_a_thread_for_each_core(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, text)

    assert thread_count() == os.cpu_count()
