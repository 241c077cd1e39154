"""What the benchmarks of pages and searches say, as Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.docs.measured import grid, number, results
from tests.docs.parts import Part, link
from ustory_bench.service.pages import MOST_MS, MOST_RATIO

_FILE = "service.json"
_NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def service_pages(page: Path, kind: str) -> str:
    """Return how long each page takes in a small archive and in a large one."""
    found = results(_FILE)["pages"]
    small, large = (
        f"{count:,} articles, {live:,} live"
        for count, live in zip(found["articles"], found["live"], strict=True)
    )
    head = ["page", f"{small}: p50", "p95", f"{large}: p50", "p95", "work", "holds"]
    names = ("small_p50", "small_p95", "large_p50", "large_p95", "large_work")
    rows = [
        [
            row["page"],
            *(f"{number(row[name], 0)} ms" for name in names),
            "yes" if row["holds"] else "**no**",
        ]
        for row in found[kind]
    ]
    return (
        f"{_NAMES[kind]}, {_told(page, found)} Each page was asked for "
        f"{found['rounds']} times over HTTP; *work* is what processors did for it in "
        f"the process of the service. A page holds with a p95 of {MOST_MS:.0f} ms in "
        f"the small archive, and in the large one of {MOST_MS:.0f} ms or "
        f"{MOST_RATIO} times the small one's.\n\n{grid(head, rows)}"
    )


def service_search(page: Path) -> str:
    """Return how long searches take, by how much they find."""
    found = results(_FILE)["search"]
    head = ["articles found", "database", "queries", "p50", "p95", "at most"]
    head += ["totals", "holds"]
    rows = [
        [
            row["band"],
            name,
            f"{row['queries']}",
            *(f"{number(row[each], 0)} ms" for each in ("p50", "p95", "most")),
            row["totals"],
            "yes" if row["holds"] else "**no**",
        ]
        for kind, name in _NAMES.items()
        for row in found.get(kind, [])
    ]
    return (
        f"{found['queries']} queries, every other one of two words, sent to "
        f"`{found['sqlite'][0]['asked']}`, among {found['articles']:,} articles; "
        f"{_told(page, found)} A band holds when it is as fast as it must be and the "
        f"answers say how much was found, and rightly.\n\n{grid(head, rows)}"
    )


def _told(page: Path, found: Mapping[str, Any]) -> str:
    box, source = found["machine"], link(page, f"bench/results/{_FILE}")
    return f"on {box['processor']}, {box['cores']} cores, from {source}."


PARTS: Mapping[str, Part] = {
    "service-pages": service_pages,
    "service-search": service_search,
}
