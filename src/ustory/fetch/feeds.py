"""Many feeds, each asked again when it is due, several at a time."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TypeAlias

from ustory.core.errors import UStoryError
from ustory.fetch.feed_state import (
    FeedState,
    PollSettings,
    after_failure,
    after_success,
    conditions,
    with_validators,
)
from ustory.fetch.fulltext import FullText
from ustory.fetch.http import Answer, Web
from ustory.fetch.item import Fetched
from ustory.fetch.links import host_of
from ustory.fetch.politeness import Spacing, retry_after
from ustory.fetch.readers import READERS

__all__ = ["FeedState", "Feeds", "Known", "PollSettings", "Polled", "feed_digest"]

Known: TypeAlias = Callable[[Sequence[str]], Collection[str]]
"""Of some ids of articles, those that are in the store."""

FEED_TYPES = (
    "application/rss+xml, application/atom+xml, application/feed+json, "
    "application/xml;q=0.9, application/json;q=0.8, text/xml;q=0.8, */*;q=0.1"
)
"""What we ask a feed's address for."""

FEED_SIZE = 5_000_000
"""The largest feed that is read, in bytes."""

_LOG = logging.getLogger(__name__)
_WAIT = (429, 503)
_GONE = 410
_SOON = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """What asking a feed once has brought; keep the state with the articles."""

    state: FeedState
    items: tuple[Fetched, ...] = ()
    """In the order of the feed, without those it gave before and that are the same."""
    problems: tuple[str, ...] = ()
    """Why entries were left out."""


class Feeds:
    """Asks feeds for what is new. Mutable: it remembers what they gave last.

    Nothing is lost if it is killed: the states that come out belong into the same
    transaction as the articles. Whoever gives an older state back is given the
    articles again. `known` spares the full texts of articles that are stored already.
    """

    def __init__(
        self,
        web: Web,
        *,
        clock: Callable[[], datetime],
        settings: PollSettings | None = None,
        spacing: Spacing | None = None,
        full_text: FullText | None = None,
        known: Known | None = None,
    ) -> None:
        self._web = web
        self._clock = clock
        self._settings = settings or PollSettings()
        self._spacing = spacing or Spacing()
        self._full_text = full_text
        self._known: Known = known or (lambda ids: ())
        self._given: dict[str, tuple[FeedState, frozenset[bytes]]] = {}

    def due(self, states: Iterable[FeedState]) -> list[FeedState]:
        """Return the feeds to ask now, those first that have waited longest."""
        now = self._clock()
        due = [state for state in states if state.active and state.next_at <= now]
        return sorted(due, key=lambda state: (state.next_at, state.url))

    def poll(self, states: Iterable[FeedState]) -> Iterator[Polled]:
        """Ask the feeds that are due; yield what each brings as soon as it is there.

        A host is asked for one feed at a time. A feed that fails says so in its state.
        """
        queues: dict[str, deque[FeedState]] = {}
        for state in self.due(states):
            queues.setdefault(host_of(state.url), deque()).append(state)
        workers = self._settings.workers
        pool = ThreadPoolExecutor(workers, thread_name_prefix="feeds")
        running: dict[Future[Polled], str] = {}
        ready = deque(queues)
        try:
            while ready or running:
                # Few are under way at a time, so that a slow reader slows us down.
                while ready and len(running) < 2 * workers:
                    host = ready.popleft()
                    task = pool.submit(self.ask, queues[host].popleft())
                    running[task] = host
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    host = running.pop(done)
                    if queues[host]:
                        ready.append(host)
                    yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def ask(self, state: FeedState) -> Polled:
        """Ask one feed, due or not, and return what that brings."""
        try:
            with self._spacing.turn(host_of(state.url)):
                headers = {"accept": FEED_TYPES, **conditions(state)}
                answer = self._web.get(state.url, headers, size=FEED_SIZE)
            polled, given = self._take(state, answer)
        except UStoryError as error:
            polled, given = self._failed(state, str(error)), self._before(state)
        except Exception as error:  # noqa: BLE001 - one feed must not end them all
            _LOG.exception("feed %s", state.url)
            why = f"an error of ours: {type(error).__name__}"
            polled, given = self._failed(state, why), self._before(state)
        if given is not None:
            self._given[state.url] = polled.state, given
        return polled

    def _take(
        self, state: FeedState, answer: Answer
    ) -> tuple[Polled, frozenset[bytes] | None]:
        if answer.status == 200:
            return self._read(state, answer)
        if answer.status == 304:
            good = after_success(state, self._clock(), self._settings, 304)
            return Polled(state=good), self._before(state)
        return self._refused(state, answer), self._before(state)

    def _refused(self, state: FeedState, answer: Answer) -> Polled:
        status, now = answer.status, self._clock()
        asked = None
        if status in _WAIT:
            asked = retry_after(answer.headers.get("retry-after"), now)
        error = f"the answer has status {status}"
        failed = after_failure(state, now, self._settings, error, status, asked)
        return Polled(state=replace(failed, active=status != _GONE))

    def _failed(self, state: FeedState, error: str) -> Polled:
        return Polled(state=after_failure(state, self._clock(), self._settings, error))

    def _read(
        self, state: FeedState, answer: Answer
    ) -> tuple[Polled, frozenset[bytes]]:
        now = self._clock()
        feed = READERS.feed(
            answer.body,
            url=answer.url,
            fetched_at=now,
            content_type=answer.headers.get("content-type", ""),
        )
        before = self._before(state)
        fresh = [i for i in feed.items if feed_digest(i) not in (before or ())]
        items, late = self._completed(fresh, restarted=before is None)
        good = after_success(state, now, self._settings, answer.status)
        if late:
            # As if this answer had not been: the next one must hold them again.
            good = replace(good, next_at=now + _SOON)
        else:
            good = with_validators(good, answer.headers)
        good = replace(
            good,
            title=feed.title or state.title,
            articles=state.articles + len(items),
        )
        given = frozenset(map(feed_digest, feed.items)) - late
        return Polled(state=good, items=tuple(items), problems=feed.problems), given

    def _completed(
        self, fresh: Sequence[Fetched], *, restarted: bool
    ) -> tuple[list[Fetched], frozenset[bytes]]:
        """Return the items with full text, and digests of those that must wait."""
        if self._full_text is None:
            return list(fresh), frozenset()
        short = [item.article.id for item in fresh if item.summary_only]
        stored = set(self._known(short)) if restarted and short else set()
        fresh = [
            item
            for item in fresh
            if not (item.summary_only and item.article.id in stored)
        ]
        waiting = [item for item in fresh if item.summary_only]
        late = frozenset(map(feed_digest, waiting[self._settings.pages :]))
        ready = [item for item in fresh if feed_digest(item) not in late]
        return [self._full_text.complete(item) for item in ready], late

    def _before(self, state: FeedState) -> frozenset[bytes] | None:
        # Only if the state is the one we gave were its articles really kept.
        known, given = self._given.get(state.url, (None, None))
        return given if known == state else None


def feed_digest(item: Fetched) -> bytes:
    """Return what tells an entry from its earlier or later versions.

    Its date does not: some feeds put the time of the request there.
    """
    article = item.article
    content = "\0".join((article.id, article.title, article.text))
    return blake2b(content.encode(), digest_size=8).digest()
