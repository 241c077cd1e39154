"""A load against a running service: posted, and followed until it is told."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory_bench.load.client import Client
from ustory_bench.load.figures import LoadReport, Times
from ustory_bench.load.following import Follower
from ustory_bench.load.pace import Pace

BATCH = 100
"""Articles in a request, at most."""
PATIENCE = 600.0
"""Seconds without a slide after which slides that wait are given up on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The service, and how articles are put to it."""

    address: str
    key: str | None = None
    own_dates: bool = False
    """Whether articles keep their dates; else they are of the moment they come in."""
    patience: float = PATIENCE


def load_service(
    target: Target,
    articles: Iterable[Article],
    pace: Pace,
    show: Callable[[Pace], None],
) -> LoadReport:
    """Post articles to a service at a pace, and return how it bore them."""
    with Client(target.address, target.key) as client:
        client.check()
        follower = Follower(client)
        outcomes: Counter[str] = Counter()
        began = time.perf_counter()
        with follower:
            for batch in pace.in_batches(articles, BATCH):
                sent = [_sent(each, own_dates=target.own_dates) for each in batch]
                receipts = client.post(sent)
                pace.taken(len(batch))
                outcomes.update(each["outcome"] for each in receipts)
                follower.posted(receipts)
                show(pace)
            follower.wait(target.patience)
        seconds = time.perf_counter() - began
        now = client.operations()
    return LoadReport(
        against=target.address,
        rate=pace.rate,
        articles=pace.handed,
        seconds=seconds,
        slides=Times.of(follower.slides),
        lag=Times.of(pace.lags) if pace.rate else None,
        last_lag=pace.lag,
        memory_mib=now["memory_bytes"] / 2**20,
        peak_mib=now["memory_peak_bytes"] / 2**20,
        window=now["inside"],
        stories=now["stories"],
        steps=dict(follower.steps),
        told=Times.of(follower.told),
        untold=follower.untold,
        outcomes=dict(sorted(outcomes.items())),
        refused_requests=client.refused,
    )


def check_address(text: str) -> str:
    """Return the address of a service; refuse what is none."""
    if not text.startswith(("http://", "https://")) or len(text.split()) != 1:
        raise ConfigError(
            "--against takes `engine`, or the address of a running service such as "
            f"http://127.0.0.1:8000; got {text!r}"
        )
    return text.rstrip("/")


def _sent(article: Article, *, own_dates: bool) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": article.id,
        "title": article.title,
        "text": article.text,
        "url": article.url,
        "source": article.source,
        "lang": article.lang,
        "authors": list(article.authors),
    }
    if own_dates:
        fields["published_at"] = article.published_at.isoformat()
    return fields
