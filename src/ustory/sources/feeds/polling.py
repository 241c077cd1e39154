"""Many feeds, each requested again when it is due, several at a time."""

from __future__ import annotations

import logging
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from time import monotonic
from typing import TypeAlias

from ustory.core.errors import UStoryError
from ustory.sources.feeds.entry import Feed, Fetched, host_of
from ustory.sources.feeds.feed_state import (
    FeedState,
    PollSettings,
    after_failure,
    after_success,
    conditions,
    with_validators,
)
from ustory.sources.feeds.fulltext import FullText
from ustory.sources.feeds.reader_pool import READERS
from ustory.sources.feeds.task_queues import QueuedTask, TaskQueues
from ustory.sources.http.client import Answer, Web
from ustory.sources.http.errors import FetchError
from ustory.sources.http.politeness import Spacing, retry_after

__all__ = ["FeedPoller", "FeedState", "Known", "PollSettings", "Polled", "feed_digest"]

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
_PROVEN, _NEW, _SLOW = "feeds", "new feeds", "slow feeds"
_PAGES, _SLOW_PAGES = "pages", "slow pages"
_NO_THREAD = "it was not read: its thread could not be started, or ended in an error"
_TURN = 30.0
"""Seconds that a feed waits for its turn at its host, at least."""
_PAGE = 20.0
"""Seconds for one full text, with its robots.txt and our turn."""

COSTLY = 2.0
"""Seconds of computing after which a document makes its feed suspect: those that are
not suspect must find a process that reads them."""

