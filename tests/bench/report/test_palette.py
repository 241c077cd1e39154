"""Colours can be seen by day and by night, and told apart without being seen."""

from __future__ import annotations

import itertools

import pytest

from ustory_bench.report.palette import DARK, DASHES, LIGHT, SYMBOLS, Theme, style_of
from ustory_bench.report.theme import look_of

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@THEMES
def test_text_has_the_contrast_that_reading_needs(theme: Theme) -> None:
    for paper in (theme.paper, theme.raised):
        for text in (theme.ink, theme.muted, theme.accent):
            assert contrast(text, paper) >= 4.5


@THEMES
def test_every_colour_stands_out_from_the_paper(theme: Theme) -> None:
    assert all(contrast(colour, theme.paper) > 2.2 for colour in theme.colours)
    assert len(set(theme.colours)) == len(theme.colours) == 8


@THEMES
def test_a_scale_goes_one_way(theme: Theme) -> None:
    steps = [contrast(colour, theme.paper) for colour in theme.scale]
    assert steps == sorted(steps)


def test_no_two_systems_look_the_same_for_a_long_while() -> None:
    looks = [
        (LIGHT.colours[i % 8], SYMBOLS[i % len(SYMBOLS)], DASHES[i % len(DASHES)])
        for i in range(40)
    ]
    assert all(a != b for a, b in itertools.combinations(looks, 2))
    again = [(i, i + 8) for i in range(16)]
    assert all(looks[a][1] != looks[b][1] for a, b in again)


def test_the_style_has_both_themes_and_dark_only_on_screens() -> None:
    style = style_of(LIGHT, DARK)
    assert style.count(f"--paper:{LIGHT.paper}") == 1
    assert style.count(f"--paper:{DARK.paper}") == 2
    dark = [line for line in style.splitlines() if DARK.paper in line]
    assert all(line.startswith("@media screen") for line in dark)


def test_figures_wear_the_theme_of_the_page() -> None:
    layout = look_of(DARK)["template"]["layout"]
    assert layout["font"]["color"] == DARK.ink
    assert layout["xaxis"]["gridcolor"] == DARK.grid
    assert look_of(LIGHT)["colours"] == list(LIGHT.colours)
