"""The colours of a report: one table for the page and its figures, light and dark."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ustory_bench.report.markup import Markup

_BLUE, _VERMILLION, _GREEN, _PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
_ORANGE, _SKY, _GREY = "#E69F00", "#56B4E9", "#999999"


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """What a page looks like by day or by night."""

    paper: str
    raised: str
    """Behind what is set apart: notes, the block names of tables."""
    ink: str
    muted: str
    """Captions, intervals, axis labels; at least 4.5 : 1 on paper."""
    rule: str
    grid: str
    accent: str
    """Links and focus; the only colour outside of figures."""
    colours: tuple[str, ...]
    """What `meta.colour` counts in: Okabe and Ito's colours for all eyes.

    Their yellow is left out, which no eye sees on white; their black is the ink.
    """
    scale: tuple[str, ...]
    """From least to most, of heat maps: one hue, darker or lighter in steps."""


LIGHT = Theme(
    paper="#FFFFFF",
    raised="#F6F6F4",
    ink="#1B1B1B",
    muted="#5A5A5A",
    rule="#C9C9C4",
    grid="#E7E7E3",
    accent="#005A8E",
    colours=(_BLUE, _VERMILLION, _GREEN, _PURPLE, _ORANGE, _SKY, "#1B1B1B", _GREY),
    scale=("#F3F8FC", "#B9D9EC", "#6FB3D9", "#2380B8", "#00466E"),
)
DARK = Theme(
    paper="#15171A",
    raised="#1E2125",
    ink="#E9E7E2",
    muted="#A6A8AB",
    rule="#43484E",
    grid="#2B2F34",
    accent="#7CC4F2",
    # Okabe and Ito's blue, one step lighter: theirs is too near the dark paper
    colours=("#2B93D1", _VERMILLION, _GREEN, _PURPLE, _ORANGE, _SKY, "#E9E7E2", _GREY),
    scale=("#1B2229", "#0F4569", "#1C74A8", "#57ABD9", "#CFE9F9"),
)
SYMBOLS = (
    *("circle", "square", "diamond", "triangle-up", "x", "triangle-down", "cross"),
    *("star", "diamond-open", "circle-open", "square-open"),
)
"""One for each place in the palette, and then on: eleven, so that the ninth system,
which has the first one's colour again, has another symbol."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def style_of(light: Theme, dark: Theme) -> Markup:
    """Return CSS that sets the variables of a page to one theme or the other.

    The reader's system decides until the reader does; paper is always light.
    """
    day, night = _variables(light), _variables(dark)
    return Markup(
        f":root{{color-scheme:light;{day}}}\n"
        "@media screen and (prefers-color-scheme:dark){"
        f':root:not([data-theme="light"]){{color-scheme:dark;{night}}}}}\n'
        f'@media screen{{:root[data-theme="dark"]{{color-scheme:dark;{night}}}}}\n'
    )


def _variables(theme: Theme) -> str:
    values = {field.name: getattr(theme, field.name) for field in fields(theme)}
    return "".join(f"--{k}:{v};" for k, v in values.items() if isinstance(v, str))
