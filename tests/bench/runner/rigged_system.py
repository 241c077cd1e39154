"""Systems that read stories off the ids, and the stream that they read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ustory.core.article import PreparedArticle
from ustory.core.errors import MissingExtraError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.testing import tiny_slides
from ustory_bench.baselines.matching import matched_stories
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer
from ustory_bench.runner.streams import Stream
from ustory_bench.system import Parameter, System


@dataclass(frozen=True)
class _Nothing:
    """What a method remembers that has no memory."""


class ByName(WindowedDiscoverer[_Nothing]):
    """Groups `flood-1-0` by the first `depth` parts of its id: depth 1 is the truth."""

    memory_type = _Nothing

    def __init__(self, settings: Settings, depth: int) -> None:
        super().__init__(settings, depth=depth)
        self._depth = depth

    def settle(self, turn: Turn[_Nothing]) -> tuple[Mapping[str, str | None], _Nothing]:
        """Return the stories that the ids tell."""
        if self._depth < 0:
            raise ArithmeticError("a depth under nothing")
        groups: dict[str, list[str]] = {}
        for article in turn.documents:
            name = "-".join(article.split("-")[: self._depth])
            groups.setdefault(name, []).append(article)
        return matched_stories(list(groups.values()), turn), turn.memory


def _by_name(settings: Settings, encoder: Encoder, depth: int) -> ByName:
    return ByName(settings, depth)


def _absent(settings: Settings, encoder: Encoder) -> ByName:
    raise MissingExtraError("absent", "bench")


RIGGED = System(
    name="rigged",
    build=_by_name,
    citation="none",
    parameters={"depth": 0},
    ranges={"depth": (0, 1, 2, 3)},
)
"""With depth 0 all articles of a window are one story."""

ABSENT = System(name="absent", build=_absent, citation="none")


FAILING = System(
    name="failing",
    build=_by_name,
    citation="none",
    parameters={"depth": -1},
    ranges={"depth": (-2, -1)},
)


def register(folder: Path) -> None:
    """Write what makes a folder on the path announce these systems."""
    about = folder / "rigged_systems-0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Name: rigged-systems\nVersion: 0\n")
    lines = [f"{n.lower()} = {__name__}:{n}" for n in ("RIGGED", "ABSENT", "FAILING")]
    (about / "entry_points.txt").write_text("\n".join(["[ustory.systems]", *lines, ""]))


def articles() -> tuple[PreparedArticle, ...]:
    """Return the articles of the tiny stream that came when they were published."""
    found = [p for slide in tiny_slides() for p in slide.articles]
    return tuple(p for p in found if "late" not in p.article.id)


def stream(name: str = "tiny", sha256: str = "0" * 64) -> Stream:
    """Return the tiny stream: three stories in five days, one again after a year."""
    return Stream(name=name, articles=articles(), sha256=sha256)


def system(ranges: Mapping[str, tuple[Parameter, ...]]) -> System:
    """Return a system of which only the ranges matter; the first value is default."""
    defaults = {name: values[0] for name, values in ranges.items()}
    return System(
        name="ranged", build=_by_name, citation="none", parameters=defaults,
        ranges=ranges,
    )  # fmt: skip
