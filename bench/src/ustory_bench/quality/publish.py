"""Keeps a report's numbers for the docs: python -m ustory_bench.quality.publish DIR.

DIR is what `ustory bench` wrote. Articles are their publishers', so nothing of their
text is kept: what shows headlines, keywords or sentences is left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "bench" / "results" / "report" / "results.json"

SHOWING_TEXT = frozenset({"timeline", "map", "neighbours", "sentences"})
"""Experiments that are left out: they are about the words of articles."""

_TOLD = frozenset({"reason", "faults", "error", "objective", "parts"})
"""Under these names the program itself speaks, in many words."""
_WORDS = 6
"""A name or a label has at most so many."""


def published(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results without any text of an article."""
    kept: dict[str, Any] = {
        name: _without_text(name, data)
        for name, data in results["experiments"].items()
        if name not in SHOWING_TEXT
    }
    plan = {**results["plan"], "experiments": list(kept)}
    failed = [
        each
        for each in results["failed"]
        if not any(f".{name}:" in each["task"] for name in SHOWING_TEXT)
    ]
    found = {**results, "plan": plan, "experiments": kept, "failed": failed}
    for text in texts_in(found):
        raise SystemExit(f"this may be the text of an article, and is not kept: {text}")
    return found


def texts_in(found: Any, told: bool = False) -> Iterator[str]:  # noqa: ANN401 - JSON
    """Yield every string that is longer than names are, but what the program says."""
    if isinstance(found, Mapping):
        for name, value in found.items():
            yield from texts_in(name)
            yield from texts_in(value, told or name in _TOLD)
    elif isinstance(found, list):
        for value in found:
            yield from texts_in(value, told)
    elif isinstance(found, str) and not told and len(found.split()) > _WORDS:
        yield found


def _without_text(name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    if name != "cosines" or "streams" not in data:
        return dict(data)
    return {**data, "streams": [_numbers_only(each) for each in data["streams"]]}


def _numbers_only(each: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stream's cosines; of its sentences, their places and their stories."""
    sentences = each["sentences"]
    stories = {f"story {i + 1}": "no title" for i in range(len(sentences["stories"]))}
    texts = [""] * len(sentences["texts"])
    return {**each, "sentences": {**sentences, "stories": stories, "texts": texts}}


def main() -> None:
    """Write what is kept of a report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what ustory bench wrote")
    path = parser.parse_args().folder / "results.json"
    found = published(json.loads(path.read_text(encoding="utf-8")))
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    print(RESULTS.relative_to(ROOT))


if __name__ == "__main__":
    main()
