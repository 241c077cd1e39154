"""The library's front door: articles in, stories out."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Encoder, Executor, TextPipeline
from ustory.core.settings import Settings
from ustory.core.spans import EPOCH
from ustory.core.story import Event, LinkDecision, Slide, Story, ThemeDecision
from ustory.encode import load_encoder
from ustory.encode.gist import load_gist_encoder, with_gist_encoder
from ustory.engine.corrections import readable
from ustory.engine.explain import decision_on
from ustory.engine.languages import decided
from ustory.engine.link_decisions import link_decision
from ustory.engine.online import Engine
from ustory.engine.poison import UNRELATED_ERRORS, Poison, find_poison
from ustory.engine.prepare import Preparer, Stopwatch, stamp
from ustory.engine.snapshot.states import (
    pending_of,
    read_file,
    refuse_other_settings,
    refuse_other_size,
    to_plain,
    write_state,
)
from ustory.engine.state import State
from ustory.links.guidance import Guidance
from ustory.links.watched_matcher import WatchedMatcher
from ustory.sources.odd_dates import OddDates
from ustory.sources.records.identity import names_address
from ustory.stories.live import live_stories
from ustory.stories.story_languages import for_reader
from ustory.text import load_pipeline
from ustory.window.duplicates import refuse_duplicates
from ustory.window.panes import Calendar
from ustory.window.slides import RawSlide, Slicer

_PENDING = "pending"
_WEEK = timedelta(days=7)
"""The window that dates are held against where it is by number."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SlideResult:
    """What a slide did: the state after it, the slide itself, and the events."""

    state: State
    slide: RawSlide
    events: tuple[Event, ...]


