"""Who scores a block of articles, and when it is done, changes no bit of a state."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from typing import ParamSpec, TypeVar

import pytest

from tests.reference.strategies import ENCODER, cut, stream, variant
from ustory.core.settings import Settings
from ustory.engine import paper_mode as blocks
from ustory.engine.executors import InlineExecutor
from ustory.engine.online import Engine

Given = ParamSpec("Given")
Returned = TypeVar("Returned")


class Uneven(ThreadPoolExecutor):
    """Workers of which every other block is slow: blocks end out of order."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.blocks = 0
        self.ended: list[int] = []

    def submit(
        self,
        fn: Callable[Given, Returned],
        /,
        *args: Given.args,
        **kwargs: Given.kwargs,
    ) -> Future[Returned]:
        """Start a block; it notes when it is done."""
        number = self.blocks
        self.blocks += 1

        def slowly() -> Returned:
            if number % 2 == 0:
                time.sleep(0.01)
            found = fn(*args, **kwargs)
            self.ended.append(number)
            return found

        return super().submit(slowly)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ARTICLES_PER_BLOCK", 4)


def states(settings: Settings, workers: Executor | None) -> list[bytes]:
    """Return every state of a stream of many blocks a slide, written down."""
    engine = Engine(settings, ENCODER)
    inline = InlineExecutor(threads=workers)
    engine._tools = replace(engine._tools, workers=workers, executor=inline)
    state = engine.begin()
    written: list[bytes] = []
    with workers or nullcontext():
        for slide in cut(stream(3, [30, 40, 35], topics=5), settings, trailing=1):
            state, _ = engine.advance(state, slide)
            written.append(engine.freeze(state))
    assert state.stories
    return written


@pytest.mark.parametrize("name", ["plain", "two sentences", "initial mean", "bm25l"])
def test_any_number_of_workers_gives_the_same_bits(name: str) -> None:
    settings = variant(name)
    alone, one, eight = states(settings, None), Uneven(1), Uneven(8)

    assert states(settings, one) == alone
    assert states(settings, eight) == alone

    # the comparison is of many blocks, and some overtook others
    assert one.blocks == eight.blocks > 2 * len(alone)
    assert one.ended == sorted(one.ended)
    assert eight.ended != sorted(eight.ended)
