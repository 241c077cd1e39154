"""One feed as a source like any other, with a cursor to go on from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime

from ustory.core.errors import ConfigError
from ustory.core.protocols import Arrival
from ustory.sources.feeds.polling import FEED_SIZE, FEED_TYPES, feed_digest
from ustory.sources.feeds.reader_pool import READERS, Readers
from ustory.sources.http.client import Web
from ustory.sources.http.errors import FetchError


class FeedSource:
    """Reads the articles of one feed, once each time it is asked.

    The cursor lists the entries of the feed that were read: feeds put new entries
    anywhere, and have no numbers. An entry that was edited is read again.
    """

    def __init__(
        self,
        url: str,
        web: Web,
        clock: Callable[[], datetime],
        readers: Readers = READERS,
    ) -> None:
        self._url = url
        self._readers = readers
        self._web = web
        self._clock = clock

    @property
    def name(self) -> str:
        """The address of the feed."""
        return self._url

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles that are not in the cursor `after`."""
        seen = self._parse(after)
        answer = self._web.get(self._url, {"accept": FEED_TYPES}, size=FEED_SIZE)
        if answer.status != 200:
            raise FetchError(
                "status", f"{self._url}: the answer has status {answer.status}"
            )
        feed = self._readers.feed(
            answer.body,
            url=answer.url,
            fetched_at=self._clock(),
            content_type=answer.headers.get("content-type", ""),
        )
        digests = [feed_digest(item).hex() for item in feed.items]
        read = [digest for digest in digests if digest in seen]
        for item, digest in zip(feed.items, digests, strict=True):
            if digest not in seen:
                read.append(digest)
                yield Arrival(item.article, json.dumps(read))

    def _parse(self, after: str | None) -> frozenset[str]:
        try:
            found = [] if after is None else json.loads(after)
        except ValueError:
            found = None
        if not isinstance(found, list) or not all(isinstance(d, str) for d in found):
            raise ConfigError(
                f"a cursor of {self._url} is a JSON list of digests; got "
                f"{str(after)[:60]!r}"
            )
        return frozenset(found)
