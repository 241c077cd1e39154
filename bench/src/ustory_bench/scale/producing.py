"""A process that invents articles and prepares them, slide by slide."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ustory.core.article import PreparedArticle
from ustory.encode import load_encoder
from ustory.engine.prepare import Stopwatch, prepare
from ustory.text import load_pipeline
from ustory.window.slides import RawSlide, Slicer
from ustory_bench.load.figures import resident_mib
from ustory_bench.scale.places import Place, wait_until
from ustory_bench.scale.runs import MODES, Run
from ustory_bench.scale.slides import PIECE, slide_path, write_slide
from ustory_bench.simulate import simulate

PRODUCER = "producer"
TOTAL = "slides"
"""How many there are, once all are written."""


def produce(run: Run, folder: Path, first: int) -> None:
    """Write the slides from `first` on, never more ahead than the run allows."""
    place, kitchen = Place(folder), _Kitchen()
    number = 0
    for number, raw in enumerate(_raw_slides(run), 1):
        path = slide_path(folder, number)
        if number < first or path.exists():
            continue
        wait_until(lambda: number - done_by_all(place, run) <= run.ahead)  # noqa: B023
        place.note(PRODUCER, {"slide": number, **kitchen.write(path, raw)})
    place.put(TOTAL, number)


def done_by_all(place: Place, run: Run) -> int:
    """Return the last slide that every mode has done."""
    return int(min(place.get(f"done-{mode}", 0) for mode in run.modes))


def _raw_slides(run: Run) -> Iterator[RawSlide]:
    slicer = Slicer(run.settings(run.modes[0]))
    for article in simulate(run.plan):
        yield from slicer.push(article)
    yield from slicer.flush()


class _Kitchen:
    """The text pipeline and the encoder, which all modes share."""

    def __init__(self) -> None:
        settings = MODES["links"]
        assert all(one.encoder == settings.encoder for one in MODES.values())
        assert all(one.text == settings.text for one in MODES.values())
        self._pipeline = load_pipeline(settings.text)
        self._encoder = load_encoder(settings.encoder)
        self._stopwatch = Stopwatch()

    def write(self, path: Path, raw: RawSlide) -> dict[str, float]:
        """Write a slide, and return what it took."""
        wall, cpu = time.perf_counter(), time.process_time()
        before = dict(self._stopwatch.seconds)
        write_slide(path, raw.end, self._pieces(raw))
        spent = {
            step: round(now - before.get(step, 0.0), 3)
            for step, now in self._stopwatch.seconds.items()
        }
        return {
            "articles": len(raw.articles),
            "seconds": round(time.perf_counter() - wall, 3),
            "cpu": round(time.process_time() - cpu, 3),
            "rss_mib": round(resident_mib()),
            **spent,
        }

    def _pieces(self, raw: RawSlide) -> Iterator[Sequence[PreparedArticle]]:
        for start in range(0, len(raw.articles), PIECE):
            piece = raw.articles[start : start + PIECE]
            yield prepare(piece, self._pipeline, self._encoder, self._stopwatch)
