"""A burst of articles: all are taken in, once, whatever the server says meanwhile."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import func, select

from ustory.core.article import Article
from ustory.store import Store
from ustory.store.tables import articles, revisions
from ustory.store.upkeep import check
from ustory_bench.service.running import serving
from ustory_bench.simulate import SimulationPlan, simulate

ARTICLES = 10_000
CLIENTS = 8
_BATCH = 10
_TWICE = 20
"""Every so many batches one is sent again, as by a client that lost the answer."""
_FEWER, _WAITING = 1_500, 600
"""A burst, and how many of it may wait: fewer, so that some are refused at first."""
_SENTENCES = 5


def measure(folder: Path) -> dict[str, Any]:
    """Post articles to new services, one with room for all and one without."""
    found = {
        "roomy": _burst(folder, ARTICLES, None),
        "full": _burst(folder, _FEWER, _WAITING),
    }
    return found | {"holds": all(one["holds"] for one in found.values())}


def _burst(folder: Path, count: int, waiting: int | None) -> dict[str, Any]:
    """Post articles from several clients, and return what happened."""
    stream = [_sent(article) for article in simulate(_plan(count))]
    batches = [stream[start : start + _BATCH] for start in range(0, count, _BATCH)]
    database = folder / f"burst-{time.time_ns()}.db"
    keys = [f"key-of-the-client-{number}" for number in range(CLIENTS)]
    options = [part for key in keys for part in ("--key", key)]
    options += ["--as-of-articles", "--slide", "15m"]
    options += [] if waiting is None else ["--max-waiting", str(waiting)]
    with serving(database, options) as server:
        start = time.perf_counter()
        with ThreadPoolExecutor(CLIENTS) as pool:
            sent = [
                pool.submit(_post, server.address, key, batches[number::CLIENTS])
                for number, key in enumerate(keys)
            ]
        seconds = time.perf_counter() - start
        told = sum((one.result() for one in sent), Counter[str]())
    found = {"articles": count, "clients": CLIENTS, "seconds": round(seconds, 1)}
    found["articles_per_second"] = round(count / seconds)
    return found | dict(sorted(told.items())) | _kept(database, count)


def _plan(count: int) -> SimulationPlan:
    # all of it within the ten years that an archive goes back
    start = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    start -= timedelta(days=30)
    return SimulationPlan(articles=count, days=20, sentences=_SENTENCES, start=start)


def _sent(article: Article) -> dict[str, Any]:
    return {
        "id": article.id,
        "title": article.title,
        "text": article.text,
        "url": f"https://news.example/{article.id}",
        "published_at": article.published_at.isoformat(),
        "source": article.source,
        "lang": "en",
    }


def _post(address: str, key: str, batches: Sequence[Any]) -> Counter[str]:
    """Send batches in order, each until it is taken; return what was answered."""
    told: Counter[str] = Counter()
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=address, headers=headers, timeout=120) as client:
        for number, batch in enumerate(batches):
            for _ in range(2 if number % _TWICE == 0 else 1):
                told += _until_taken(client, batch)
    return told


def _until_taken(client: httpx.Client, batch: Any) -> Counter[str]:  # noqa: ANN401 - JSON
    told: Counter[str] = Counter()
    while True:
        answer = client.post("/api/articles", json={"articles": batch})
        told[f"answers_{answer.status_code}"] += 1
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            time.sleep(float(answer.headers["Retry-After"]))
            continue
        answer.raise_for_status()
        told.update(one["outcome"] for one in answer.json()["receipts"])
        return told


def _kept(database: Path, count: int) -> dict[str, Any]:
    """Return what is in the database afterwards, and whether it is as it should be."""
    store = Store.open(str(database))
    with store.read() as connection:
        kept, named, texts = (
            connection.execute(select(one)).scalar_one()
            for one in (
                func.count(articles.c.id),
                func.count(articles.c.address.distinct()),
                func.count(revisions.c.seq),
            )
        )
    wrong = check(store)
    store.close()
    holds = kept == named == texts == count and not wrong
    return {"kept": kept, "texts": texts, "wrong": wrong, "holds": holds}
