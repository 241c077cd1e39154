"""The labelled streams that quality is measured on, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from ustory import Settings, load_encoder
from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder, TextPipeline
from ustory.sources.demo import demo_stream
from ustory.text import load_pipeline
from ustory_bench.runner.streams import Stream, prepare_stream, read_stream
from ustory_bench.simulate import SimulationPlan, simulate

ROOT = Path(__file__).parents[4]
PLACES = (ROOT / "shared" / "data", ROOT.parent / "shared" / "data")
"""Where labelled streams are looked for that are not part of the project."""

SETTINGS = Settings()
"""W = 7 days, S = 1 day, and the default encoder for all systems that use one."""

SIMULATED = "simulated"
SMALL = SimulationPlan(articles=240, days=16)
"""The simulated stream of the gate."""
LARGER = SimulationPlan(articles=600, days=30)
"""The simulated streams that systems are tuned and compared on, but for the seed."""
ALWAYS = ("demo", SIMULATED)
"""Streams that are part of the project."""
ELSEWHERE = ("newswarp-a", "allsides-2018")
"""Streams that are not, and are used where they are present."""
LABELLED: Mapping[str, str] = {
    "newswarp-a": "7d",
    "allsides-2018": "7d",
    "ground-2025": "3d",
    "emergent-a": "7d",
    "uci-5months": "7d",
}
"""All labelled streams that are kept elsewhere, with the window for each."""


@cache
def parts() -> tuple[TextPipeline, Encoder]:
    """Return the text pipeline and the encoder, loaded once."""
    return load_pipeline(SETTINGS.text), load_encoder(SETTINGS.encoder)


def place_of(name: str) -> Path | None:
    """Return the file of a stream that is not part of the project, None if absent."""
    paths = (place / f"{name}.jsonl.gz" for place in PLACES)
    return next((path for path in paths if path.is_file()), None)


@cache
def load(name: str) -> Stream:
    """Return a stream by name, ready to run; it is prepared once."""
    pipeline, encoder = parts()
    if name == SIMULATED:
        return prepare_stream(name, simulate(SMALL), pipeline, encoder)
    if name not in present():
        raise ConfigError(
            f"no stream named {name!r} here; there are: {', '.join(present())}"
        )
    path = demo_stream() if name == "demo" else place_of(name)
    assert path is not None
    return replace(read_stream(path, pipeline, encoder), name=name)


def labelled() -> tuple[str, ...]:
    """Return the names of the labelled streams that are here."""
    return tuple(name for name in LABELLED if place_of(name) is not None)


def settings_of(name: str) -> Settings:
    """Return the settings that a stream is run with: ours, but for its window."""
    return SETTINGS.with_({"window": LABELLED.get(name, SETTINGS.window)})


@cache
def load_labelled(name: str) -> Stream:
    """Return a labelled stream, or one that is part of the project, ready to run."""
    if name in ALWAYS:
        return load(name)
    path = place_of(name) if name in LABELLED else None
    if path is None:
        known = ", ".join((*ALWAYS, *labelled()))
        raise ConfigError(f"no labelled stream named {name!r} here; there are: {known}")
    return replace(read_stream(path, *parts()), name=name)


def load_simulated(seed: int) -> Stream:
    """Return a simulated stream to compare systems on; each seed is another."""
    plan = replace(LARGER, seed=seed)
    return prepare_stream(f"{SIMULATED}-{seed}", simulate(plan), *parts())


def present() -> tuple[str, ...]:
    """Return the names of the streams that can be loaded."""
    return (*ALWAYS, *(name for name in ELSEWHERE if place_of(name) is not None))