class Discovery:
    """A stream, an engine and its state.

    Mutable: `state` is the state after the last complete slide. When a slide
    fails, the state stays as it was and the slide waits for the next call.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        encoder: Encoder | None = None,
        pipeline: TextPipeline | None = None,
        state: State | None = None,
        guidance: Guidance | None = None,
        executor: Executor | None = None,
    ) -> None:
        settings = with_gist_encoder(settings or Settings())
        self._encoder = encoder or load_encoder(settings.encoder)
        gist_encoder = load_gist_encoder(settings)
        self._pipeline = pipeline or load_pipeline(settings.text)
        self.settings = _named(settings, self._encoder, self._pipeline)
        """The settings in force; an encoder or pipeline that was given is in them."""
        self.stopwatch = Stopwatch()
        seeker = _seeker(self.settings, guidance, self._pipeline)
        self.engine = Engine(
            self.settings, self._encoder, self.stopwatch, seeker, executor
        )
        self._preparer = Preparer(
            self._pipeline, self._encoder, self.stopwatch, executor, gist_encoder
        )
        self.on_poison: Callable[[Poison], None] | None = None
        """Told of each article that a slide goes on without; None: it fails instead."""
        self.state = state or self.engine.begin()
        refuse_other_size(self.state, self._encoder, "the state")
        self._slicer = Slicer(self.settings, self.state.end)
        self._dates: OddDates[Article] = OddDates(
            _bound(self.settings), _newest(self.state)
        )
        self.doubles = 0
        """Articles left out because, once their date was replaced, the window had
        another of their id."""
        self._waiting: deque[RawSlide] = deque()
        self._open: dict[str, datetime] = {}
        """The open slide's articles, by id, with their dates."""

    def add(self, articles: Iterable[Article]) -> Iterator[SlideResult]:
        """Read articles, in order of time, and yield each slide as it is complete.

        Lazy: an article is read when the slides before it have been taken. The
        last slide stays open, because its next article may still come. An
        article whose id is already there is refused, and not taken in; where the id
        is of its address, it is a new text of that article (see `correct`).
        """
        yield from self._take_all()
        for article in articles:
            self._push(article)
            yield from self._take_all()

    def correct(self, articles: Iterable[Article]) -> Iterator[SlideResult]:
        """Read new texts of articles, by their ids, and yield slides as `add` does.

        The slide that is open then links such an article anew, unless hardly anything
        changed; its date stays. What is not in the window any more stays as it was.
        """
        yield from self._take_all()
        for article in articles:
            self._correct(article)
            yield from self._take_all()

    def finish(self) -> Iterator[SlideResult]:
        """Close the slide that is still open and yield what it did."""
        yield from self._take_all()
        for article in self._dates.flush():
            self._take_in(article)
        yield from self._take_all()
        self._waiting.extend(self._slicer.flush())
        self._open.clear()
        yield from self._take_all()

    def stories(self, reader: str | Sequence[str] = ()) -> list[Story]:
        """Return the stories in the window, the largest first.

        `reader` is a language, or several in order: headline and keywords are in the
        first of them that a story has an article in, else in that of most outlets.
        """
        found = live_stories(self.state, self.settings)
        wanted = (reader,) if isinstance(reader, str) else tuple(reader)
        return [for_reader(story, wanted) for story in found] if wanted else found

    def decision(self, article_id: str) -> LinkDecision | ThemeDecision | None:
        """Return why an article is where it is, None if it is not in the window."""
        if self.settings.mode == "links":
            return link_decision(self.state, article_id, self.settings)
        return decision_on(self.state, article_id, self.settings.sentences)

    @property
    def too_late(self) -> int:
        """Articles that were older than the window when they came, and left out."""
        return self.state.too_late

    @property
    def pending(self) -> tuple[Article, ...]:
        """The articles that were read and whose slide is not complete.

        New texts of articles of earlier slides come last.
        """
        came = [article for slide in self._waiting for article in slide.articles]
        again = [article for slide in self._waiting for article in slide.corrections]
        held = (*self._slicer.pending, *self._dates.pending)
        return (*came, *held, *again, *self._slicer.corrections)

    @property
    def redated(self) -> int:
        """Articles whose date could not be right: they count as of when they came."""
        return self._dates.redated

    def restore(self, pending: Iterable[Article]) -> None:
        """Take back what was `pending` when the state was saved."""
        for article in pending:
            if self._will_meet(article):
                self._correct(article)
            else:
                self._push(article)

    def save(self, path: Path, extra: Mapping[str, Any] | None = None) -> None:
        """Write everything needed to go on into one file, whole or not at all.

        `extra` is anything that JSON can hold, for `load` to hand back; cursors
        of sources for example.
        """
        if extra and _PENDING in extra:
            raise ConfigError(
                f"extra must not have the key {_PENDING!r}, which holds the articles "
                "of the open slide; use another key"
            )
        table = {**(extra or {}), _PENDING: list(map(to_plain, self.pending))}
        write_state(path, self.state, self.settings, table)

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        settings: Settings | None = None,
        encoder: Encoder | None = None,
        pipeline: TextPipeline | None = None,
        executor: Executor | None = None,
    ) -> tuple[Discovery, dict[str, Any]]:
        """Return a discovery that goes on where `save` was called, and its extra.

        Settings, encoder and pipeline are those of the file; any that are given
        must be the same.
        """
        state, found, extra = read_file(path)
        wanted = _named(settings or found, encoder, pipeline)
        refuse_other_settings(found, wanted, str(path))
        encoder = encoder or load_encoder(found.encoder)
        refuse_other_size(state, encoder, str(path))
        discovery = cls(
            found, encoder=encoder, pipeline=pipeline, state=state, executor=executor
        )
        discovery.restore(pending_of(extra.pop(_PENDING, []), str(path)))
        return discovery, extra

    def _push(self, article: Article) -> None:
        """Take an article in, once its date is settled; maybe others that waited."""
        refused = None
        for each in self._dates.push(article):
            try:
                self._take_in(each)
            except InputError as error:
                if each is article:
                    refused = error
                else:  # it waited, and was new by the date that it claimed
                    self.doubles += 1
        if refused:
            raise refused

    def _take_in(self, article: Article) -> None:
        """Take an article into the open slide, unless its id is already there."""
        met = self._will_meet(article)
        if met and names_address(article.id, article.url):
            self._correct(article)
            return
        refuse_duplicates([article.id], [article.id] if met else [], "stream")
        self._close(self._slicer.push(article))
        self._open[article.id] = article.published_at

    def _correct(self, article: Article) -> None:
        moment = self._dates.moment(article.published_at)
        self._close(self._slicer.correct(replace(article, published_at=moment)))

    def _close(self, closed: Sequence[RawSlide]) -> None:
        if closed:
            self._open.clear()
        self._waiting.extend(closed)

    def _will_meet(self, article: Article) -> bool:
        """Whether an article of this id will still be in the window of its slide."""
        record, first = self.state.records.get(article.id), self._open.get(article.id)
        calendar, size = Calendar.of(self.settings), self.settings.slide
        if calendar is None or isinstance(size, int):
            return (
                first is not None and isinstance(size, int) and len(self._open) < size
            )
        panes = [calendar.pane_of(first)] if first is not None else []
        panes += [record.pane] if record is not None else []
        end = calendar.slide_end(max(article.published_at, self.state.end or EPOCH))
        return any(pane >= calendar.first_pane(end) for pane in panes)

    def _take_all(self) -> Iterator[SlideResult]:
        while self._waiting:
            slide = self._waiting[0]
            # an empty slide of an empty window changes nothing
            result = self._take(slide) if slide.articles or self.state.records else None
            self._waiting.popleft()
            if result is not None:
                yield result

    def _take(self, slide: RawSlide) -> SlideResult:
        try:
            state, events = self._computed(slide, slide.articles)
        except (*UNRELATED_ERRORS, InputError):
            raise
        except BaseException:
            left = self._without_poison(slide)
            if left is None:
                raise
            state, events = self._computed(slide, left)
        self.state = state
        return SlideResult(state, slide, tuple(events))

    def _computed(
        self, slide: RawSlide, articles: Sequence[Article]
    ) -> tuple[State, Sequence[Event]]:
        ready = self._prepared(articles, stamp(slide.end))
        again = readable(self._prepared, slide.corrections)
        return self.engine.advance(
            self.state, Slide(end=slide.end, articles=ready, corrections=again)
        )

    def _prepared(
        self, articles: Sequence[Article], slide: int | None = None
    ) -> list[PreparedArticle]:
        """Return articles ready for the engine, each read in its language."""
        known = decided(articles, self.state.languages)
        return self._preparer.prepare(known, slide)

    def _without_poison(self, slide: RawSlide) -> Sequence[Article] | None:
        """Return the articles that a slide can be computed of; None if none is bad."""
        if self.on_poison is None:
            return None
        found = find_poison(
            slide.articles,
            self._prepared,
            lambda some: self._computed(slide, some),
        )
        for poison in found:
            self.on_poison(poison)
        bad = {poison.article.id for poison in found}
        return [each for each in slide.articles if each.id not in bad] if bad else None


