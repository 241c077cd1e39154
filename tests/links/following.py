"""Follows streams through `ustory.links` with guidance, slide by slide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.prepare import Stopwatch, prepare
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.assign_stories import assign_stories
from ustory.links.evidence.words import word_log_odds
from ustory.links.guidance import Guidance
from ustory.links.guided import Guided, watched_names
from ustory.links.prior import OUTSIDE
from ustory.links.sentence_terms import in_order
from ustory.links.slide import Parts, SlideContext, link_slide
from ustory.links.state import LinkState
from ustory.links.watched_matcher import StreamStats, WatchedMatcher
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source
from ustory.testing.parts import TinyEncoder
from ustory.text.fast import FastPipeline
from ustory.window.panes import Calendar, day_of
from ustory.window.slides import Slicer
from ustory.window.unassigned import open_article
from ustory.window.vocabulary import Vocabulary

UNIT = 1.0
KINDS = Parts()


@cache
def demo_slides() -> tuple[Slide, ...]:
    """Return the demo stream, a day a slide."""
    slicer = Slicer(Settings())
    cut = []
    for arrival in open_source(str(demo_stream())).read(None):
        cut += slicer.push(arrival.article)
    cut += slicer.flush()
    pipeline, encoder = FastPipeline(), TinyEncoder()
    return tuple(
        Slide(
            end=raw.end,
            articles=prepare(raw.articles, pipeline, encoder, Stopwatch()),
        )
        for raw in cut
    )


def labels() -> dict[str, str]:
    """Return the true story of each article of the demo stream."""
    return {
        p.article.id: p.article.label or ""
        for slide in demo_slides()
        for p in slide.articles
    }


class GuidedRun:
    """A run that listens to a user; with None, one that there is without guidance."""

    def __init__(self, guidance: Guidance | None) -> None:
        self.guidance = guidance
        self.guided = Guided()
        self.matcher = WatchedMatcher(guidance or Guidance(), FastPipeline())
        self.vocabulary = Vocabulary()
        self.state = LinkState()
        self.stories = 0

    def advance(self, slide: Slide) -> None:
        """Link the articles of a slide, then settle as guidance and links say."""
        calendar = Calendar.of(Settings())
        assert calendar is not None
        counts = [p.counts for p in slide.articles]
        self.vocabulary, numbers = self.vocabulary.grown(counts)
        counted = [
            (p, open_article(p, calendar.pane_of(p.article.published_at), terms))
            for p, terms in zip(slide.articles, numbers, strict=True)
        ]
        first = calendar.first_pane(slide.end)
        now = SlideContext(
            day_of(slide.end), first, UNIT, self.vocabulary, self.state.next_serial
        )
        new = linked_articles(in_order(counted), self.state.next_serial)
        before = self.state.story
        self.state = link_slide(self.state, new, now, KINDS)
        if self.guidance is not None:
            urls = {p.article.id: p.article.url or "" for p in slide.articles}
            self._notice(new, urls, before, self.guidance)
            if new:
                self._settle(now, self.guidance)
        elif new:
            self.state = assign_stories(self.state, now, KINDS, self.new_story)

    def _notice(
        self,
        new: Sequence[LinkedArticle],
        urls: Mapping[str, str],
        before: Mapping[str, str],
        guidance: Guidance,
    ) -> None:
        state = self.state
        known = StreamStats(
            self.vocabulary,
            state.background,
            lambda body, lead: word_log_odds(body, lead) + OUTSIDE,
        )
        found = self.matcher.matches(new, urls, known)
        self.guided = self.guided.after(state.articles, before, found, guidance)

    def _settle(self, now: SlideContext, guidance: Guidance) -> None:
        state = replace(self.state, guided=self.guided)
        self.state = assign_stories(state, now, KINDS, self.new_story, guidance)
        self.guided = self.state.guided

    def new_story(self) -> str:
        """Return an id that sorts after all before it."""
        self.stories += 1
        return f"s{self.stories:06d}"

    @property
    def names(self) -> dict[str, str]:
        """By story of the window, the name of the watched one it is."""
        return watched_names(self.guided, self.state.story)


@dataclass(frozen=True)
class Told:
    """What a run says after a slide."""

    story: Mapping[str, str]
    names: Mapping[str, str]


def follow(guidance: Guidance | None, slides: Sequence[Slide] = ()) -> list[Told]:
    """Return what a run says after each slide of the demo stream, or of others."""
    run = GuidedRun(guidance)
    told = []
    for slide in slides or demo_slides():
        run.advance(slide)
        told.append(Told(dict(run.state.story), dict(run.names)))
    return told
