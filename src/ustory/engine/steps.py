"""The two steps of Algorithm 1: assign to stories, discover new ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ustory.core.settings import Settings
from ustory.engine.background_sums import Ahead
from ustory.engine.blocks import (
    Stories,
    Window,
    blocks_of,
    judge_block,
    represent_block,
)
from ustory.engine.draft import Draft
from ustory.engine.explain import assigned_decisions, seeded_decisions
from ustory.engine.state import Standing
from ustory.engine.tools import Tools
from ustory.paper.assignment.assign import Judged, Verdicts, View
from ustory.paper.assignment.pairs import theme_index
from ustory.paper.assignment.similarity import SeenFrom
from ustory.paper.embedding.story import story_representations
from ustory.paper.embedding.strategies import Embedder
from ustory.paper.seeding.seed import Live, Seeds, Surroundings, find_seeds
from ustory.window.batch import Batch
from ustory.window.unassigned import UnassignedArticle


def assign_articles(draft: Draft, tools: Tools, ahead: Ahead) -> None:
    """Assign unassigned articles to their most confident stories (Sec. 5.3)."""
    if not draft.stories or not draft.unassigned:
        return
    articles = list(draft.unassigned.values())
    with tools.stopwatch("assignment"):
        embedder = tools.embedder(draft)
        view = _view(draft, tools, embedder, ahead)
        stories = Stories(view, embedder)
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
    blocks: Sequence[Judged], view: View, draft: Draft, tools: Tools
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
    rows = np.split(order, first)[1:]  # where nothing joins there is none
    draft.join(
        [view.stories[number] for number in numbers.tolist()],
        [[joining[i] for i in part.tolist()] for part in rows],
        [vectors[part] for part in rows],
    )
    for each in noted():
        draft.note(each)


def discover_stories(draft: Draft, tools: Tools) -> None:
    """Find seed stories among the unassigned articles (Sec. 5.2)."""
    if len(draft.unassigned) < tools.settings.minimum:
        return
    articles = list(draft.unassigned.values())
    embedder = tools.embedder(draft)
    with tools.stopwatch("initial"):
        window = Window(draft.state.documents, draft.days, embedder)
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


def _view(draft: Draft, tools: Tools, embedder: Embedder, ahead: Ahead) -> View:
    """Return the live stories as this slide sees them."""
    stories = list(draft.stories.values())
    vocabulary = draft.state.vocabulary
    themes, df = ahead.sums(draft).themes(vocabulary, tools.settings)
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
    draft: Draft,
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


def _found(seeds: Seeds, draft: Draft, settings: Settings) -> None:
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