def _bound(settings: Settings) -> timedelta:
    """Return how far a date may be ahead of those before it."""
    return settings.window if isinstance(settings.window, timedelta) else _WEEK


def _newest(state: State) -> datetime | None:
    dates = (record.published_at for record in state.records.values())
    return max(dates, default=state.end)


def find_stories(
    articles: Iterable[Article],
    settings: Settings | None = None,
    *,
    encoder: Encoder | None = None,
    pipeline: TextPipeline | None = None,
    executor: Executor | None = None,
) -> Discovery:
    """Read all articles, to the end of the last slide, and return the discovery."""
    discovery = Discovery(
        settings, encoder=encoder, pipeline=pipeline, executor=executor
    )
    for results in (discovery.add(articles), discovery.finish()):
        deque(results, maxlen=0)
    if discovery.redated:
        _log.warning(
            "%d articles have dates that cannot be right and count as published when "
            "they came",
            discovery.redated,
        )
    if discovery.too_late:
        _log.warning(
            "%d articles were older than the window when they came and were left out; "
            "sort the articles by published_at",
            discovery.too_late,
        )
    return discovery


def _seeker(
    settings: Settings, guidance: Guidance | None, pipeline: TextPipeline
) -> WatchedMatcher | None:
    """Return who looks for watched stories; refuse guidance in mode `paper`."""
    if not guidance:
        return None
    if settings.mode == "paper":
        raise ConfigError(
            "guidance is for mode links, and the mode is paper; leave the guidance "
            "out, or the preset paper"
        )
    return WatchedMatcher(guidance, pipeline)


def _named(
    settings: Settings, encoder: Encoder | None, pipeline: TextPipeline | None
) -> Settings:
    """Return the settings with the names of the parts that were given."""
    return replace(
        settings,
        encoder=encoder.name if encoder is not None else settings.encoder,
        text=pipeline.name if pipeline is not None else settings.text,
    )
