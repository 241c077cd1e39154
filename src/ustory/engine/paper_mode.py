"""The steps of a slide in mode paper (Algorithm 1)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from concurrent.futures import Executor as Threads
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import numpy as np

from ustory.core.arrays import Matrix
from ustory.core.protocols import Encoder, Executor, Value
from ustory.core.settings import Settings
from ustory.engine.draft import PaperDraft
from ustory.engine.executors import InlineExecutor
from ustory.engine.explain import assigned_decisions, seeded_decisions
from ustory.engine.prepare import Stopwatch, stamp
from ustory.engine.state import Standing, State
from ustory.paper.assignment.assign import Judged, Verdicts, View, judge
from ustory.paper.assignment.pairs import CandidatePairs, theme_index
from ustory.paper.assignment.similarity import SeenFrom
from ustory.paper.embedding.article import Hits, plain_means
from ustory.paper.embedding.story import Embedder, story_representations
from ustory.paper.seeding.seed import Live, Seeds, Surroundings, find_seeds
from ustory.paper.themes.articles import own_themes
from ustory.paper.themes.stories import StorySums, story_sums
from ustory.window.documents import Documents
from ustory.window.summary import StorySummary
from ustory.window.unassigned import Batch, UnassignedArticle

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Tools:
    """Settings, the encoder, and what runs tasks."""

    settings: Settings
    encoder: Encoder
    stopwatch: Stopwatch
    workers: Threads | None
    executor: Executor
    """Runs tasks over blocks of articles."""

    def embedder(self, draft: PaperDraft) -> Embedder:
        """Return the embedder for the unassigned articles of a draft."""
        if not self._concatenates:
            return Embedder(self.settings, None, {})
        texts = {id_: draft.state.records[id_].sentences for id_ in draft.unassigned}
        return Embedder(self.settings, self.encoder, texts)

    def meanwhile(self, task: Callable[[], Result]) -> Callable[[], Result]:
        """Start a pure task in the background; call the return value for its result."""
        if self.workers is None:
            return task
        return self.workers.submit(task).result

    def over(
        self,
        blocks: Sequence[Batch],
        task: Callable[[Batch, Value], Result],
        value: Value,
        end: datetime,
    ) -> list[Result]:
        """Run a task on each block of articles of the slide that ends, in order."""
        # an encoder stays here, and need not be safe to call from several threads
        alone = self._concatenates or len(blocks) == 1
        executor = InlineExecutor() if alone else self.executor
        return executor.map(task, blocks, executor.share(stamp(end), value))

    @property
    def _concatenates(self) -> bool:
        """Whether representations encode concatenated sentences."""
        return self.settings.representation.endswith("Conc")


ARTICLES_PER_BLOCK = 256
"""Articles scored together. Fixed, so that results never depend on the executor."""


@dataclass(frozen=True, slots=True)
class StoryContext:
    """What articles are judged by: the stories, and the representation of articles."""

    view: View
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class WindowContext:
    """What the own theme of an unassigned article depends on."""

    documents: Documents
    days: dict[int, float]
    embedder: Embedder


def blocks_of(articles: Sequence[UnassignedArticle]) -> list[Batch]:
    """Return the articles in blocks."""
    return [
        Batch(articles[at : at + ARTICLES_PER_BLOCK])
        for at in range(0, len(articles), ARTICLES_PER_BLOCK)
    ]


def judge_block(
    batch: Batch, stories: StoryContext
) -> tuple[Verdicts, CandidatePairs, Matrix]:
    """Return the verdicts on some articles, the pairs that join, and their vectors.

    They are the parts of `Judged` without the articles, which the caller has.
    """
    # work on a copy: the caller keeps all blocks, so a cache would stay in memory
    judged = judge(batch.without_cache(), stories.view, stories.embedder)
    return judged.verdicts, judged.joining, judged.vectors


def represent_block(batch: Batch, window: WindowContext) -> Matrix:
    """Return E_a|{a}: each article as its own theme shows it (Sec. 5.2)."""
    batch, embedder = batch.without_cache(), window.embedder
    settings = embedder.settings
    if settings.initial == "mean":
        return plain_means(batch, settings.sentences)
    own = own_themes(batch, window.documents, window.days, settings)
    sizes = np.bincount(own.article, minlength=len(batch))
    hits = Hits(
        np.arange(len(batch)),
        np.concatenate([[0], np.cumsum(sizes)]),
        own.entry - batch.entry_start[own.article],
        own.weight,
    )
    return embedder.represent(batch, hits)


class BackgroundStorySums:
    """Sums of stories, computed in the background before they are needed."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._stories: list[StorySummary] = []
        self._ready: Callable[[], StorySums] | None = None

    def begin(self, state: State) -> None:
        """Start to sum the stories of a window, before it takes in new articles."""
        stories, days = list(state.stories.values()), dict(state.days)
        terms = len(state.vocabulary)
        if stories:
            self._stories = stories
            self._ready = self._tools.meanwhile(
                lambda: story_sums(stories, days, terms, self._tools.settings)
            )

    def sums(self, draft: PaperDraft) -> StorySums:
        """Return the sums of the stories of a draft, recomputed if stories changed.

        That is so after a first slide, and if terms were forgotten and renumbered.
        """
        stories = list(draft.stories.values())
        if self._ready is not None and _are_same(stories, self._stories):
            return self._ready()
        return story_sums(
            stories,
            draft.days,
            len(draft.state.vocabulary),
            self._tools.settings,
            workers=self._tools.workers,
        )


