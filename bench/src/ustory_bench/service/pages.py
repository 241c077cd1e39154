"""How long each page takes, over HTTP, over a small archive and over a large one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from ustory.core.wording import utc_text
from ustory.store import Store
from ustory.store.articles import articles_of_story, newest_articles
from ustory.store.listing import StoryQuery, all_live, list_stories
from ustory_bench.service.asking import Asked, Asking, percentile
from ustory_bench.service.databases import addresses
from ustory_bench.service.filling import Say, fill_at
from ustory_bench.service.rows import article_id, moment, story_id
from ustory_bench.service.running import serving
from ustory_bench.service.synthetic import EACH, Synthetic
from ustory_bench.service.vocabulary import outlet, word

SMALL, LARGE = Synthetic(10_000, 400), Synthetic(1_000_000, 5_000)
MOST_MS = 200.0
"""What a page may take in the small archive, 95 times of 100."""
MOST_RATIO = 1.5
"""How much longer it may take in the large one, where that is more than `MOST_MS`."""
ROUNDS = 60
OPTIONS = ("--as-of-articles", "--limit", "reads=100000/100000")


def measure(
    folder: Path,
    say: Say,
    made: Sequence[Synthetic] = (SMALL, LARGE),
    rounds: int = ROUNDS,
) -> dict[str, Any]:
    """Fill databases of both sizes, serve them, and return how long pages take.

    Both are served at once, by a process each, and asked in turns.
    """
    results: dict[str, Any] = {
        "articles": [each.articles for each in made],
        "live": [each.live for each in made],
        "rounds": rounds,
    }
    with addresses(folder, made) as places:
        for kind, urls in places.items():
            for url, each in zip(urls, made, strict=True):
                fill_at(url, each, say)
            say(f"asking {kind}")
            results[kind] = compare(urls, made, rounds)
    return results


def compare(
    urls: Sequence[str], made: Sequence[Synthetic], rounds: int
) -> list[dict[str, Any]]:
    """Return how long each page takes with the first database and with the second."""
    both = list(zip(urls, made, strict=True))
    pages = [page_addresses(url, each) for url, each in both]
    with ExitStack() as stack:
        sites = []
        for url in urls:
            process = stack.enter_context(serving(url, OPTIONS))
            client = httpx.Client(base_url=process.address, timeout=60)
            sites.append(Asking(stack.enter_context(client), process))
            sites[-1].wait_for_map()
        found: dict[str, tuple[list[Asked], list[Asked]]] = {}
        for turn in range(rounds + 1):
            for page in pages[0]:
                here = found.setdefault(page, ([], []))
                for kept, site, asked in zip(here, sites, pages, strict=True):
                    answer = site.ask(asked[page])
                    if turn:  # the first fills caches
                        kept.append(answer)
    return [row_of(page, *kept) for page, kept in found.items()]


def page_addresses(url: str, made: Synthetic) -> dict[str, str]:
    """Return what is asked, by name: every page, and what the pages are made of."""
    store = Store.open(url)
    with store.read() as connection:
        largest = list_stories(connection, StoryQuery(sort="size", limit=1)).items[0]
        live = sorted(all_live(connection), key=lambda row: (-row.articles, row.id))
        few = next(row.id for row in live if row.articles <= 5)
        newest = newest_articles(connection, 1)[0].id
        inside = articles_of_story(connection, live[0].id, 1).items[0].id
    store.close()
    common, rare = word(60), word(5_000)
    old = made.articles // 3 // EACH * EACH
    stories = {
        "story, small": story_path(few),
        "story, the largest live": story_path(live[0].id),
        "story, the largest": story_path(largest.id),
        "story, by source": f"{story_path(largest.id)}?by=source",
        "story, merged": story_path(story_id(7)),
    }
    articles = {
        "article, newest": f"/articles/{quote(newest)}",
        "article of a story": f"/articles/{quote(inside)}",
        "article of long ago": f"/articles/{article_id(old)}",
    }
    lists = {
        "now": "/",
        "now, by size": "/?sort=size",
        "now, an outlet": f"/?{urlencode({'source': outlet(3)})}",
        "now, live and ended": "/?status=all",
        "now, a common word": f"/?q={common}",
        "now, a rare word": f"/?q={rare}",
    }
    return {**lists, **stories, **articles, **_others(made)}


def story_path(name: str) -> str:
    """Return the address of a story's page."""
    return f"/stories/{quote(name, safe='')}"


def _others(made: Synthetic) -> dict[str, str]:
    middle = moment(int(made.published[made.articles // 2]))
    past = urlencode({"until": utc_text(middle), "days": 30})
    pages = {
        "timeline by day": "/timeline",
        "timeline by hour": "/timeline?zoom=hour&days=7",
        "timeline, hottest": "/timeline?sort=heat&days=90",
        "timeline of long ago": f"/timeline?{past}",
        **{name: f"/{name}" for name in ("map", "watch", "sources", "operations")},
    }
    names = ("stories", "timeline", "map", "operations", "feeds", "watchlists")
    api = {f"/api/{name}": f"/api/{name}" for name in names}
    return {
        **pages,
        **api,
        "/api/changes": "/api/changes",
        "/api/stories.atom": "/api/stories.atom",
    }


def row_of(page: str, small: list[Asked], large: list[Asked]) -> dict[str, Any]:
    """Return what a page took in both archives, and whether that is good enough."""
    row: dict[str, Any] = {"page": page}
    for name, asked in (("small", small), ("large", large)):
        times = [each.milliseconds for each in asked]
        row[f"{name}_p50"] = round(percentile(times, 50), 1)
        row[f"{name}_p95"] = round(percentile(times, 95), 1)
        work = [each.work for each in asked]
        row[f"{name}_work"] = round(percentile(work, 50), 1)
    row["bytes"] = large[-1].size
    most = max(MOST_MS, MOST_RATIO * row["small_p95"])
    row["holds"] = row["small_p95"] <= MOST_MS and row["large_p95"] <= most
    return row
