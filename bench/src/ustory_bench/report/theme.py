"""Plotly's side of a theme: what a figure looks like that says nothing about it."""

from __future__ import annotations

from typing import Any

from ustory_bench.report.palette import DASHES, SYMBOLS, Theme

FONT = '"Helvetica Neue", Helvetica, Arial, "Liberation Sans", system-ui, sans-serif'
_SIZE = 13
_SMALL = 12


def look_of(theme: Theme) -> dict[str, Any]:
    """Return what the page's script needs to draw in a theme.

    `template` is Plotly's; `colours`, `symbols` and `dashes` are what a trace's
    `meta.colour` is looked up in.
    """
    return {
        "template": {"layout": _layout(theme), "data": _data(theme)},
        "colours": list(theme.colours),
        "symbols": list(SYMBOLS),
        "dashes": list(DASHES),
    }


def _layout(theme: Theme) -> dict[str, Any]:
    scale = _scale(theme)
    return {
        "font": {"family": FONT, "size": _SIZE, "color": theme.ink},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": list(theme.colours),
        "colorscale": {"sequential": scale, "sequentialminus": scale[::-1]},
        "margin": {"l": 8, "r": 12, "t": 20, "b": 8},
        "xaxis": _axis(theme),
        "yaxis": _axis(theme),
        "legend": _legend(theme),
        "hoverlabel": {
            "bgcolor": theme.raised,
            "bordercolor": theme.rule,
            "font": {"family": FONT, "size": _SMALL, "color": theme.ink},
            "align": "left",
        },
        "hovermode": "closest",
        "annotationdefaults": {
            "font": {"size": _SIZE, "color": theme.ink},
            "arrowcolor": theme.muted,
            "arrowwidth": 1,
            "arrowhead": 0,
        },
        "shapedefaults": {"line": {"color": theme.muted, "width": 1}},
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)",
            "color": theme.muted,
            "activecolor": theme.accent,
        },
        "bargap": 0.25,
        "barcornerradius": 0,
    }


def _legend(theme: Theme) -> dict[str, Any]:
    """Return a legend under the figure, where a narrow page has room for it."""
    return {
        "orientation": "h",
        "xref": "container",
        "yref": "container",
        "x": 0.5,
        "xanchor": "center",
        "y": 0,
        "yanchor": "bottom",
        "font": {"size": _SMALL, "color": theme.ink},
        "bgcolor": "rgba(0,0,0,0)",
        "tracegroupgap": 4,
    }


def _axis(theme: Theme) -> dict[str, Any]:
    return {
        "automargin": True,
        "showline": True,
        "linecolor": theme.muted,
        "linewidth": 1,
        "gridcolor": theme.grid,
        "gridwidth": 1,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": theme.muted,
        "tickfont": {"size": _SMALL, "color": theme.muted},
        "title": {"font": {"size": _SIZE, "color": theme.ink}, "standoff": 10},
    }


def _data(theme: Theme) -> dict[str, Any]:
    bar = {
        "outlinewidth": 0,
        "thickness": 12,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": theme.muted,
        "tickfont": {"size": _SMALL, "color": theme.muted},
    }
    heat = {"colorscale": _scale(theme), "colorbar": bar, "xgap": 1, "ygap": 1}
    edge = {"line": {"width": 0}}
    return {
        "bar": [{"marker": edge, "error_y": _error(theme), "error_x": _error(theme)}],
        "scatter": [{"line": {"width": 2}, "marker": {"size": 7}}],
        "heatmap": [heat],
    }


def _error(theme: Theme) -> dict[str, Any]:
    return {"color": theme.ink, "thickness": 1.2, "width": 3}


def _scale(theme: Theme) -> list[list[Any]]:
    last = len(theme.scale) - 1
    return [[i / last, colour] for i, colour in enumerate(theme.scale)]
