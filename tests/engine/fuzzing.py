"""Reads mutated states and goes on from those that are accepted, in this process.

`python -m tests.engine.fuzzing FIRST LAST` does so for the seeds from FIRST to before
LAST and prints what came out as JSON. It is a process of its own, so that one that ends
by a signal is seen; what it was at is then the last line of standard error.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import cycle
from random import Random

from tests.engine.mutations import mutated
from ustory.core.errors import StateError, UStoryError
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.encode.gist import load_gist_encoder
from ustory.engine.online import Engine
from ustory.engine.prepare import Preparer, stamp
from ustory.engine.snapshot.states import freeze, refuse_other_size, thaw, to_plain
from ustory.sources import open_source
from ustory.sources.demo import demo_stream, languages_stream
from ustory.stories.discovery import Discovery
from ustory.testing import TinyEncoder
from ustory.text import load_pipeline

SECONDS = 60
"""What one state may take before it counts as a crash."""
_TINY = Settings(encoder="tiny", gist_encoder="none", window=timedelta(days=3))
SETTINGS = (
    _TINY,
    replace(_TINY, mode="paper", min_articles=2),
    replace(_TINY, gist_encoder="wordllama"),
    replace(_TINY, window=30, slide=10),
    replace(_TINY, mode="paper", window=30, slide=10),
)
"""What `auto` stands for depends on where it is run, so nothing is left to it."""


@dataclass(frozen=True)
class Base:
    """A state in the middle of a stream, sealed, and the slide that follows."""

    frozen: bytes
    slide: Slide


def base_of(settings: Settings) -> Base:
    """Return a state with stories, copies, an archive and articles that wait."""
    stream, slides = demo_stream(), 6
    if settings.gist_encoder != "none":
        stream, slides = languages_stream(), 3
    articles = [arrival.article for arrival in open_source(str(stream)).read(None)]
    copies = [replace(a, id=f"{a.id}-again") for a in articles[::9]]
    every = sorted([*articles, *copies], key=lambda a: (a.published_at, a.id))
    discovery = Discovery(settings, encoder=TinyEncoder())
    results = discovery.add(every)
    for _ in range(slides):
        next(results)
    before = discovery.state
    after = next(results)
    preparer = Preparer(
        load_pipeline("fast"),
        TinyEncoder(),
        discovery.stopwatch,
        gist_encoder=load_gist_encoder(settings),
    )
    ready = preparer.prepare(after.slide.articles, stamp(after.slide.end))
    extra = {"pending": [to_plain(after.slide.articles[0])], "cursors": {"a": "3"}}
    return Base(
        freeze(before, discovery.settings, extra),
        Slide(end=after.slide.end, articles=ready),
    )


def tried(base: Base, seed: int, *, further: bool) -> str:
    """Return what became of a mutated state; whatever is not ours is raised."""
    data = mutated(base.frozen, Random(seed))
    encoder = TinyEncoder()
    try:
        state, settings, _ = thaw(data, "the state")
        refuse_other_size(state, encoder, "the state")
    except StateError as error:
        words = str(error)
        return "refused" if "\n" not in words and len(words) < 600 else "too long"
    if not further:
        return "accepted"
    try:
        after, _ = Engine(settings, encoder).advance(state, base.slide)
    except UStoryError:
        return "accepted, its slide refused"
    assert after.end == base.slide.end
    return "accepted, went on"


def run(seeds: range, share: int = 1) -> dict[str, int]:
    """Return how many states came out how; one in `share` accepted goes on."""
    bases = [base_of(settings) for settings in SETTINGS]
    counts: Counter[str] = Counter()
    before = _peak()
    for seed, base in zip(seeds, cycle(bases), strict=False):
        sys.stderr.write(f"{seed}\n")
        signal.alarm(SECONDS)
        try:
            counts[tried(base, seed, further=seed % share == 0)] += 1
        except BaseException as error:  # noqa: BLE001 - whatever is raised is a finding
            counts["failed"] += 1
            place = traceback.extract_tb(error.__traceback__)[-1]
            words = f"{type(error).__name__}: {str(error)[:150]} at {place.filename}"
            sys.stderr.write(f"FAILED {seed} {words}:{place.lineno}\n")
    signal.alarm(0)
    counts["peak_mb"] = _peak() - before
    return dict(counts)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def numbers(text: list[str]) -> Iterator[int]:
    """Yield the arguments as numbers."""
    yield from map(int, text)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    first, last, *rest = numbers(sys.argv[1:])
    print(json.dumps(run(range(first, last), *rest)))  # noqa: T201 - for the test
