"""The streams that a bench is asked for, before they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory.sources.open import file_digest, open_source
from ustory.sources.records.problems import Problems
from ustory_bench.runner.streams import stream_name
from ustory_bench.simulate import SimulationPlan, simulate

SIMULATED: Mapping[str, SimulationPlan] = {
    "simulated-1": SimulationPlan(articles=240, days=16, seed=1),
    "simulated-2": SimulationPlan(articles=240, days=16, seed=2),
}
"""Streams that systems are tuned on besides those given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputStream:
    """A stream as it was asked for: a file, or one of `SIMULATED`."""

    name: str
    path: str = ""
    """Empty for a simulated one."""
    read_as: str | None = None
    on_error: str = "stop"

    def articles(self) -> list[Article]:
        """Return its articles, in the order they are read."""
        if not self.path:
            return list(simulate(SIMULATED[self.name]))
        source = open_source(self.path, Problems(self.on_error), kind=self.read_as)
        return [arrival.article for arrival in source.read()]

    def digest(self) -> str:
        """Return what changes when its articles do."""
        if not self.path:
            plan = str(asdict(SIMULATED[self.name]))
            return sha256(plan.encode()).hexdigest()
        try:
            return file_digest(Path(self.path))
        except OSError as error:
            raise ConfigError(
                f"cannot read the stream {self.path}: {error.strerror or error}; give "
                "a file, which can be read again when the bench is resumed"
            ) from error


def input_streams(
    paths: Sequence[str], read_as: str | None = None, on_error: str = "stop"
) -> list[InputStream]:
    """Return the streams of files, under names that tell them apart."""
    found = [
        InputStream(
            name=stream_name(Path(path)), path=path, read_as=read_as, on_error=on_error
        )
        for path in paths
    ]
    for name, times in Counter(each.name for each in found).items():
        if times > 1:
            raise ConfigError(
                f"streams are told apart by their file names, and {times} are named "
                f"{name!r}; rename all but one"
            )
        if name in SIMULATED:
            raise ConfigError(
                f"{name!r} is the name of a stream that systems are tuned on; rename "
                "the file"
            )
    return found


def simulated_streams() -> list[InputStream]:
    """Return the streams to tune on that nobody has to give."""
    return [InputStream(name=name) for name in SIMULATED]
