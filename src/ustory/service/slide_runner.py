"""One slide through the engine, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from threading import Lock

import numpy as np

from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article, PreparedArticle
from ustory.core.edit import Edit
from ustory.core.errors import InputError
from ustory.core.protocols import Encoder, Executor, TextPipeline
from ustory.core.settings import Settings
from ustory.core.story import Event, LinkDecision, Slide, ThemeDecision
from ustory.encode.gist import load_gist_encoder, with_gist_encoder
from ustory.engine.corrections import readable
from ustory.engine.explain import decision_on
from ustory.engine.languages import UsualLanguages, decided
from ustory.engine.link_decisions import Table, decision
from ustory.engine.online import Engine
from ustory.engine.poison import Poison, find_poison
from ustory.engine.prepare import Preparer, Stopwatch, stamp
from ustory.engine.state import State
from ustory.links.slide import parts_of, unit_of
from ustory.store.results import Placement
from ustory.text import load_pipeline
from ustory.text.sentences import MAX_SENTENCE, whole

LATE, WORDLESS, SET_ASIDE = "late", "wordless", "set-aside"
"""Status of an article that was older than the window, had no sentence, or was left
out of its slide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A slide as the store keeps it: its number, its end and its articles."""

    number: int
    end: datetime
    articles: Sequence[Article] = ()
    edits: Sequence[Edit] = ()
    corrections: Sequence[Article] = ()
    """New texts of articles of earlier slides."""
    aside: Sequence[str] = ()
    """The articles of the slide that are left out, by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlideOutcome:
    """What a slide changed, with the states before and after it."""

    task: Task
    before: State
    after: State
    events: tuple[Event, ...]
    decisions: Mapping[str, LinkDecision | ThemeDecision]
    """On each article that arrived, moved or was released."""
    places: dict[str, Placement]
    """The story of each of them, and of articles that are not in the window."""
    languages: Mapping[str, str]
    """Of each article that is in another language than its source says."""
    seconds: Mapping[str, float]