SLOW = 30.0
"""Seconds after which a feed that is being asked is called slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """What asking a feed once has brought; keep the state with the articles."""

    state: FeedState
    items: tuple[Fetched, ...] = ()
    """In the order of the feed, without those it gave before and that are the same."""
    problems: tuple[str, ...] = ()
    """Why entries were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What a feed gave, before its full texts are read."""

    feed: Feed
    fresh: tuple[Fetched, ...]
    headers: Mapping[str, str]
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """How far we are with a feed: done, to be asked again, or with texts to read."""

    state: FeedState
    """Before it was asked."""
    polled: Polled | None = None
    given: frozenset[bytes] | None = None
    """Digests of all that the feed holds and that was given."""
    reading: _Reading | None = None
    late: bool = False
    """Whether there was no answer in the time for a first attempt."""


class FeedPoller:
    """Requests feeds and yields what is new. Mutable: it remembers their last entries.

    Nothing is lost if it is killed: store each state in the same transaction as its
    articles. Given an older state, it yields the articles again. `known` says which
    articles are stored already: their full texts are not fetched.
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
        counts = self._settings
        sizes = {_PROVEN: counts.workers, _NEW: counts.newcomers, _SLOW: counts.slow}
        pages = dict.fromkeys((_PAGES, _SLOW_PAGES), counts.readers)
        self._schedule: TaskQueues[_Step] = TaskQueues({**sizes, **pages})
        self._under_way: dict[str, FeedState] = {}
        self._slow: set[str] = set()
        self._slow_pages: set[str] = set()
        self._costly: set[str] = set()

    def due(self, states: Iterable[FeedState]) -> list[FeedState]:
        """Return the feeds to ask now, those first that have waited longest."""
        now = self._clock()
        due = [state for state in states if state.active and state.next_at <= now]
        return sorted(due, key=lambda state: (state.next_at, state.url))

    def poll(self, states: Iterable[FeedState]) -> Iterator[Polled]:
        """Ask the feeds that are due; yield what each brings as soon as it is there.

        A host gets one request at a time. The state of a feed that fails has the error.
        A slow feed delays no other: feeds that answered the last time, feeds that did
        not, slow feeds and full texts have threads of their own.
        """
        for state in self.due(states):
            if state.url not in self._under_way:
                self._under_way[state.url] = state
                self._schedule.add(self._task(state))
        patience = self._settings.patience
        end = None if patience is None else monotonic() + patience
        try:
            while self._under_way and (end is None or monotonic() < end):
                left = None if end is None else max(end - monotonic(), 0.0)
                task = self._schedule.next_finished(left)
                polled = None if task is None else self._after(task)
                if polled is not None:
                    yield polled
        finally:
            if end is None and self._under_way:
                self._schedule.forget()
                self._under_way.clear()

    def ask(self, state: FeedState) -> Polled:
        """Ask one feed, due or not, and return what that brings."""
        step = self._asked(state, None)
        if step.reading is not None:
            step = self._completed(state, step.reading)
        assert step.polled is not None
        return step.polled

    def slow(self, seconds: float = SLOW) -> list[str]:
        """Return the feeds that have been asked for longer than so many seconds."""
        return [task.url for task in self._schedule.running(seconds)]

    def _task(self, state: FeedState) -> QueuedTask[_Step]:
        settings = self._settings
        queue, seconds = _NEW, settings.first
        if state.url in self._slow or state.url in self._costly:
            queue, seconds = _SLOW, self._web.limits.total
        elif _proven(state):
            queue = _PROVEN
        return QueuedTask(
            url=state.url,
            queue=queue,
            work=lambda: self._asked(state, seconds),
            order=(state.failures, state.next_at, state.url),
            host=host_of(state.url),
        )

    def _after(self, task: QueuedTask[_Step]) -> Polled | None:
        """Return what a feed has brought, None where it is not done with yet."""
        url, step = task.url, task.result
        if step is None:
            state = self._under_way.pop(url, None)
            return None if state is None else self._put_off(state, _NO_THREAD).polled
        if step.late:
            self._slow.add(url)
            self._schedule.add(self._task(step.state))
        elif step.reading is not None:
            self._schedule.add(self._page_task(step.state, step.reading))
        else:
            self._under_way.pop(url, None)
            return step.polled
        return None

    def _page_task(self, state: FeedState, reading: _Reading) -> QueuedTask[_Step]:
        return QueuedTask(
            url=state.url,
            queue=_SLOW_PAGES if state.url in self._slow_pages else _PAGES,
            work=lambda: self._completed(state, reading),
        )

    def _asked(self, state: FeedState, seconds: float | None) -> _Step:
        """Ask a feed; it may take all the time there is, or `seconds`."""
        total = self._web.limits.total
        seconds = total if seconds is None else seconds
        started = monotonic()
        try:
            with self._spacing.turn(host_of(state.url), seconds=max(seconds, _TURN)):
                headers = {"accept": FEED_TYPES, **conditions(state)}
                answer = self._web.get(
                    state.url, headers, size=FEED_SIZE, seconds=seconds
                )
                took = monotonic() - started
            step = self._take(state, answer)
            if took < self._settings.first:
                self._slow.discard(state.url)
        except FetchError as error:
            if error.kind == "timeout" and seconds < total:
                return _Step(state=state, late=True)
            if error.kind == "busy":
                return self._put_off(state, str(error))
            step = self._failed(state, str(error))
        except UStoryError as error:
            step = self._failed(state, str(error))
        except Exception as error:  # noqa: BLE001 - one feed must not end them all
            _LOG.exception("feed %s", state.url)
            step = self._failed(state, f"an error of ours: {type(error).__name__}")
        return self._kept(step)

    def _completed(self, state: FeedState, reading: _Reading) -> _Step:
        """Read the full texts of what a feed gave, as far as there is time."""
        try:
            step = self._with_pages(state, reading)
        except Exception as error:  # noqa: BLE001 - one feed must not end them all
            _LOG.exception("feed %s", state.url)
            step = self._failed(state, f"an error of ours: {type(error).__name__}")
        return self._kept(step)

    def _kept(self, step: _Step) -> _Step:
        if step.given is not None and step.polled is not None:
            self._given[step.state.url] = step.polled.state, step.given
        return step

    def _take(self, state: FeedState, answer: Answer) -> _Step:
        if answer.status == 200:
            return self._read(state, answer)
        before = self._before(state)
        if answer.status == 304:
            good = after_success(state, self._clock(), self._settings, 304)
            return _Step(state=state, polled=Polled(state=good), given=before)
        return _Step(state=state, polled=self._refused(state, answer), given=before)

    def _refused(self, state: FeedState, answer: Answer) -> Polled:
        status, now = answer.status, self._clock()
        asked = None
        if status in _WAIT:
            asked = retry_after(answer.headers.get("retry-after"), now)
        error = f"the answer has status {status}"
        failed = after_failure(state, now, self._settings, error, status, asked)
        return Polled(state=replace(failed, active=status != _GONE))

    def _put_off(self, state: FeedState, error: str) -> _Step:
        """Return a feed that was not asked, through no fault of its own."""
        soon = replace(state, next_at=self._clock() + _SOON, last_error=error)
        return _Step(state=state, polled=Polled(state=soon))

    def _failed(self, state: FeedState, error: str) -> _Step:
        failed = after_failure(state, self._clock(), self._settings, error)
        return _Step(
            state=state, polled=Polled(state=failed), given=self._before(state)
        )

    def _read(self, state: FeedState, answer: Answer) -> _Step:
        now = self._clock()
        feed = READERS.feed(
            answer.body,
            url=answer.url,
            fetched_at=now,
            content_type=answer.headers.get("content-type", ""),
            suspect=self._suspect(state),
        )
        (self._costly.add if feed.cost > COSTLY else self._costly.discard)(state.url)
        before = self._before(state)
        fresh = [i for i in feed.items if feed_digest(i) not in (before or ())]
        if before is None and self._full_text is not None:
            fresh = self._unknown(fresh)
        reading = _Reading(
            feed=feed, fresh=tuple(fresh), headers=answer.headers, now=now
        )
        if self._full_text is None or not any(item.summary_only for item in fresh):
            return self._with_pages(state, reading)
        return _Step(state=state, reading=reading)

    def _unknown(self, fresh: Sequence[Fetched]) -> list[Fetched]:
        """Return the items without the summaries of what is stored already."""
        short = [item.article.id for item in fresh if item.summary_only]
        stored = set(self._known(short)) if short else set()
        return [i for i in fresh if not (i.summary_only and i.article.id in stored)]

    def _with_pages(self, state: FeedState, reading: _Reading) -> _Step:
        suspect = self._suspect(state) or state.url in self._slow_pages
        items, late, slow = self._full_texts(reading.fresh, suspect=suspect)
        (self._slow_pages.add if slow else self._slow_pages.discard)(state.url)
        good = after_success(state, reading.now, self._settings, 200)
        if not late:
            good = with_validators(good, reading.headers)
        elif not slow:
            # As if this answer had not been: the next one must hold them again.
            good = replace(good, next_at=reading.now + _SOON)
        feed = reading.feed
        good = replace(
            good,
            title=feed.title or state.title,
            articles=state.articles + len(items),
        )
        polled = Polled(state=good, items=tuple(items), problems=feed.problems)
        given = frozenset(map(feed_digest, feed.items)) - late
        return _Step(state=state, polled=polled, given=given)

    def _full_texts(
        self, fresh: Sequence[Fetched], *, suspect: bool
    ) -> tuple[list[Fetched], frozenset[bytes], bool]:
        """Return the items with full text, digests of those that wait, and if slow."""
        if self._full_text is None:
            return list(fresh), frozenset(), False
        items: list[Fetched] = []
        late: set[bytes] = set()
        pages, end = self._settings.pages, monotonic() + self._settings.reading
        slow = False
        for item in fresh:
            left = end - monotonic()
            if not item.summary_only:
                items.append(item)
            elif pages and left > 0:
                seconds = min(left, _PAGE)
                full = self._full_text.complete(item, seconds, suspect=suspect)
                items.append(full)
                pages -= 1
            else:
                slow = slow or left <= 0
                late.add(feed_digest(item))
        return items, frozenset(late), slow

    def _suspect(self, state: FeedState) -> bool:
        return not _proven(state) or state.url in self._costly

    def _before(self, state: FeedState) -> frozenset[bytes] | None:
        # Only if the state is the one we gave were its articles really kept.
        known, given = self._given.get(state.url, (None, None))
        return given if known == state else None


def _proven(state: FeedState) -> bool:
    """Say whether a feed answered the last time it was asked."""
    return state.last_ok is not None and not state.failures


def feed_digest(item: Fetched) -> bytes:
    """Return what tells an entry from its earlier or later versions.

    Its date does not: some feeds put the time of the request there.
    """
    article = item.article
    content = "\0".join((article.id, article.title, article.text))
    return blake2b(content.encode(), digest_size=8).digest()
