"""How long searches take in an archive of a million articles, by how much they find."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from ustory.store import Connection, Store
from ustory.store.article_hits import list_articles
from ustory.store.query import (
    RELEVANCE,
    Selection,
    StoryQuery,
    count_facets,
    list_stories,
)
from ustory.store.search import Search
from ustory_bench.service.asking import Asked, Asking, percentile
from ustory_bench.service.databases import addresses
from ustory_bench.service.filling import Say, fill_at
from ustory_bench.service.pages import LARGE, OPTIONS
from ustory_bench.service.query_drawing import (
    BANDS,
    COMMON,
    DrawnQuery,
    candidate_ranks,
    common_bands,
    draw_queries,
    made_postings,
)
from ustory_bench.service.running import serving
from ustory_bench.service.synthetic import Synthetic

MOST_MS = {**dict.fromkeys(BANDS, 150.0), COMMON: 300.0}
"""What a search may take, 95 times of 100, by band."""
LAST = datetime(2025, 1, 1, tzinfo=UTC)
"""The moment from which ages are counted back."""
_ENDPOINTS = ("/api/search", "/api/articles")
"""What is asked; the first that there is."""


def measure(folder: Path, say: Say, made: Synthetic = LARGE) -> dict[str, Any]:
    """Fill a database of each kind, and return how long searches take in it."""
    drawn = queries_for(made)
    say(f"{len(drawn)} queries, {min(q.hits for q in drawn)} hits and more")
    results: dict[str, Any] = {"articles": made.articles, "queries": len(drawn)}
    with addresses(folder, [made]) as places:
        for kind, (url,) in places.items():
            fill_at(url, made, say)
            say(f"searching {kind}")
            results[kind] = searched(url, drawn)
    return results


def queries_for(made: Synthetic) -> list[DrawnQuery]:
    """Return 100 queries of four bands, and 25 of common words."""
    postings = made_postings(made, candidate_ranks(made.seed))
    bands = {**BANDS, **common_bands(made.articles)}
    return draw_queries(postings, bands, seed=made.seed)


def searched(url: str, drawn: Sequence[DrawnQuery]) -> list[dict[str, Any]]:
    """Return how long the queries of each band take, over HTTP and in this process."""
    calls = _called(url, drawn)
    with (
        serving(url, OPTIONS) as process,
        httpx.Client(base_url=process.address, timeout=60) as client,
    ):
        site = Asking(client, process)
        site.wait_for_map()
        where = _endpoint(client)
        for query in drawn[:: len(drawn) // 5]:
            site.ask(f"{where}?q={quote(query.text)}")
        asked = {
            query: site.ask(f"{where}?q={quote(query.text)}", keep=True)
            for query in drawn
        }
    return [
        {"band": band, "asked": where, **_row(band, drawn, asked, calls)}
        for band in dict.fromkeys(query.band for query in drawn)
    ]


def _endpoint(client: httpx.Client) -> str:
    for where in _ENDPOINTS:
        if client.get(f"{where}?q=a").status_code == 200:
            return where
    raise RuntimeError(f"the service answers none of {', '.join(_ENDPOINTS)}")


def _called(url: str, drawn: Sequence[DrawnQuery]) -> dict[DrawnQuery, float]:
    """Return the milliseconds of each search without HTTP; the second of two."""
    store = Store.open(url)
    found = {}
    for query in drawn:
        for _ in range(2):
            with store.read() as connection:
                began = time.perf_counter()
                search(connection, query.text)
                found[query] = (time.perf_counter() - began) * 1e3
    store.close()
    return found


def search(connection: Connection, text: str) -> object:
    """Search as the page does: articles, stories, totals and counts."""
    found = Search.of(connection, text)
    query = StoryQuery(text=text, sort=RELEVANCE)
    stories = Selection.of(connection, query, found)
    return (
        list_articles(connection, query, found, stories=stories),
        list_stories(connection, query, stories),
        count_facets(connection, stories, LAST),
    )


def _row(
    band: str,
    drawn: Sequence[DrawnQuery],
    asked: dict[DrawnQuery, Asked],
    calls: dict[DrawnQuery, float],
) -> dict[str, Any]:
    here = [query for query in drawn if query.band == band]
    times = [asked[query].milliseconds for query in here]
    inside = [calls[query] for query in here]
    totals = [_total(asked[query].answer) for query in here]
    wrong = [
        query.text
        for query, total in zip(here, totals, strict=True)
        if total not in (None, query.hits)
    ]
    p95 = round(percentile(times, 95), 1)
    counted = None not in totals
    return {
        "queries": len(here),
        "two_words": sum(" " in query.text for query in here),
        "most_hits": max(query.hits for query in here),
        "p50": round(percentile(times, 50), 1),
        "p95": p95,
        "most": MOST_MS[band],
        "in_process_p95": round(percentile(inside, 95), 1),
        "totals": f"{len(wrong)} wrong" if counted else "none",
        "holds": p95 <= MOST_MS[band] and counted and not wrong,
    }


def _total(answer: Any) -> int | None:  # noqa: ANN401 - JSON
    """Return how many articles an answer says there are; None if it does not say.

    Where other words were searched for instead, those that were asked for had none.
    """
    if answer.get("corrected") is not None:
        return 0
    found = answer.get("articles")
    return int(found["total"]) if isinstance(found, dict) else None
