"""Pictures of articles in two dimensions, and what all case studies share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ustory.core.arrays import Matrix, Vector
from ustory.core.article import PreparedArticle
from ustory.core.errors import MissingExtraError
from ustory.paper.embedding.article import unit_rows
from ustory_bench.report.palette import SYMBOLS
from ustory_bench.runner.jobs import OK, Cell, Plain

_FEW = 10
"""Fewer rows than this have no neighbourhoods to keep: PCA shows them."""
_PERPLEXITY = 30.0


def project(rows: Matrix, seed: int) -> list[list[float]]:
    """Return a place in the plane for each row, near where cosines are high.

    t-SNE of unit rows, begun at their principal components; of a few rows these
    components alone. The same rows and seed give the same picture, on one thread.
    """
    unit = unit_rows(rows).astype(np.float64)
    if len(unit) < _FEW:
        return _rounded(_components(unit))
    try:
        from sklearn.manifold import TSNE  # noqa: PLC0415 - heavy, optional
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "", "ustory-bench") from error
    start = _components(unit)
    start *= 1e-4 / max(float(start[:, 0].std()), 1e-12)
    shrunk = TSNE(
        perplexity=min(_PERPLEXITY, (len(unit) - 1) / 3),
        init=start.astype(np.float32),
        learning_rate="auto",
        random_state=seed,
    )
    with threadpool_limits(limits=1):  # threads must not change a sum
        return _rounded(shrunk.fit_transform(unit.astype(np.float32)))


def nearest_share(rows: Matrix, story: Sequence[int], owner: Sequence[int]) -> float:
    """Return how many rows have the nearest row of another owner in their own story.

    As a share of all rows that have a fellow: a row of their story with another owner.

    >>> nearest_share(np.eye(2, dtype=np.float32)[[0, 0, 1, 1]], [0, 0, 1, 1], range(4))
    1.0
    """
    unit = unit_rows(rows)
    stories, owners = np.asarray(story), np.asarray(owner)
    near = unit @ unit.T
    apart = owners[:, None] != owners[None, :]
    near[~apart] = -np.inf
    fellow = (apart & (stories[:, None] == stories[None, :])).any(axis=1)
    if not fellow.any():
        return 0.0
    best = near.argmax(axis=1)
    return float((stories[best] == stories)[fellow].mean())


def shortened(text: str, limit: int) -> str:
    """Return a text that is cut between words where it is longer than `limit`.

    >>> shortened("Floods reach the old town", 16)
    'Floods reach …'
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut[:-1]).rstrip(" ,;:") + " …"


def label(text: str, limit: int = 60) -> str:
    """Return a text as a figure may show it: short, and with no markup of its own."""
    return escape(shortened(text, limit), quote=False)


def percent(share: float, digits: int = 1) -> str:
    """Return a share as text has it.

    >>> percent(0.98765)
    '98.8 %'
    """
    return f"{100 * share:.{digits}f} %"


def title_of(one: PreparedArticle) -> str:
    """Return the title of an article, or its first sentence where it has none."""
    return one.article.title or one.sentences[0]


def points(
    places: Iterable[Sequence[float]],
    texts: Iterable[str],
    name: str,
    number: int,
    panel: int = 0,
) -> dict[str, Any]:
    """Return the trace of one group of points: colour and symbol by its `number`."""
    spots = list(places)
    axis = "" if panel == 0 else str(panel + 1)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [spot[0] for spot in spots],
        "y": [spot[1] for spot in spots],
        "text": list(texts),
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8},
        "legendgroup": str(number),
        "showlegend": panel == 0,
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "meta": {"colour": number},
    }


def panels(
    titles: Sequence[str], columns: int = 2, *, same_places: bool = False
) -> dict[str, Any]:
    """Return the layout of panels in rows, without ticks: distances have no unit.

    With `same_places` a point of one panel is in the same place in all.
    """
    lines = -(-len(titles) // columns)
    across, down = 0.06, 0.12
    wide = (1 - across * (columns - 1)) / columns
    high = (1 - down * (lines - 1)) / lines
    layout: dict[str, Any] = {"annotations": [], "legend": {"orientation": "h"}}
    for place, title in enumerate(titles):
        line, column = divmod(place, columns)
        left, top = column * (wide + across), 1 - line * (high + down)
        axis = "" if place == 0 else str(place + 1)
        for letter, other, domain in (
            ("x", "y", [left, left + wide]),
            ("y", "x", [max(top - high, 0.0), top]),
        ):
            layout[f"{letter}axis{axis}"] = {
                "domain": domain,
                "anchor": f"{other}{axis}",
                "showticklabels": False,
                "ticks": "",
                "zeroline": False,
                **({"matches": letter} if same_places and place else {}),
            }
        layout["annotations"].append(
            {
                "text": title, "x": left, "y": top, "xref": "paper", "yref": "paper",
                "xanchor": "left", "yanchor": "bottom", "showarrow": False,
            }
        )  # fmt: skip
    return layout


def faults_of(what: str, cells: Iterable[Cell]) -> list[str]:
    """Return a sentence on each cell that has no result."""
    return [
        f"{what} on {cell.job.stream} ({cell.job.system}): {cell.reason or cell.status}"
        for cell in cells
        if cell.status != OK
    ]


def by_stream(what: str, cells: Sequence[Cell]) -> dict[str, Plain]:
    """Return what a figure with one cell for each stream keeps of them."""
    return {
        "streams": [
            {"stream": cell.job.stream, "encoder": cell.job.encoder, **cell.result}
            for cell in cells
            if cell.status == OK
        ],
        "faults": faults_of(what, cells),
    }


def day(moment: str) -> str:
    """Return the day of a moment that was written down."""
    return moment[:10]


def story_names(titles: Mapping[str, str], limit: int = 48) -> list[str]:
    """Return true stories as legends have them: label, and a title of theirs."""
    return [label(f"{story}: {title}", limit) for story, title in titles.items()]


def _components(unit: Vector) -> Vector:
    """Return the first two principal components, with signs that do not vary."""
    centred = unit - unit.mean(axis=0)
    left, size, right = np.linalg.svd(centred, full_matrices=False)
    signs = np.sign(right[np.arange(len(right)), np.abs(right).argmax(axis=1)])
    flat = np.zeros((len(unit), 2))
    found = (left * size * np.where(signs == 0, 1.0, signs))[:, :2]
    flat[:, : found.shape[1]] = found
    return flat


def _rounded(places: Vector) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in places]
