"""Tasks and systems that end in every way a job can end, and their registration."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.core.threads import thread_count
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer
from ustory_bench.runner.jobs import Inputs, Plain
from ustory_bench.system import System

HERE = "tests.bench.experiments.rigged"
_BLOCK = 16 * 2**20
_held: list[bytearray] = []


def count(inputs: Inputs, *, wait: float = 0.0) -> Plain:
    """Return how many articles there are, after a while."""
    time.sleep(wait)
    return {"articles": len(inputs.stream.articles), "nan": float("nan")}


def who(inputs: Inputs, *, turn: int = 0) -> Plain:
    """Return the process that does it, and what it sees of the bench."""
    del turn
    os.write(1, b"a word\n")
    return {
        "process": os.getpid(),
        "threads": os.environ["OMP_NUM_THREADS"],
        "cores": thread_count(),
        "encoder": [inputs.encoder.name, inputs.encoder.dim, inputs.settings.encoder],
    }


def hungry(inputs: Inputs, *, mib: int) -> Plain:
    """Take so much memory, give it back, and return nothing."""
    del inputs
    blocks = [bytearray(os.urandom(1024) * 1024) for _ in range(mib)]
    return len(blocks)


def broken(inputs: Inputs) -> Plain:
    raise ArithmeticError("nothing\nadds up")


def refused(inputs: Inputs) -> Plain:
    raise ConfigError("a rule was broken; mend it")


def without_extra(inputs: Inputs) -> Plain:
    raise MissingExtraError("absent", "bench")


def segfault(inputs: Inputs) -> Plain:
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)


def killed(inputs: Inputs) -> Plain:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def unspeakable(inputs: Inputs) -> Plain:
    return {"a set": {1, 2}}


@dataclass(frozen=True)
class _Nothing:
    """What a method remembers that has no memory."""


class Rigged(WindowedDiscoverer[_Nothing]):
    """Puts all articles of a window into one story, unless it is rigged to end."""

    memory_type = _Nothing

    def __init__(self, settings: Settings, how: str) -> None:
        super().__init__(settings, how=how)
        self._how = how

    def settle(self, turn: Turn[_Nothing]) -> tuple[Mapping[str, str | None], _Nothing]:
        """Return one story, or end the other way."""
        if self._how == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self._how == "slow":
            time.sleep(60)
        if self._how == "hungry":
            _held.extend(bytearray(_BLOCK) for _ in range(1024))
        known = next(iter(turn.story.values()), None) or turn.new_story()
        return dict.fromkeys(turn.documents, known), turn.memory


def _system(how: str) -> System:
    def build(settings: Settings, encoder: Encoder) -> Rigged:
        return Rigged(settings, how)

    return System(name=f"rigged-{how}", build=build, citation="none")


FINE, CRASH, SLOW, HUNGRY = map(_system, ("fine", "crash", "slow", "hungry"))


def register(folder: Path) -> None:
    """Write what makes a folder on the path announce the rigged systems."""
    about = folder / "rigged_bench-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: rigged-bench\nVersion: 0\n")
    lines = [
        f"rigged-{name.lower()} = {HERE}:{name}"
        for name in ("FINE", "CRASH", "SLOW", "HUNGRY")
    ]
    (about / "entry_points.txt").write_text("\n".join(["[ustory.systems]", *lines, ""]))
