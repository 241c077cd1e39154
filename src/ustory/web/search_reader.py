"""What a search finds, for the API and the pages, read from one view of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ustory.store import Connection
from ustory.store.article_hits import articles_by_number, best_articles, list_articles
from ustory.store.articles import texts_by_id
from ustory.store.query import (
    FacetCounts,
    Selection,
    StoryQuery,
    count_facets,
    list_stories,
    story_numbers,
)
from ustory.store.search import Search
from ustory.store.tables import ArticleRow, StoryRow
from ustory.web.models.search import (
    ArticleHit,
    ArticleHits,
    FacetsOut,
    SearchOut,
    SnippetPart,
    StoryHit,
    StoryHits,
)
from ustory.web.models.shared import Tags
from ustory.web.models.stories import ArticleOut
from ustory.web.snippets import snippet_of
from ustory.web.story_reader import StoryReader, check_text, cursor_checked


class SearchReader:
    """Answers one search; trends and ages are computed for `now`."""

    def __init__(
        self, connection: Connection, text: str, now: datetime, reader: Tags = ()
    ) -> None:
        check_text(text)
        self._connection = connection
        self._now = now
        self._text = text
        self._stories = StoryReader(connection, now, reader)
        self.search = Search.of(connection, text, mend=True)
        self.before = 0
        """Hits on the pages before the last that was read."""

    def answer(
        self,
        query: StoryQuery,
        articles: int,
        articles_cursor: str | None,
        *,
        stories: bool = True,
    ) -> SearchOut:
        """Return stories and articles that pass the filters of a query, and counts.

        Without `stories` only their number is given.
        """
        selection = Selection.of(self._connection, query, self.search)
        rest = replace(query, limit=articles, cursor=articles_cursor)
        none = StoryHits(total=selection.total, hits=[], next=None)
        return SearchOut(
            q=self._text,
            corrected=self.search.corrected,
            stories=self._story_hits(query, selection) if stories else none,
            articles=self._article_hits(rest, selection),
            facets=facets_out(count_facets(self._connection, selection, self._now)),
        )

    def _story_hits(self, query: StoryQuery, selection: Selection) -> StoryHits:
        with cursor_checked():
            page = list_stories(self._connection, query, selection)
        self.before = page.before
        numbers = story_numbers(self._connection, [row.id for row in page.items])
        best = best_articles(self.search, list(numbers.values()))
        found = articles_by_number(self._connection, list(best.values()))
        by_number = {row.seq: row for row in found}
        snippets = self._snippets(found)
        worth = dict(zip(*self._scores(), strict=True))
        hits = []
        for row in page.items:
            article = by_number.get(best.get(numbers[row.id], 0))
            hits.append(self._story_hit(row, worth[numbers[row.id]], article, snippets))
        return StoryHits(total=page.total or 0, hits=hits, next=page.cursor)

    def _scores(self) -> tuple[list[int], list[float]]:
        return self.search.stories.tolist(), self.search.story_scores.tolist()

    def _story_hit(
        self,
        row: StoryRow,
        score: float,
        article: ArticleRow | None,
        snippets: dict[str, list[SnippetPart]],
    ) -> StoryHit:
        return StoryHit(
            story=self._stories.out([row])[0],
            score=round(score, 6),
            article=None if article is None else ArticleOut.of(article),
            snippet=[] if article is None else snippets[article.id],
        )

    def _article_hits(self, query: StoryQuery, selection: Selection) -> ArticleHits:
        with cursor_checked():
            page = list_articles(
                self._connection, query, self.search, stories=selection
            )
        self.before = max(self.before, page.before)
        snippets = self._snippets(page.items)
        scores = self.search.scores_of([row.seq for row in page.items])
        hits = [
            ArticleHit(
                article=ArticleOut.of(row),
                score=round(scores[row.seq], 6),
                snippet=snippets[row.id],
            )
            for row in page.items
        ]
        return ArticleHits(total=page.total or 0, hits=hits, next=page.cursor)

    def _snippets(self, rows: Sequence[ArticleRow]) -> dict[str, list[SnippetPart]]:
        texts = texts_by_id(self._connection, [row.id for row in rows])
        query = self.search.query
        return {row.id: snippet_of(texts.get(row.id) or "", query) for row in rows}


def facets_out(counts: FacetCounts) -> FacetsOut:
    """Return counts as they go out."""
    return FacetsOut(
        source=dict(counts.sources),
        lang=dict(counts.langs),
        status=dict(counts.statuses),
        within=dict(counts.ages),
        size=dict(counts.sizes),
    )
