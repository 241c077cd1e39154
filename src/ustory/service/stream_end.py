"""The end of a stream that goes by its own dates: its last slide is done, too."""

from __future__ import annotations

import time
from collections.abc import Callable

from ustory.service.intake import Intake

REST_SECONDS = 3.0
"""How long nothing may come before the open slide of a replay is closed."""


class StreamEnd:
    """Closes the open slide of a replay once nothing more comes. Mutable.

    By the dates of articles a slide ends with the first article behind it. For the
    last slide of a finished file there is none: it would stay open for ever. Where
    the stream goes on later, its articles are in a further slide with the same end.
    """

    def __init__(
        self,
        intake: Intake,
        rests: Callable[[], bool],
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """`rests` says whether all sources were read to their end."""
        self._intake = intake
        self._rests = rests
        self._seconds = seconds
        self._known = -1
        """The number of the last text that came in."""
        self._since = seconds()

    def look(self) -> bool:
        """Close the open slide if nothing came for a while; return whether it was."""
        last, now = self._intake.last_seq(), self._seconds()
        if last != self._known or not self._rests():
            self._known, self._since = last, now
            return False
        if now - self._since < REST_SECONDS:
            return False
        self._since = now
        return self._intake.close_open()
