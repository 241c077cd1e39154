"""The figures of the report as pictures: drawn in Chromium, from committed results.

Each says in its last line which numbers it was drawn from, so that a test can tell a
picture that is out of date without a browser.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.docs.capacity import scale_figures
from tests.docs.cold_start import cold_start_figures
from tests.docs.languages import language_figures
from tests.docs.measured import PICTURES, figures_of, results, section
from tests.docs.reliability import reliability_figures
from ustory_bench.report.blocks import Figure, Section
from ustory_bench.report.page import write_page

_MARK = re.compile(r"<!-- drawn from ([0-9a-f]{16}) -->\s*\Z")
_WIDTH = 820
_DRAW = """([name, size]) => Plotly.toImage(document.getElementById(`plot-${name}`),
    {format: "svg", imageDataOnly: true, setBackground: "opaque", ...size})"""
_LONG = re.compile(r"\d+\.\d{3,}")


def pictures() -> dict[Path, Figure]:
    """Return the figures that the documentation shows, by the files they are in."""
    measured = [each for name in results()["experiments"] for each in figures_of(name)]
    return {PICTURES / f"{figure.id}.svg": figure for figure in (*measured, *_others())}


def fingerprint(figure: Figure) -> str:
    """Return what stands for the numbers of a figure and how they are laid out."""
    data = [list(figure.traces), figure.layout, figure.height]
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def drawn_from(path: Path) -> str:
    """Return the fingerprint of what a picture was drawn from."""
    found = _MARK.search(path.read_text(encoding="utf-8")) if path.exists() else None
    return found[1] if found else ""


def stale() -> dict[Path, Figure]:
    """Return the pictures that do not show what was measured."""
    found = pictures()
    return {p: f for p, f in found.items() if drawn_from(p) != fingerprint(f)}


def draw(wanted: Mapping[Path, Figure]) -> None:
    """Draw pictures as the report draws them, on white."""
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        sections = [section(name) for name in results()["experiments"]]
        sections.append(_beside())
        write_page("Figures", {}, sections, page)
        for (path, figure), svg in zip(
            wanted.items(), _drawn(page, wanted), strict=True
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{svg}\n<!-- drawn from {fingerprint(figure)} -->\n")


def _others() -> list[Figure]:
    """Return the figures that are not of the report."""
    return [
        *scale_figures(),
        *reliability_figures(),
        *cold_start_figures(),
        *language_figures(),
    ]


def _beside() -> Section:
    return Section(id="beside", title="Beside", paper="", text="", blocks=_others())


def tidy() -> None:
    """Draw what is out of date, remove what is shown no more."""
    old = stale()
    if old:
        draw(old)
    for path in set(PICTURES.glob("*.svg")) - set(pictures()):
        path.unlink()


def _drawn(page: Path, wanted: Mapping[Path, Figure]) -> Iterator[str]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only to draw

    program = shutil.which("chromium")
    if program is None:
        raise SystemExit(
            "pictures are drawn by Chromium, and there is none; install it"
        )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        opened = browser.new_page(
            viewport={"width": _WIDTH, "height": 900}, color_scheme="light"
        )
        opened.goto(page.as_uri())
        opened.wait_for_selector("html[data-drawn=yes]", timeout=120_000)
        for figure in wanted.values():
            box = opened.locator(f"#plot-{figure.id}").bounding_box()
            assert box is not None
            size = {"width": round(box["width"]), "height": round(box["height"])}
            svg = opened.evaluate(_DRAW, [figure.id, size])
            yield _LONG.sub(lambda found: f"{float(found[0]):.2f}", svg)
        browser.close()
