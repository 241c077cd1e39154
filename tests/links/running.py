"""Runs a stream through `ustory.links` alone, slide by slide, and makes its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np

from tests.reference.panes import panes_of
from tests.reference.strategies import START, prepare
from ustory.core.article import PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.assign_stories import assign_stories
from ustory.links.sentence_terms import in_order
from ustory.links.slide import Parts, SlideContext, link_slide
from ustory.links.state import LinkState
from ustory.window.panes import day_of
from ustory.window.unassigned import open_article
from ustory.window.vocabulary import Vocabulary

WEEK = Settings()


def unit_of(settings: Settings) -> float:
    """Return a seventh of the window in days, a day where it is by number."""
    if isinstance(settings.window, int):
        return 1.0
    return settings.window / timedelta(days=7)


class LinkRun:
    """The state of links, and the vocabulary and panes that an engine has for them."""

    def __init__(self, settings: Settings = WEEK, parts: Parts | None = None) -> None:
        self.unit = unit_of(settings)
        self.parts = parts or Parts()
        self.panes = panes_of(settings)
        self.vocabulary = Vocabulary()
        self.state = LinkState()
        self.stories = 0

    def advance(self, slide: Slide) -> list[tuple[PreparedArticle, int]]:
        """Take in a slide; return its articles in the window, and their panes."""
        panes = {
            placed.id: placed.pane
            for placed in self.panes.take(slide.end, slide.articles)
        }
        inside = [p for p in slide.articles if p.article.id in panes]
        self.link(inside, panes, slide.end)
        return [(p, panes[p.article.id]) for p in inside]

    def link(
        self,
        articles: Sequence[PreparedArticle],
        panes: Mapping[str, int],
        end: datetime,
    ) -> None:
        """Link articles of the window and settle who is in which story."""
        self.vocabulary, numbers = self.vocabulary.grown([p.counts for p in articles])
        counted = [
            (p, open_article(p, panes[p.article.id], terms))
            for p, terms in zip(articles, numbers, strict=True)
        ]
        first = self.state.next_serial
        now = SlideContext(
            day_of(end), self.panes.oldest, self.unit, self.vocabulary, first
        )
        new = linked_articles(in_order(counted), first, self.parts.evidence)
        self.state = link_slide(self.state, new, now, self.parts)
        if new:
            self.state = assign_stories(self.state, now, self.parts, self.new_story)

    def new_story(self) -> str:
        """Return an id that sorts after all before it."""
        self.stories += 1
        return f"s{self.stories - 1:06d}"


def texts(*lines: str, hours: float = 1.0, first: int = 0) -> list[PreparedArticle]:
    """Return an article a line, some hours apart; sentences are split at full stops."""
    return [
        prepare(
            f"a{first + i:05d}",
            START + timedelta(hours=hours * i),
            [sentence.split() for sentence in line.split(".")],
        )
        for i, line in enumerate(lines)
    ]


def one_slide(
    articles: Sequence[PreparedArticle], parts: Parts | None = None
) -> LinkRun:
    """Return a run after a single slide that ends a day after the first article."""
    run = LinkRun(parts=parts)
    run.advance(Slide(end=START + timedelta(days=1), articles=articles))
    return run


def partition(story: Mapping[str, str]) -> set[frozenset[str]]:
    """Return which articles are together."""
    names = set(story.values())
    return {frozenset(a for a in story if story[a] == name) for name in names}


def linked(
    serial: int, terms: Mapping[int, int], day: float = 0.0, title: Sequence[int] = ()
) -> LinkedArticle:
    """Return an article with these term counts, all of them in its lead."""
    numbers = np.array(sorted(terms), dtype=np.int32)
    tf = np.array([terms[int(term)] for term in numbers], dtype=np.int32)
    return LinkedArticle(
        id=f"a{serial}",
        serial=serial,
        pane=int(day),
        day=day,
        source="",
        terms=numbers,
        tf=tf,
        in_title=np.isin(numbers, np.array(title, dtype=np.int32)),
        cells=np.ones(len(numbers), dtype=np.int32),
        sentence=np.zeros(len(numbers), dtype=np.int32),
        count=tf,
        lead=np.arange(len(numbers), dtype=np.int32),
        lead_tf=tf,
        vector=np.eye(1, 4, serial % 4, dtype=np.float32)[0],
    )
