"""A process that does a share of the jobs (`python -m` this module).

Orders come as lines of JSON on standard input, answers go out on what was standard
output. Whatever a job prints goes to standard error, which is its log.
"""

from __future__ import annotations

import faulthandler
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from ustory.core.errors import MissingExtraError, UStoryError
from ustory.core.settings import Settings
from ustory_bench.experiments.contract import FAILED, MEMORY, MISSING, OK, Inputs, Plain
from ustory_bench.experiments.runner.lazy_encoder import AsleepEncoder
from ustory_bench.experiments.runner.material import load_prepared
from ustory_bench.experiments.runner.memory import (
    at_most,
    forget_peak,
    held_mib,
    peak_mib,
)

BEGAN = "began"
"""What is said of a job before how it ended: that its time begins. It is said when
the stream is loaded, and again when the task is warm."""

_EVERY = 1.0  # seconds between two looks at whether the bench still lives


def main() -> None:
    """Answer orders until there are no more, or the bench is gone."""
    faulthandler.enable()
    _use_one_core()
    answers = _own_channel()
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()

    def say(answer: Plain) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    desk = Desk()
    for line in sys.stdin:
        say(desk.answer(json.loads(line), lambda: say({"status": BEGAN})))


class Desk:
    """Does jobs, with the stream of the last one at hand. Mutable.

    The memory of a job is the most that the process held while it ran, less what it
    held when the stream was loaded and no job was done.
    """

    def __init__(self) -> None:
        self._level = 0.0
        self._asked: Mapping[str, Any] | None = None
        self._inputs: Inputs | None = None

    def answer(self, order: Mapping[str, Any], began: Callable[[], None]) -> Plain:
        """Return how a job ended; `began` is called when its time begins."""
        try:
            inputs = self._load(order["inputs"])
            with at_most(order["memory"]):
                return self._done(order, inputs, began)
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

    def _done(
        self, order: Mapping[str, Any], inputs: Inputs, began: Callable[[], None]
    ) -> Plain:
        function = _function(order["task"])
        began()
        _warm(order["task"], inputs, order["arguments"])
        held_mib()
        began()
        forget_peak()
        start = time.perf_counter()
        result = function(inputs, **order["arguments"])
        seconds = time.perf_counter() - start
        own = peak_mib() - self._level
        return {
            "status": OK,
            "reason": "",
            "seconds": round(seconds, 3),
            "peak_mib": round(max(0.0, own), 1),
            "result": _finite(result),
        }

    def _load(self, asked: Mapping[str, Any]) -> Inputs:
        """Return the stream asked for, which is the same for all jobs of a process."""
        if self._inputs is None or asked != self._asked:
            self._inputs, self._asked = None, asked
            self._inputs = Inputs(
                stream=load_prepared(Path(asked["path"])),
                settings=Settings().with_(asked["settings"]),
                encoder=AsleepEncoder(asked["encoder"], asked["dim"]),
            )
            self._level = held_mib()
        return self._inputs


def _ended(status: str, reason: str) -> Plain:
    return {"status": status, "reason": " ".join(reason.split())}


def _function(task: str) -> Callable[..., Plain]:
    module, _, name = task.partition(":")
    found: Callable[..., Plain] = getattr(import_module(module), name)
    return found


def _warm(task: str, inputs: Inputs, arguments: Mapping[str, Plain]) -> None:
    """Let a task load and compile what it needs, if its module has a `warm`."""
    warm = getattr(import_module(task.partition(":")[0]), "warm", None)
    if warm is not None:
        warm(inputs, arguments)


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


def _use_one_core() -> None:
    """Let what makes a thread for each core make one: our engine, some encoders.

    Jobs run side by side, and the times of all systems are on one thread. Libraries
    that count cores by themselves are told so by the environment.
    """
    os.cpu_count = lambda: 1


def _own_channel() -> TextIO:
    """Take standard output for answers, and send what is printed to the log."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY)
    os._exit(1)


if __name__ == "__main__":
    main()
