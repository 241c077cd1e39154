"""Ctrl-C and SIGTERM as exceptions that never strike in the middle of a write."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class InterruptedRunError(KeyboardInterrupt):
    """The user, or the system, stopped the run; the message says what is saved."""

    def __init__(self, signal_number: int, message: str = "interrupted") -> None:
        super().__init__(message)
        self.signal_number = signal_number


class Interrupts:
    """Raises `InterruptedRunError` at the first signal, or after what may not stop.

    Mutable; a context that puts the old signal handlers back when it ends. Outside
    the main thread, where Python gets no signals, it does nothing.
    """

    def __init__(self) -> None:
        self._old: dict[signal.Signals, Any] = {}
        self._held = False
        self._waiting: int | None = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                self._old[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let a signal wait until the block is done."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._waiting is not None:
            raise InterruptedRunError(self._waiting)

    def ignore(self) -> None:
        """Hear no further signal: what is left to do is to save and leave."""
        self._held = True

    def _hear(self, number: int, _: FrameType | None) -> None:
        if self._held:
            self._waiting = number
        else:
            raise InterruptedRunError(number)
