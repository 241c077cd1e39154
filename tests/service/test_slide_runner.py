"""A slide is told while others ask what their articles would be."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from tests.service.running import article
from ustory.core.settings import Settings
from ustory.encode import load_encoder
from ustory.service.slide_runner import SlideRunner
from ustory.text import fast
from ustory.text.counting import TermCounter
from ustory.text.fast import FastPipeline


def test_a_language_that_is_loaded_for_a_match_keeps_no_slide_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, over = Event(), Event()

    def counter(lang: str) -> TermCounter:
        if lang == "it":
            begun.set()
            over.wait(20)
        return TermCounter(lang)

    monkeypatch.setattr(fast, "TermCounter", counter)
    runner = SlideRunner(Settings(), load_encoder("tiny"), FastPipeline())
    runner.prepared([article(1)])
    title = "La tempesta ha chiuso il porto e i traghetti aspettano"
    foreign = [article(2, title, text="Nessuno è rimasto ferito.", lang="it")]
    other = Thread(target=runner.prepared, args=(foreign,), daemon=True)
    other.start()
    assert begun.wait(5)
    try:
        assert runner.prepared([article(3)], patience=5, slide=1), "it waits"
    finally:
        over.set()
        other.join(20)
