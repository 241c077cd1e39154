"""The full text of articles of which a feed gives only a summary."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from time import monotonic

from ustory.sources.feeds.entry import Fetched, host_of
from ustory.sources.feeds.page import check_extractor
from ustory.sources.feeds.reader_pool import READERS, Readers
from ustory.sources.http.client import Web
from ustory.sources.http.errors import FetchError
from ustory.sources.http.politeness import LONGEST_TURN, Robots, Spacing
from ustory.sources.records.fields import MAX_ARTICLE_BYTES

PAGE_SIZE = 3_000_000
"""The largest page that is read, in bytes; what is larger is rarely an article."""

_LOG = logging.getLogger(__name__)
_HTML = ("text/html", "application/xhtml+xml", "")


class FullText:
    """Reads articles at their address, where the site's robots.txt lets us."""

    def __init__(
        self,
        web: Web,
        spacing: Spacing,
        clock: Callable[[], datetime],
        readers: Readers = READERS,
    ) -> None:
        check_extractor()
        self._web = web
        self._readers = readers
        self._spacing = spacing
        self._robots = Robots(web, spacing, clock)

    def complete(
        self, item: Fetched, seconds: float = LONGEST_TURN, *, suspect: bool = False
    ) -> Fetched:
        """Return the item with its full text; as it is if that cannot be had in time.

        Only an item that is a summary is looked up, and only a text longer than the
        summary is taken.
        """
        article = item.article
        if not item.summary_only or article.url is None:
            return item
        try:
            text = self.read(article.url, seconds, suspect=suspect)
        except FetchError as error:
            _LOG.info("no full text of %s: %s", article.url, error)
            return item
        room = MAX_ARTICLE_BYTES - len(article.title.encode())
        text = text.encode()[:room].decode("utf-8", "ignore")
        if len(text) <= len(article.text):
            return item
        full = replace(article, text=text)
        return replace(item, article=full, summary_only=False)

    def read(
        self, url: str, seconds: float = LONGEST_TURN, *, suspect: bool = False
    ) -> str:
        """Return the text of the page at `url`, or raise FetchError saying why not."""
        end = monotonic() + seconds
        self._check(url, end)
        delay = self._robots.delay(url, max(end - monotonic(), 0.0))
        with self._spacing.turn(host_of(url), delay, end - monotonic()):
            left = max(end - monotonic(), 0.0)
            answer = self._web.get(
                url, {"accept": "text/html"}, size=PAGE_SIZE, seconds=left
            )
        if answer.url != url:
            self._check(answer.url, end)
        if answer.status != 200:
            raise FetchError("status", f"the answer has status {answer.status}")
        content_type = answer.headers.get("content-type", "")
        if content_type.partition(";")[0].strip().lower() not in _HTML:
            raise FetchError("broken", f"it is no page, but {content_type[:60]!r}")
        left = max(end - monotonic(), 0.0)
        return self._readers.text(
            answer.body, content_type, suspect=suspect, seconds=left
        )

    def _check(self, url: str, end: float) -> None:
        if not self._robots.allows(url, max(end - monotonic(), 0.0)):
            raise FetchError("address", "its robots.txt does not let us read it")