class SlideRunner:
    """The engine with text pipeline and encoder, for raw articles. It has no state."""

    def __init__(
        self,
        settings: Settings,
        encoder: Encoder,
        pipeline: TextPipeline | None = None,
    ) -> None:
        self.pipeline = pipeline or load_pipeline(settings.text)
        self.encoder = encoder
        settings = with_gist_encoder(settings)
        self._gist_encoder = load_gist_encoder(settings)
        self.settings = replace(settings, encoder=encoder.name, text=self.pipeline.name)
        """The settings in force."""
        self._lock = Lock()  # encoders and pipelines need not be thread-safe
        self._stopwatch = Stopwatch()
        self.engine = Engine(self.settings, encoder, self._stopwatch)
        self._preparer = Preparer(
            self.pipeline, encoder, self._stopwatch, gist_encoder=self._gist_encoder
        )

    def use(self, executor: Executor) -> None:
        """Compute the following slides on an executor; the results stay the same."""
        watch = self._stopwatch
        self.engine = Engine(self.settings, self.encoder, watch, executor=executor)
        self._preparer = Preparer(
            self.pipeline, self.encoder, watch, executor, self._gist_encoder
        )

    def run(self, state: State, task: Task) -> SlideOutcome:
        """Return the outcome of a slide; the given state is not changed."""
        began = dict(self._stopwatch.seconds)
        prepared = partial(self.prepared, usual=state.languages)
        ready = prepared(task.articles, slide=stamp(task.end)) or []
        again = readable(prepared, task.corrections)
        slide = Slide(end=task.end, articles=ready, edits=task.edits, corrections=again)
        after, events = self.engine.advance(state, slide)
        with self._stopwatch("decisions"):
            decisions = _decisions(state, after, self.settings)
            read = {prepared.article.id for prepared in ready}
            places = _places(task, read, after, decisions)
        seconds = {
            step: round(spent - began.get(step, 0.0), 6)
            for step, spent in sorted(self._stopwatch.seconds.items())
        }
        return SlideOutcome(
            task=task,
            before=state,
            after=after,
            events=tuple(events),
            decisions=decisions,
            places=places,
            languages=_languages(task, ready, after),
            seconds=seconds,
        )

    def poison(self, task: Task, compute: Callable[[Task], object]) -> list[Poison]:
        """Return the articles that make a slide fail; empty if none is to blame."""
        return find_poison(
            task.articles,
            self.prepared,
            lambda some: compute(replace(task, articles=tuple(some))),
        )

    def prepared(
        self,
        articles: Sequence[Article],
        patience: float = -1,
        slide: int | None = None,
        usual: UsualLanguages | None = None,
    ) -> list[PreparedArticle] | None:
        """Return the articles prepared for the engine, without those that have no text.

        Each is read in its language; `usual` says in which its outlet writes.

        An article of punctuation alone must not block the others of its slide. Any
        thread may call this; None means that other threads held the lock for longer
        than `patience` seconds. Only a `slide` is prepared by the executor, which
        serves one thread at a time.
        """
        articles = decided(articles, usual or UsualLanguages())
        if slide is None:
            self._load(articles)
        if not self._lock.acquire(timeout=patience):
            return None
        try:
            return self._preparer.prepare(articles, slide)
        except InputError:
            some = [a for a in articles if self._has_sentence(a)]
            return self._preparer.prepare(some, slide)
        finally:
            self._lock.release()

    def _load(self, articles: Sequence[Article]) -> None:
        """Load the languages of articles without the lock, so that slides can go on."""
        load = getattr(self.pipeline, "load", None)
        if load is not None:
            for lang in sorted({article.lang or "" for article in articles}):
                load(lang)

    def vectors(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return the vectors of sentences, encoded as those of articles."""
        with self._lock:
            return np.asarray(self.encoder.encode(sentences), dtype=np.float16)

    def terms(self, text: str) -> frozenset[str]:
        """Return the terms (words and pairs of words) of a text, as for articles."""
        with self._lock:
            read = whole(text)[:MAX_SENTENCE]
            return frozenset(self.pipeline.count((read,), None).terms)

    def _has_sentence(self, article: Article) -> bool:
        return any(sentence.strip() for sentence in self.pipeline.split(article))


def _decisions(
    before: State, after: State, settings: Settings
) -> dict[str, LinkDecision | ThemeDecision]:
    """Return the decisions of this slide, including those on waiting articles."""
    found: dict[str, LinkDecision | ThemeDecision] = {}
    waiting = []
    for article, record in after.records.items():
        if record is before.records.get(article):
            continue
        if record.decision is not None:
            found[article] = record.decision
        else:
            waiting.append(article)
    found |= _waiting(waiting, after, settings)
    return dict(sorted(found.items()))


def _waiting(
    articles: Sequence[str], state: State, settings: Settings
) -> Mapping[str, LinkDecision | ThemeDecision]:
    """Return why some articles have no story."""
    assert state.end is not None
    if not articles:
        return {}
    if settings.mode == "links":
        table = Table.of(state.link, unit_of(settings), parts_of(settings))
        stories = len(state.stories)
        return {
            article: decision(None, "waiting", table.pulls(article), state.end, stories)
            for article in articles
        }
    found = {a: decision_on(state, a, settings.sentences) for a in articles}
    return {article: each for article, each in found.items() if each is not None}


def _languages(
    task: Task, ready: Sequence[PreparedArticle], after: State
) -> dict[str, str]:
    """Return the language of each article that is not what its source says.

    Of a corrected one, whatever it is: an earlier text may have been in another.
    """
    said = {each.id: each.lang for each in task.articles}
    found = {one.article.id: one.article.lang for one in ready}
    again = [after.records.get(each.id) for each in task.corrections]
    known = {name: lang for name, lang in found.items() if lang != said[name]}
    known |= {record.id: record.lang for record in again if record is not None}
    return {name: lang for name, lang in sorted(known.items()) if lang is not None}


def _places(
    task: Task,
    read: Set[str],
    after: State,
    decisions: Mapping[str, LinkDecision | ThemeDecision],
) -> dict[str, Placement]:
    originals = _originals(after)
    places = {
        article: Placement(
            story=each.story,
            how=each.how,
            confidence=each.confidence,
            copy_of=originals.get(article),
        )
        for article, each in decisions.items()
    }
    for article in task.articles:
        if article.id not in places:
            how = LATE if article.id in read else WORDLESS
            places[article.id] = Placement(
                story=None, how=how, confidence=0.0, copy_of=None
            )
    for name in task.aside:
        places[name] = Placement(
            story=None, how=SET_ASIDE, confidence=0.0, copy_of=None
        )
    return dict(sorted(places.items()))


def _originals(state: State) -> dict[str, str]:
    """Return copy → original, both by article id."""
    link = state.link
    if not link.copies:
        return {}
    name = {article.serial: article.id for article in link.articles.values()}
    return {
        name[copy]: name[original]
        for copy, original in link.copies.items()
        if copy in name and original in name
    }
