"""The worker's side of a comparison: does jobs, one after the other, in one process."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

from ustory.core.arrays import SentenceVectors
from ustory.core.errors import MissingExtraError, UStoryError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.encode.load import load_encoder
from ustory_bench.runner.jobs import FAILED, MEMORY, MISSING, OK, Inputs, Plain
from ustory_bench.runner.memory import at_most, forget_peak, held_mib, peak_mib
from ustory_bench.runner.prepared_streams import load_prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A job as a process is given it."""

    task: str
    arguments: Mapping[str, Plain]
    memory: int | None
    """MiB that it may take."""
    stream: Path
    settings: Settings
    dim: int
    """Of the vectors."""


class LazyEncoder:
    """An encoder that is loaded when it first encodes, which most jobs never do.

    Articles come with their vectors, so a process that never encodes neither waits
    for a model nor holds one.
    """

    def __init__(self, name: str, dim: int) -> None:
        self.name = name
        self.dim = dim

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        return self._loaded.encode(sentences)

    @cached_property
    def _loaded(self) -> Encoder:
        return load_encoder(self.name)


class JobServer:
    """Does jobs, and keeps the stream of the last one. Mutable.

    The memory of a job is the most that the process held while it ran, less what it
    held when the stream was loaded and no job was done.
    """

    def __init__(self) -> None:
        self._level = 0.0
        self._loaded: tuple[Path, Settings] | None = None
        self._inputs: Inputs | None = None

    def load(self, order: Order) -> None:
        """Load the stream, which is the same for all jobs of a process."""
        if self._loaded != (order.stream, order.settings):
            self._inputs = self._loaded = None
            self._inputs = Inputs(
                stream=load_prepared(order.stream),
                settings=order.settings,
                encoder=LazyEncoder(order.settings.encoder, order.dim),
            )
            self._loaded = (order.stream, order.settings)
            self._level = held_mib()
        _function(order.task)

    def warm(self, order: Order) -> None:
        """Let a task load and compile what it needs, if its module has a `warm`."""
        warm = getattr(import_module(order.task.partition(":")[0]), "warm", None)
        if warm is not None:
            with at_most(order.memory):
                warm(self._inputs, order.arguments)
        held_mib()

    def run(self, order: Order) -> Plain:
        """Return the result of a job, with its time and its memory."""
        with at_most(order.memory):
            forget_peak()
            start = time.perf_counter()
            result = _function(order.task)(self._inputs, **order.arguments)
            seconds = time.perf_counter() - start
            own = peak_mib() - self._level
            return {
                "status": OK,
                "reason": "",
                "seconds": round(seconds, 3),
                "peak_mib": round(max(0.0, own), 1),
                "result": _finite(result),
            }


_server = JobServer()
"""Used in workers only."""


def do_step(step: str, order: Order) -> Plain:
    """Do one of `load`, `warm` and `run`; return how it ended, if that is the end."""
    try:
        return getattr(_server, step)(order)
    except MissingExtraError as error:
        return _ended(MISSING, str(error))
    except MemoryError as error:
        more = str(error) or "it asked for more than it may have"
        return _ended(MEMORY, f"out of memory: {more}")
    except UStoryError as error:
        return _ended(FAILED, str(error))
    except Exception as error:  # noqa: BLE001 - one failing job is not fatal
        sys.excepthook(type(error), error, error.__traceback__)
        return _ended(FAILED, f"{type(error).__name__}: {error}")


def prepare_process(log: Path, parent: int) -> None:
    """Have a worker write into its log, ignore Ctrl-C, and end with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with log.open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _ended(status: str, reason: str) -> Plain:
    return {"status": status, "reason": " ".join(reason.split())}


def _function(task: str) -> Callable[..., Plain]:
    module, _, name = task.partition(":")
    found: Callable[..., Plain] = getattr(import_module(module), name)
    return found


def _finite(value: Plain) -> Plain:
    """Return a result with null for what is not a finite number, as JSON has it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    json.dumps(value)
    return value