def _are_same(some: list[StorySummary], others: list[StorySummary]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))


def assign_articles(
    draft: PaperDraft, tools: Tools, background: BackgroundStorySums
) -> None:
    """Assign unassigned articles to their most confident stories (Sec. 5.3)."""
    if not draft.stories or not draft.unassigned:
        return
    articles = list(draft.unassigned.values())
    with tools.stopwatch("assignment"):
        embedder = tools.embedder(draft)
        view = _view(draft, tools, embedder, background)
        stories = StoryContext(view, embedder)
        batches = blocks_of(articles)
        parts = tools.over(batches, judge_block, stories, draft.end)
        blocks = [
            Judged(batch, *found) for batch, found in zip(batches, parts, strict=True)
        ]
        verdicts = Verdicts.join([block.verdicts for block in blocks])
    with tools.stopwatch("summary"):
        _join_best(blocks, view, draft, tools)
        draft.standing = _standing(articles, verdicts, view, draft)


def _join_best(
    blocks: Sequence[Judged], view: View, draft: PaperDraft, tools: Tools
) -> None:
    """Move the articles that were assigned into their stories, in order of id."""
    limit = tools.settings.sentences
    noted = tools.meanwhile(
        lambda: [assigned_decisions(block, view, draft, limit) for block in blocks]
    )
    joining = [
        block.batch.articles[row]
        for block in blocks
        for row in block.joining.article.tolist()
    ]
    story = np.concatenate([block.joining.story for block in blocks])
    vectors = np.concatenate([block.vectors for block in blocks])
    order = np.argsort(story, kind="stable")
    numbers, first = np.unique(story[order], return_index=True)
    rows = np.split(order, first)[1:]  # empty if nothing joins
    draft.join(
        [view.stories[number] for number in numbers.tolist()],
        [[joining[i] for i in part.tolist()] for part in rows],
        [vectors[part] for part in rows],
    )
    for each in noted():
        draft.note(each)


def discover_stories(draft: PaperDraft, tools: Tools) -> None:
    """Find seed stories among the unassigned articles (Sec. 5.2)."""
    if len(draft.unassigned) < tools.settings.minimum:
        return
    articles = list(draft.unassigned.values())
    embedder = tools.embedder(draft)
    with tools.stopwatch("initial"):
        window = WindowContext(draft.state.documents, draft.days, embedder)
        initial = np.concatenate(
            tools.over(blocks_of(articles), represent_block, window, draft.end)
        )
    with tools.stopwatch("seeding"):
        around = Surroundings(
            draft.live,
            draft.excess([article.id for article in articles]),
            draft.days,
            draft.state.vocabulary,
        )
        seeds = find_seeds(Batch(articles), initial, around, embedder, tools.workers)
    if seeds is not None:
        with tools.stopwatch("summary"):
            _found(seeds, draft, tools.settings)


def _view(
    draft: PaperDraft, tools: Tools, embedder: Embedder, background: BackgroundStorySums
) -> View:
    """Return the live stories as this slide sees them."""
    stories = list(draft.stories.values())
    vocabulary = draft.state.vocabulary
    themes, df = background.sums(draft).themes(vocabulary, tools.settings)
    draft.live = Live(stories, df)
    panes = sorted({article.pane for article in draft.unassigned.values()})
    return View.of(
        tuple(draft.stories),
        themes,
        theme_index(themes, len(vocabulary)),
        SeenFrom.of(story_representations(stories, draft.days, panes, tools.settings)),
        embedder,
    )


def _standing(
    articles: Sequence[UnassignedArticle],
    verdicts: Verdicts,
    view: View,
    draft: PaperDraft,
) -> Standing:
    waiting = ~verdicts.assigned
    ids = [a.id for a, yes in zip(articles, waiting, strict=True) if yes]
    return Standing(
        draft.end,
        {id_: row for row, id_ in enumerate(ids)},
        view.stories,
        view.themes,
        verdicts.rows(waiting),
    )


def _found(seeds: Seeds, draft: PaperDraft, settings: Settings) -> None:
    """Open the new stories."""
    names = [draft.new_story() for _ in seeds.members]
    noted = seeded_decisions(seeds, names, draft, settings.sentences)
    articles = [seeds.pairs.article[pairs].tolist() for pairs in seeds.members]
    draft.join(
        names,
        [[seeds.batch.articles[i] for i in rows] for rows in articles],
        [seeds.vectors[pairs] for pairs in seeds.members],
    )
    draft.note(noted)
