"""Threads that go on: one whose work ends in an error is begun again, after a pause."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import TypeAlias

from ustory.engine.poison import reason_of
from ustory.service.current_problems import Problems
from ustory.service.loop import LOOP

Worker: TypeAlias = Callable[[Event], None]
"""Something that runs in a thread of its own until the event is set."""

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before the work is begun again; each pause is twice the one before."""

logger = logging.getLogger(__name__)


class Supervised:
    """The work of a thread, begun again whenever it ends in an error.

    Work that returns has come to its end, as a file does.
    """

    def __init__(
        self, name: str, work: Worker, problems: Problems, pause: float = FIRST_PAUSE
    ) -> None:
        self._name = name
        self._work = work
        self._problems = problems
        self._pause = pause

    def __call__(self, stop: Event) -> None:
        """Work until it is done, or until `stop` is set."""
        pause = self._pause
        while not stop.is_set():
            try:
                self._work(stop)
            except BaseException as error:
                logger.exception("%s ended in an error", self._name)
                said = f"it ended in an error and is begun again: {reason_of(error)}"
                self._problems.begin(self._name, "ended", said)
                with suppress(Exception):  # nobody else may be left to write it down
                    self._problems.flush()
                stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                if self._name != LOOP:  # the loop says so itself, after a slide
                    self._problems.end(self._name)
            else:
                return
