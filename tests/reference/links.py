"""Mode `links` as it is told: every pair compared, every sum a loop, terms as text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.reference.alike import Shown
from tests.reference.communities import (
    divided,
    graph_of,
    touched,
    united,
)
from tests.reference.gists import (
    Means,
    across,
    both,
    gist_log_odds,
    name_log_odds,
    proposed,
)
from tests.reference.likeness import (
    Apart,
    Counted,
    Spread,
    Told,
    contrast,
    cosine,
    meaning_log_odds,
    reliability,
    told,
    word_log_odds,
)
from tests.reference.telling_apart import told_apart
from ustory.core.article import PreparedArticle
from ustory.links.groups import ACROSS_LINK, LINK, MARGIN
from ustory.links.ids import MUCH_SMALLER
from ustory.links.pairing import MAX_LINKS_PER_ARTICLE, MIN_LOG_ODDS
from ustory.links.prior import BASE
from ustory.links.slide import YOUNG, Parts
from ustory.links.word_candidates import FLOOR


@dataclass(frozen=True, slots=True)
class Link:
    """A pair that may tell one story."""

    older: Told
    newer: Told
    words: float
    meaning: float
    gist: float = 0.0
    names: float = 0.0

    @property
    def said(self) -> float:
        """Log-odds by all that is weighed once."""
        return self.words + self.meaning + self.gist + self.names

    @property
    def across(self) -> bool:
        """Whether it leads from one language to another."""
        return across(self.older, self.newer)

    @property
    def gap(self) -> float:
        """Days between the two."""
        return abs(self.newer.day - self.older.day)


def carried_on(
    groups: Sequence[Sequence[str]], before: Mapping[str, str], next_story: int
) -> tuple[dict[str, str], int]:
    """Return the story of each article that has one, and the next number."""
    found: dict[str, str] = {}
    for number, group in enumerate(groups):
        claims: dict[str, int] = {}
        for story in {before[a] for a in group if a in before}:
            held = [sum(before.get(a) == story for a in other) for other in groups]
            if held.index(max(held)) == number:
                claims[story] = held[number]
        if claims:
            most = max(claims.values())
            name = min(s for s in claims if claims[s] >= MUCH_SMALLER * most)
        elif len(group) > 1:
            name, next_story = f"s{next_story:06d}", next_story + 1
        else:
            continue
        for article in group:
            found[article] = name
    return found, next_story


def _strongest(pairs: Sequence[Link]) -> list[Link]:
    """Return the strongest pairs that are not too faint, oldest first."""
    found = [pair for pair in pairs if pair.said >= MIN_LOG_ODDS]
    found.sort(key=lambda pair: -pair.said)
    return sorted(found[:MAX_LINKS_PER_ARTICLE], key=lambda pair: pair.older.serial)


def terms_in(article: Told) -> int:
    """Return how many terms a text has, each as often as it is there."""
    return sum(article.terms.values())


def said(one: Told, other: Told) -> float:
    """Return how much the words of a pair say: the mean of both, by geometry."""
    return math.sqrt(reliability(terms_in(one)) * reliability(terms_in(other)))


class LinksReference:
    """Stories of a stream by links; state is all in the open."""

    def __init__(self, dim: int, unit: float, parts: Parts) -> None:
        self.unit, self.parts = unit, parts
        self.articles: list[Told] = []
        self.links: list[Link] = []
        self.story: dict[str, str] = {}
        self.counted, self.spread, self.apart = Counted(), Spread(dim), Apart()
        self.means = Means()
        self.next_serial = self.next_story = 0
        self.weighed = 0.0
        self.first = 0
        self.leads: dict[int, dict[str, float]] = {}

    def advance(
        self, new: Sequence[tuple[PreparedArticle, int]], day: float, first_pane: int
    ) -> None:
        """Let old articles go, link new ones, and settle who is in which story."""
        self.articles = [a for a in self.articles if a.pane >= first_pane]
        self.links = [
            link
            for link in self.links
            if min(link.older.pane, link.newer.pane) >= first_pane
        ]
        there = {article.id for article in self.articles}
        self.story = {a: s for a, s in self.story.items() if a in there}
        if new:
            self._link(self._told(new), day)
            self._settle(day)

    def _told(self, new: Sequence[tuple[PreparedArticle, int]]) -> list[Told]:
        found = []
        for prepared, pane in sorted(
            new, key=lambda n: (n[0].article.published_at, n[0].article.id)
        ):
            day = prepared.article.published_at.timestamp() / 86_400
            found.append(told(prepared, pane, day, self.next_serial))
            self.next_serial += 1
        return found

    def _link(self, new: Sequence[Told], day: float) -> None:
        self.counted.add(new, day)
        self.spread.add(new, day)
        self.means.add(new, day)
        weights = self.counted.weights
        everyone, arriving = [*self.articles, *new], list(new)
        self.first = new[0].serial
        if 2 * self.weighed <= self.counted.articles < 2 * YOUNG:
            self.weighed, self.links = self.counted.articles, []
            self.first = 0
            self.articles, arriving = [], everyone
        body = {a.serial: weights(a.terms, a.title) for a in everyone}
        lead = {a.serial: weights(a.lead) for a in everyone}
        for article in arriving:
            pairs = []
            by_gist = proposed(everyone, len(self.articles))
            for place, older in enumerate(self.articles):
                near = cosine(body[older.serial], body[article.serial])
                if near >= FLOOR or place in by_gist:
                    early = cosine(lead[older.serial], lead[article.serial])
                    words = word_log_odds(near, early if self.parts.lead else None)
                    pairs.append(self._weighed(older, article, words, everyone))
            self.links += _strongest(pairs)
            self.articles.append(article)
        self._learn(new[0].serial, day)
        self.leads = lead if self.parts.lead else body

    def _learn(self, first: int, day: float) -> None:
        """Count how far apart new pairs are, by what was known before."""
        new = [
            (self.probability(link), link.gap / self.unit)
            for link in self.links
            if link.newer.serial >= first
        ]
        if new:
            self.apart.fade(day)
            for likely, gap in new:
                self.apart.count(likely, gap)

    def _weighed(
        self, older: Told, newer: Told, words: float, everyone: Sequence[Told]
    ) -> Link:
        """Return a pair with all that speaks for it; `words` are those of long texts.

        In two languages words say nothing against it, and meaning nothing at all.
        """
        known, apart = said(older, newer), across(older, newer)
        words *= known
        meaning = gist = names = 0.0
        if self.parts.meaning and not apart:
            near = self.spread.cosine(older, newer)
            meaning = meaning_log_odds(near, known, gists=both(older, newer))
        if both(older, newer):
            near = self.means.cosine(older, newer)
            gist = gist_log_odds(near, known, apart=apart)
        if apart:
            words = max(words, 0.0)
            names = name_log_odds(older.names, newer.names, everyone)
        return Link(older, newer, words, meaning, gist, names)

    def probability(self, link: Link) -> float:
        """Return how likely two articles tell one story."""
        return 1 / (1 + math.exp(-self.log_odds(link)))

    def log_odds(self, link: Link) -> float:
        """Return the log-odds of a link, read against the best of its articles."""
        odds = self.own_log_odds(link)
        if self.parts.chance:
            best = [self.best(end, link.across) for end in (link.older, link.newer)]
            odds += contrast(*best)
        return odds

    def best(self, article: Told, apart: bool) -> float:
        """Return the log-odds of the best link of an article, of one kind of link."""
        serial = article.serial
        return max(
            self.own_log_odds(link)
            for link in self.links
            if link.across == apart and serial in (link.older.serial, link.newer.serial)
        )

    def own_log_odds(self, link: Link) -> float:
        """Return the log-odds of a link by its own evidence."""
        odds = link.said + BASE
        if self.parts.time:
            odds += self.apart.evidence(link.gap / self.unit)
        return odds

    def _apart(self, one: int, other: int) -> bool:
        """Say whether articles, by their places, have gists in two languages."""
        return across(self.articles[one], self.articles[other])

    def _settle(self, day: float) -> None:
        odds = [self.log_odds(link) for link in self.links]
        row = {article.serial: i for i, article in enumerate(self.articles)}
        links = {
            (row[link.older.serial], row[link.newer.serial]): each
            for link, each in zip(self.links, odds, strict=True)
        }
        likely = {pair: 1 / (1 + math.exp(-each)) for pair, each in links.items()}
        edges = {
            pair: each
            for pair, each in likely.items()
            if each >= (ACROSS_LINK if self._apart(*pair) else LINK)
        }
        names = [article.id for article in self.articles]
        number = {story: i for i, story in enumerate(sorted(set(self.story.values())))}
        graph = graph_of(len(names), edges)
        fresh = [row[a.serial] for a in self.articles if a.serial >= self.first]
        near = touched(graph, fresh)
        standing = [
            None
            if article.day > day - self.unit and row[article.serial] in near
            else number.get(self.story.get(article.id, ""))
            for article in self.articles
        ]
        found = divided(graph, standing, MARGIN, fresh)
        shown = [
            Shown(self.leads[a.serial], a.lang, self.means.distinct(a), both(a, a))
            for a in self.articles
        ]
        says = [reliability(terms_in(article)) for article in self.articles]
        sources = [article.source for article in self.articles]
        outlet = [sources.index(s) if s else i for i, s in enumerate(sources)]
        found = told_apart(found, edges, shown, outlet, near)
        found = united(found, standing, links, shown, says, outlet, near)
        groups = [[names[i] for i in group] for group in found]
        self.story, self.next_story = carried_on(groups, self.story, self.next_story)
