"""How the articles of one window look through a theme: their own, or their story's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ustory.core.arrays import Matrix
from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.prepare import Stopwatch
from ustory.engine.state import State
from ustory.engine.window_intake import take_in
from ustory.paper.assignment.pairs import own_pairs, theme_index
from ustory.paper.embedding.article import Hits, plain_means, thematic_means
from ustory.paper.themes.articles import own_themes
from ustory.paper.themes.stories import story_themes
from ustory.window.summary import StorySummary, add_articles
from ustory.window.unassigned import Batch
from ustory_bench.experiments.segments import calendar_of


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """The articles of a window while none is assigned, sorted by id."""

    state: State
    batch: Batch
    settings: Settings

    @property
    def ids(self) -> tuple[str, ...]:
        """The articles, in the order of all rows made of them."""
        return tuple(article.id for article in self.batch.articles)

    def means(self) -> Matrix:
        """Return the plain mean of each article's sentences: IndSentMean."""
        return plain_means(self.batch, None)

    def own_views(self) -> Matrix:
        """Return each article as its own theme shows it (Sec. 5.2); no label is read.

        𝔻 is all articles of the window, as for articles that no story has.
        """
        batch, state = self.batch, self.state
        own = own_themes(batch, state.documents, dict(state.days), self.settings)
        sizes = np.bincount(own.article, minlength=len(batch))
        hits = Hits(
            np.arange(len(batch)),
            np.concatenate([[0], np.cumsum(sizes)]),
            own.entry - batch.entry_start[own.article],
            own.weight,
        )
        return thematic_means(batch, hits)

    def story_hits(self, truth: Mapping[str, str | None]) -> Hits:
        """Return what each article has of the theme of its true story (Def 4.1).

        𝔻 is the true stories of the window. An article without a label, or without
        a keyword of its story, has no row.
        """
        labels = sorted({truth[a] or "" for a in self.ids if truth[a] is not None})
        if not labels:
            none = np.zeros(0, dtype=np.int64)
            return Hits(none, np.zeros(1, dtype=np.int64), none, np.zeros(0))
        number = {label: place for place, label in enumerate(labels)}
        story = np.array([number.get(truth[a] or "", -1) for a in self.ids])
        articles, means = self.batch.articles, self.means()
        rows = [np.flatnonzero(story == place) for place in range(len(labels))]
        vocabulary = self.state.vocabulary
        summaries = add_articles(
            [StorySummary(label) for label in labels],
            [[articles[i] for i in part.tolist()] for part in rows],
            [means[part] for part in rows],
        )
        days = dict(self.state.days)
        themes, _ = story_themes(summaries, days, vocabulary, self.settings)
        index = theme_index(themes, len(vocabulary))
        return own_pairs(self.batch, themes, story, index).hits

    def story_views(self, truth: Mapping[str, str | None]) -> Matrix:
        """Return each article as the theme of its true story shows it.

        This reads labels: it is what thematic embedding could do at best. An article
        without a keyword of its story is its plain mean.
        """
        views = self.means()
        hits = self.story_hits(truth)
        if len(hits.article):
            views[hits.article] = thematic_means(self.batch, hits)
        return views


def open_window(articles: Sequence[PreparedArticle], settings: Settings) -> OpenWindow:
    """Return articles that fit into one window as the window holds them at first."""
    newest = max(one.article.published_at for one in articles)
    slide = Slide(end=calendar_of(settings).slide_end(newest), articles=articles)
    state = take_in(State(), slide, settings, Stopwatch())
    return OpenWindow(state, Batch(list(state.unassigned.values())), settings)
