"""Mode `links`: an article from outside the window, scored against its articles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.engine.link_decisions import MIN_PROBABILITY, Table
from ustory.engine.match_story import StoryMatch, Terms, ThemeWords
from ustory.engine.pull import (
    MAX_LINKS_NAMED,
    Pull,
    belonging,
    same_texts,
    texts_of,
)
from ustory.engine.state import State
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.copies import CopyIndex
from ustory.links.evidence.names import NameEvidence, name_counts
from ustory.links.graph import Links
from ustory.links.groups import ACROSS_LINK, LINK
from ustory.links.pairing import PairContext, columns_of, link_pairs, own_candidates
from ustory.links.prior import best_links, contrast, probability
from ustory.links.sentence_terms import in_order
from ustory.links.slide import links_across, own_log_odds, parts_of, unit_of
from ustory.links.word_candidates import FLOOR, body_rows, lead_rows
from ustory.links.word_scan import Postings, Rows, add_products, postings
from ustory.window.unassigned import open_article

_NO_KEYS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Query:
    """An article whose terms are numbered from 0 on, as they come."""

    article: LinkedArticle
    known: Indices
    """Number of each term in the window, -1 for those it does not have."""
    idf: Vector
    """As they would be with this article in the stream."""

    @property
    def kept(self) -> Indices:
        """The numbers in the window of the terms that are no furniture."""
        return self.known[self.article.terms]


class LinkMatcher:
    """The window of mode `links`, ready to be compared with any article."""

    def __init__(self, state: State, settings: Settings) -> None:
        link = state.link
        self._link, self._size = link, len(state.vocabulary)
        self._parts, self._unit = parts_of(settings), unit_of(settings)
        self._rows = [a for a in link.articles.values() if a.serial not in link.copies]
        if not self._rows:
            return  # an empty window matches nothing
        self._terms = Terms(state.vocabulary)
        self._themes = ThemeWords(state, settings)
        self._names = [article.id for article in self._rows]
        self._stories = [link.story.get(name) for name in self._names]
        self._day = np.array([article.day for article in self._rows])
        self._length = np.array([article.length for article in self._rows])
        self._df = np.zeros(self._size + 1)  # the last is that of unknown terms
        self._df[: len(link.background.df)] = link.background.df
        self._idf = np.zeros(self._size)
        self._idf[: len(link.background.df)] = link.background.idf
        self._body = _index(body_rows(self._rows, self._idf), self._size)
        self._lead = _index(lead_rows(self._rows, self._idf), self._size)
        if self._parts.meaning:
            self._vectors = link.meanings.distinct(self._rows)
        if self._parts.gist:
            self._gists = link.gists.rows(self._rows)
            self._name_counts = name_counts([a.columns for a in self._rows])
        if self._parts.copies:
            self._originals = CopyIndex(self._rows, self._size)
        self._best = self._best_links()
        self._same, self._texts = same_texts(link), texts_of(link)
        self._columns = columns_of(self._parts.evidence, self._rows)

    def _best_links(self) -> Vector:
        """Return the log-odds of the best link of each row, -inf for none.

        First of those in its language, then of those with other languages.
        """
        links = self._link.links
        serials = np.array([article.serial for article in self._rows], dtype=np.int64)
        odds = own_log_odds(self._link, self._unit, self._parts)
        across = links_across(self._link) if self._parts.gist else odds > np.inf
        best = np.full((2, len(serials)), -np.inf)
        for kind in (0, 1):
            these = across == bool(kind)
            ends = links.older[these], links.newer[these]
            for end, each in zip(ends, best_links(ends, odds[these]), strict=True):
                best[kind, np.searchsorted(serials, end)] = each
        return best

    def match(self, prepared: PreparedArticle) -> list[StoryMatch]:
        """Return the stories that pull the article, the likeliest first."""
        if not self._rows:
            return []
        query = self._query(prepared)
        pulls, least = self._pulls(query)
        copied = self._copied(query)
        if copied is not None:
            pulls, least = self._with_copy(pulls, *copied), 1.0
        ranked = sorted(pulls, key=lambda p: (-p.probability, p.story))
        found = [self._found(pull, query, least) for pull in ranked[:1]]
        # what it joins is judged with all texts of the story, the others by its links
        most = found[0].probability if found else 1.0
        found += [
            self._found(replace(pull, probability=min(pull.probability, most)), query)
            for pull in ranked[1:]
        ]
        return found

    def _found(self, pull: Pull, query: _Query, least: float = math.inf) -> StoryMatch:
        """Return a match; the article joins the story by a link of at least `least`."""
        joins = max(pull.links.values()) >= least
        return StoryMatch(
            pull.story,
            belonging(pull) if joins else pull.probability,
            self._themes.shared(pull.story, query.kept),
            evidence=pull.evidence,
            links=pull.links,
            joins=joins,
        )

    def _query(self, prepared: PreparedArticle) -> _Query:
        known = self._terms.numbers(prepared.counts)
        own = np.arange(len(known), dtype=np.int32)
        opened = open_article(prepared, 0, own)
        texts = in_order([(prepared, opened)])
        if self._parts.copies:
            texts = self._link.furniture.removed_from(texts, known)
        (article,) = linked_articles(texts, 0, self._parts.evidence)
        articles = self._link.background.articles + 1
        idf = np.log1p(articles / (self._df[known] + 1))
        return _Query(article, known, idf)

    def _cosines(self, rows: Rows, query: _Query, index: Postings) -> Vector:
        """Return the cosine of a query with each row of the window.

        Rows were weighted without this article. The products are corrected for what
        it adds to the frequency of its own terms, the lengths of the rows are not.
        """
        known = query.known[rows.terms]
        inside = known >= 0
        known, before = known[inside], self._idf[known[inside]]
        more = np.ones(len(known))
        after = query.idf[rows.terms[inside]]
        np.divide(after, before, out=more, where=before > 0)
        out = np.zeros(len(self._rows))
        add_products(known, rows.values[inside] * more, index, out)
        return out

    def _links(self, query: _Query) -> Links:
        """Return the links that the article would bring, with rows as `older`.

        It is scored as the one new article of a slide, against its candidates.
        """
        body = self._cosines(body_rows([query.article], query.idf), query, self._body)
        lead = self._cosines(lead_rows([query.article], query.idf), query, self._lead)
        near = np.union1d(np.flatnonzero(body >= FLOOR), self._own(query))
        rows = [*(self._rows[row] for row in near.tolist()), query.article]
        parts, size = self._parts, len(near)
        vectors = None
        if parts.meaning:
            own = self._link.meanings.distinct([query.article])
            vectors = np.concatenate([self._vectors[near], own])
        gists = names = None
        if parts.gist:
            alone = self._link.gists.rows([query.article])
            gists = self._gists.only(near).with_rows(alone)
            own_names = query.article.columns.get(NameEvidence.name, _NO_KEYS)
            names = self._name_counts.with_one(own_names)
        context = PairContext(
            evidence=parts.evidence,
            idf=self._idf,
            vectors=vectors,
            gists=gists,
            names=names,
            lead=parts.lead,
            day=np.append(self._day[near], query.article.day),
            length=np.append(self._length[near], query.article.length),
            serial=np.append(near, len(self._rows)),
            new=1,
            columns=columns_of(parts.evidence, rows),
        )
        newer, older = np.full(size, size), np.arange(size)
        return link_pairs(context.pairs(newer, older, body[near], lead[near]), context)

    def _own(self, query: _Query) -> Indices:
        """Return the rows that evidence proposes itself."""
        evidence = [each for each in self._parts.evidence if each.name in self._columns]
        if not evidence:
            return np.zeros(0, dtype=np.int64)
        rows = len(self._rows) + 1
        columns = {
            each.name: [
                *self._columns[each.name],
                query.article.columns.get(each.name, np.zeros(0)),
            ]
            for each in evidence
        }
        return own_candidates(evidence, columns, rows, 1) % rows

    def _pulls(self, query: _Query) -> tuple[list[Pull], float]:
        """Return how each story pulls, and how strong a link must be to join one.

        An article that waits counts too: with it a new story would begin.
        """
        links = self._links(query)
        alone = replace(self._link, links=links)
        odds = own_log_odds(alone, self._unit, self._parts)
        across = self._across(links.older, query.article)
        if self._parts.chance:
            odds = self._contrasted(odds, links.older, across)
        likely = probability(odds)
        kept = likely >= np.where(across, ACROSS_LINK, MIN_PROBABILITY)
        table = Table(
            names=self._names,
            rows={query.article.id: 0},
            story=self._link.story,
            stories=self._stories,
            start=np.array([0, int(kept.sum())]),
            other=links.older[kept],
            likely=likely[kept],
            evidence={name: odds[kept] for name, odds in links.evidence.items()},
            same={},
            texts=self._texts,
        )
        placed = self._link.story
        waiting = [
            each
            for row, each in zip(
                links.older[kept].tolist(), likely[kept].tolist(), strict=True
            )
            if self._names[row] not in placed
        ]
        return table.pulls(query.article.id), max([LINK, *waiting])

    def _across(self, older: Indices, new: LinkedArticle) -> Mask:
        """Return which rows are in another language than a new article."""
        if not self._parts.gist or new.language < 0:
            return np.zeros(len(older), dtype=bool)
        theirs = self._gists.language[older] != new.language
        return np.asarray(self._gists.there[older] & theirs)

    def _contrasted(self, odds: Vector, older: Indices, across: Mask) -> Vector:
        """Return the log-odds of the links of a new article, read against the best."""
        found = odds.copy()
        for kind in (0, 1):
            these = across == bool(kind)
            if these.any():
                best = np.maximum(self._best[kind, older[these]], odds[these])
                own = np.full(len(best), odds[these].max())
                found[these] += contrast(best, own)
        return found

    def _copied(self, query: _Query) -> tuple[str | None, dict[str, float]] | None:
        """Return the story and the articles whose text this is, if it is a copy."""
        if not self._parts.copies:
            return None
        row = self._originals.original(query.kept, query.article.tf)
        if row is None:
            return None
        name = self._names[row]
        texts = self._same.get(name, (name,))
        return self._link.story.get(name), dict.fromkeys(texts[:MAX_LINKS_NAMED], 1.0)

    def _with_copy(
        self, pulls: Sequence[Pull], story: str | None, links: dict[str, float]
    ) -> list[Pull]:
        """Return the pulls, with certainty for the story that has the same text."""
        if story is None:
            return list(pulls)
        others = {pull.story: pull for pull in pulls}
        known = others.pop(story, Pull(story, 1.0, texts=self._texts[story]))
        linked = max(known.linked, 1)
        copied = replace(known, probability=1.0, linked=linked, links=links)
        return [copied, *others.values()]


def _index(rows: Rows, vocabulary: int) -> Postings:
    found: Postings = postings(rows, np.zeros(vocabulary + 2, dtype=np.int64))
    return found
