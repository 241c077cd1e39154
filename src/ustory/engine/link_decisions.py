"""Why an article is in its story: decided when it arrives or moves, explained later."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from ustory.core.arrays import Indices, Mask, Vector
from ustory.core.settings import Settings
from ustory.core.story import LinkDecision
from ustory.engine.link_events import StoryChanges
from ustory.engine.pull import (
    MAX_LINKS_NAMED,
    Pull,
    belonging,
    same_texts,
    texts_of,
    with_same_text,
)
from ustory.engine.state import State
from ustory.links.article import LinkedArticle
from ustory.links.prior import probability
from ustory.links.slide import Parts, log_odds, parts_of, unit_of
from ustory.links.state import LinkState
from ustory.paper.themes.stories import Themes, story_themes

MIN_PROBABILITY = 0.05
"""Probability below which a link is not shown to people."""


def decisions_on(
    link: LinkState, changes: StoryChanges, unit: float, parts: Parts
) -> dict[str, LinkDecision]:
    """Return a decision for each article that arrived, moved or was released.

    And for each whose text was corrected, wherever it is now.
    """
    wanted = sorted(
        {*changes.arrived, *changes.moved, *changes.released, *changes.corrected}
    )
    table = Table.of(link, unit, parts, wanted)
    live = len(set(link.story.values()))
    found = {}
    for article in wanted:
        story = changes.after.get(article)
        how = "waiting" if story is None else "assigned"
        if article in changes.moved:
            how = "moved"
        elif story in changes.fresh:
            how = "seeded"
        pulls = table.pulls(article, most=2)
        found[article] = decision(story, how, pulls, changes.at, live)
    return found


def decision(
    story: str | None, how: str, pulls: Sequence[Pull], at: datetime, live: int
) -> LinkDecision:
    """Return what the pulls say of an article in a story, or in none."""
    ranked = sorted(pulls, key=lambda p: (p.story != story, -p.probability, p.story))
    best = ranked[0] if ranked else Pull(story or "", 0.0)
    rival = ranked[1] if len(ranked) > 1 else Pull("", 0.0)
    likely = best.probability
    if story is not None and best.story == story and best.linked:
        likely = belonging(best)
    return LinkDecision(
        story=story,
        how=how,
        decided_at=at,
        best=best.story or None,
        runner_up=rival.story or None,
        margin=likely - rival.probability,
        stories=live,
        probability=likely,
        log_odds=math.log(likely / (1 - likely)) if 0 < likely < 1 else 0.0,
        evidence=best.evidence,
        links=best.links,
    )


@dataclass(frozen=True, slots=True)
class Table:
    """The links of the window, both ways, by article."""

    names: Sequence[str]
    rows: Mapping[str, int]
    story: Mapping[str, str]
    stories: Sequence[str | None]
    """The story of each name."""
    start: Indices
    other: Indices
    likely: Vector
    evidence: Mapping[str, Vector]
    """Log-odds of each link by each evidence."""
    same: Mapping[str, tuple[str, ...]]
    """Articles with the same text, the original first, by each of them."""
    texts: Counter[str]
    """Different texts of each story."""

    @classmethod
    def of(
        cls,
        link: LinkState,
        unit: float,
        parts: Parts,
        wanted: Iterable[str] | None = None,
    ) -> Table:
        """Return the table; pairs that are hardly likely are left out.

        With `wanted`, only links that touch one of these articles are kept; for a
        copy, those of its original.
        """
        names = list(link.articles)
        serials = np.array([a.serial for a in link.articles.values()], dtype=np.int64)
        likely = probability(log_odds(link, unit, parts))
        kept = likely >= MIN_PROBABILITY
        if wanted is not None:
            kept &= _touches(wanted, link)
        ends = [
            np.searchsorted(serials, column[kept])
            for column in (link.links.older, link.links.newer)
        ]
        row, other = np.concatenate(ends), np.concatenate(ends[::-1])
        order = np.lexsort((other, row))
        sizes = np.bincount(row, minlength=len(names))

        def both(column: Vector) -> Vector:
            return np.concatenate([column[kept]] * 2)[order]

        return cls(
            names=names,
            rows={name: i for i, name in enumerate(names)},
            story=link.story,
            stories=[link.story.get(name) for name in names],
            start=np.concatenate([[0], np.cumsum(sizes)]),
            other=other[order],
            likely=both(likely),
            evidence={name: both(odds) for name, odds in link.links.evidence.items()},
            same=same_texts(link),
            texts=texts_of(link),
        )

    def pulls(self, article: str, most: int | None = None) -> list[Pull]:
        """Return how strongly each story pulls an article, in no order.

        With `most`, those of its own story and of so many others, the strongest.
        """
        texts = self.same.get(article, (article,))
        row = self.rows[texts[0]]  # a copy has the links of its original
        part = slice(int(self.start[row]), int(self.start[row + 1]))
        likely = self.likely[part].tolist()
        others = self.other[part].tolist()
        links: dict[str, list[int]] = {}
        for at, other in enumerate(others):
            story = self.stories[other]
            if story is not None:
                links.setdefault(story, []).append(at)
        own = self.story.get(article)
        for places in links.values():
            places.sort(key=likely.__getitem__, reverse=True)
        mean = {
            s: _mean(likely, places[:MAX_LINKS_NAMED]) for s, places in links.items()
        }
        chosen = sorted(mean, key=lambda story: (story != own, -mean[story], story))
        if most is not None:
            chosen = chosen[: most + (own in mean)]
        evidence = {name: v[part].tolist() for name, v in self.evidence.items()}
        pulls = {}
        for story in chosen:
            strongest = links[story][:MAX_LINKS_NAMED]
            means = {n: _mean(v, strongest) for n, v in evidence.items()}
            pulls[story] = Pull(
                story=story,
                probability=mean[story],
                linked=len(links[story]),
                texts=self.texts[story],
                evidence={name: value for name, value in means.items() if value},
                links={self.names[others[at]]: likely[at] for at in strongest},
            )
        alike = [text for text in texts if text != article]
        if own is not None:
            known = pulls.get(own, Pull(own, 0.0))
            known = replace(known, texts=max(self.texts[own] - 1, 0))
            pulls[own] = with_same_text(known, alike) if alike else known
        return [pull for pull in pulls.values() if pull.linked]


def _mean(values: Sequence[float], places: Sequence[int]) -> float:
    """Return the mean of the values at some places."""
    return sum(map(values.__getitem__, places)) / len(places)


def _touches(names: Iterable[str], link: LinkState) -> Mask:
    """Return which links touch one of some articles, or its original."""
    serials = [link.articles[article].serial for article in names]
    wanted = [link.copies.get(serial, serial) for serial in serials]
    found: Mask = np.isin(link.links.older, wanted) | np.isin(link.links.newer, wanted)
    return found


def link_decision(
    state: State, article: str, settings: Settings, themes: Themes | None = None
) -> LinkDecision | None:
    """Return why an article is where it is, None if it is not in the window.

    A decision stays as it was recorded; for an article that waits it is computed now.
    Keywords and sentences are those of the story's present theme. `themes` are those
    of the state (`present_themes`), for callers that need several decisions.
    """
    record = state.records.get(article)
    if record is None:
        return None
    found = record.decision or _waiting(state, article, settings)
    assert isinstance(found, LinkDecision)
    if found.best is None or found.best not in state.stories:
        return found
    theme = _theme(state, found.best, themes or present_themes(state, settings))
    return _with_theme(found, state.link.articles[article], theme, state)


def _waiting(state: State, article: str, settings: Settings) -> LinkDecision:
    assert state.end is not None
    table = Table.of(state.link, unit_of(settings), parts_of(settings))
    pulls = table.pulls(article)
    return decision(None, "waiting", pulls, state.end, len(state.stories))


def present_themes(state: State, settings: Settings) -> Themes:
    """Return the themes of the live stories, in their order (Def 4.1)."""
    summaries = list(state.stories.values())
    themes, _ = story_themes(summaries, dict(state.days), state.vocabulary, settings)
    return themes


def _theme(state: State, story: str, themes: Themes) -> dict[int, float]:
    """Return the keywords of a story by number, with their weights."""
    row = list(state.stories).index(story)
    pairs = zip(themes.terms[row].tolist(), themes.weights[row].tolist(), strict=True)
    return {term: weight for term, weight in pairs if term >= 0}


def _with_theme(
    found: LinkDecision, article: LinkedArticle, theme: dict[int, float], state: State
) -> LinkDecision:
    places = np.flatnonzero(np.isin(article.terms, list(theme)))
    if not len(places):
        return found
    words = state.vocabulary.written(article.terms[places])
    sentences = len(state.records[article.id].sentences)
    weights = _sentence_weights(article, theme, sentences)
    return replace(
        found,
        keywords=dict(zip(words, article.tf[places].tolist(), strict=True)),
        weights=tuple(weights.tolist()),
    )


def _sentence_weights(
    article: LinkedArticle, theme: dict[int, float], sentences: int
) -> Vector:
    """Return the theme relevance of each sentence (Eq. 2), summing to 1."""
    weight = np.array([theme.get(term, 0.0) for term in article.terms.tolist()])
    cells = np.repeat(weight, article.cells) * article.count
    found = np.bincount(article.sentence, cells, minlength=sentences)
    return np.asarray(found / found.sum())
