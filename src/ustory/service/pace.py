"""A stream that was read long ago, played again as time goes by, only faster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime

from ustory.core.errors import ConfigError
from ustory.core.protocols import Arrival, Source


class Paced:
    """A source whose articles come at the distances of their dates, sped up."""

    def __init__(
        self,
        source: Source,
        speed: float,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if not speed > 0:
            raise ConfigError(
                f"a stream is played at a speed above 0, got {speed}; 1 is as it was, "
                "86400 a day every second"
            )
        self._source = source
        self._speed = speed
        self._sleep = sleep

    @property
    def name(self) -> str:
        """What the source itself is called: cursors are its own."""
        return self._source.name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind `after`, each when its time has come."""
        last: datetime | None = None
        for arrival in self._source.read(after):
            moment = arrival.article.published_at
            if last is not None and moment > last:
                self._sleep((moment - last).total_seconds() / self._speed)
            last = moment if last is None else max(last, moment)
            yield arrival
