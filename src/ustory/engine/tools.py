"""What the steps of a slide work with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor as Threads
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from ustory.core.protocols import Encoder, Executor, Value
from ustory.core.settings import Settings
from ustory.engine.draft import Draft
from ustory.engine.executors import InlineExecutor
from ustory.engine.prepare_blocks import stamp
from ustory.engine.stopwatch import Stopwatch
from ustory.paper.embedding.strategies import Embedder
from ustory.window.batch import Batch

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Tools:
    """Settings, the encoder, and who works."""

    settings: Settings
    encoder: Encoder
    stopwatch: Stopwatch
    workers: Threads | None
    executor: Executor
    """Who works on blocks of articles."""

    def embedder(self, draft: Draft) -> Embedder:
        """Return the embedder for the unassigned articles of a draft."""
        if not self._concatenates:
            return Embedder(self.settings, None, {})
        texts = {id_: draft.state.records[id_].sentences for id_ in draft.unassigned}
        return Embedder(self.settings, self.encoder, texts)

    def meanwhile(self, task: Callable[[], Result]) -> Callable[[], Result]:
        """Begin a task that changes nothing; call what is returned for its result."""
        if self.workers is None:
            return task
        return self.workers.submit(task).result

    def over(
        self,
        blocks: Sequence[Batch],
        task: Callable[[Batch, Value], Result],
        value: Value,
        end: datetime,
    ) -> list[Result]:
        """Run a task on each block of articles of the slide that ends, in order."""
        # an encoder stays here, and need not be safe to call from several threads
        alone = self._concatenates or len(blocks) == 1
        executor = InlineExecutor() if alone else self.executor
        return executor.map(task, blocks, executor.share(stamp(end), value))

    @property
    def _concatenates(self) -> bool:
        """Whether articles are represented by encoding sentences anew."""
        return self.settings.representation.endswith("Conc")
