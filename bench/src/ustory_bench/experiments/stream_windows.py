"""The windows of the streams of a bench, kept with results and told in words."""

from __future__ import annotations

from collections.abc import Mapping

from ustory.core.spans import format_span
from ustory_bench.runner.jobs import BenchPlan, Plain


def spans_of(plan: BenchPlan) -> dict[str, Plain]:
    """Return W and S as results keep them, and W of the streams with one of their own.

    The last only where there are such.
    """
    found: dict[str, Plain] = {
        "window": format_span(plan.settings.window),
        "slide": format_span(plan.settings.slide),
    }
    own = {name: format_span(plan.settings_for(name).window) for name in plan.windows}
    return {**found, "windows": own} if own else found


def window_of(data: Mapping[str, Plain], stream: str) -> str:
    """Return W of a stream, from what `spans_of` kept.

    >>> kept = {"window": "7d", "windows": {"dense": "3d"}}
    >>> window_of(kept, "dense"), window_of(kept, "other")
    ('3d', '7d')
    """
    found: str = data.get("windows", {}).get(stream, data["window"])
    return found


def windows_told(data: Mapping[str, Plain]) -> str:
    """Return all windows in words.

    >>> windows_told({"window": "7d", "windows": {"dense": "3d", "a": "3d"}})
    '7d (3d on dense and a)'
    """
    by_span: dict[str, list[str]] = {}
    for stream, span in data.get("windows", {}).items():
        if span != data["window"]:
            by_span.setdefault(span, []).append(stream)
    told = [f"{span} on {' and '.join(names)}" for span, names in by_span.items()]
    return f"{data['window']} ({', '.join(told)})" if told else str(data["window"])
