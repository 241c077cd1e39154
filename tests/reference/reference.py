"""Algorithm 1 as it is written: every article kept, every pair compared.

It is what the engine is held against, and shares one thing with it: where M is None,
`seeding.py` takes the clusters of `discover.seed_count`, which `test_seed_count.py`
holds against every number of seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from tests.reference.panes import panes_of
from tests.reference.records import (
    Dated,
    Member,
    Pair,
    Placed,
    Theme,
    Themed,
    total_terms,
)
from tests.reference.section4 import (
    article_vector,
    initial_vector,
    own_themes,
    story_span,
    story_themes,
    whole_article,
)
from tests.reference.section5 import (
    TIE,
    compare,
    is_confident,
    log_confidence,
    threshold,
)
from tests.reference.seeding import seed_groups, unit_rows
from ustory.core.article import PreparedArticle
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings

RefEvent = tuple[str, str, tuple[str, ...]]
"""kind, story, sorted article ids."""


@dataclass(frozen=True, slots=True)
class RefDecision:
    """Why an article is where it is; the fields are those of `ThemeDecision`."""

    story: str | None = None
    how: str = "waiting"
    best: str | None = None
    runner_up: str | None = None
    similarity: float = 0.0
    cosine: float = 0.0
    divergence: float = 0.0
    margin: float = 0.0
    confidence: float = 0.0
    log_odds: float = 0.0
    stories: int = 0
    weights: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Scores:
    """The stories as they stood when a slide was scored, and all pairs with them."""

    stories: Mapping[str, Sequence[Member]] = field(default_factory=dict)
    pairs: Mapping[str, Mapping[str, Pair]] = field(default_factory=dict)
    """Article, then story, oldest first; only pairs that share a keyword."""

    def of(self, article: str) -> Mapping[str, Pair]:
        """Return the pairs of an article."""
        return self.pairs.get(article, {})


def leading(pairs: Mapping[str, Pair], but: str | None = None) -> str | None:
    """Return the oldest story within 1e-6 of the best similarity (Alg. 1, line 7)."""
    rest = {story: pair.similarity for story, pair in pairs.items() if story != but}
    highest = max(rest.values(), default=0.0)
    return next((story for story in rest if rest[story] >= highest - TIE), None)


def judge(
    best: str, pairs: Mapping[str, Pair], stories: int, temperature: float
) -> RefDecision:
    """Return how well `best` does among `pairs` and n stories (Def 5.2, Eq. 5; γ)."""
    pair = pairs[best]
    others = [other.similarity for story, other in pairs.items() if story != best]
    confidence = log_confidence(pair.similarity, others, stories, temperature)
    runner_up = leading(pairs, but=best)
    return RefDecision(
        best=best,
        runner_up=runner_up,
        similarity=pair.similarity,
        cosine=pair.cosine,
        divergence=pair.divergence,
        margin=pair.similarity - (pairs[runner_up].similarity if runner_up else 0.0),
        confidence=math.exp(confidence),
        log_odds=confidence - math.log(threshold(stories, temperature)),
        stories=stories,
        weights=pair.weights,
    )


class Reference:
    """Stories of a stream by the letter of the paper; state is all in the open."""

    def __init__(self, settings: Settings, encoder: Encoder | None = None) -> None:
        self.settings = settings
        self.encoder = encoder
        self.panes = panes_of(settings)
        self.stories: dict[str, list[Member]] = {}
        """Live stories, oldest first, with all their members in the window."""
        self.unassigned: dict[str, Placed] = {}
        self.window: dict[str, Placed] = {}
        """Every article in the window, assigned or not."""
        self.decision: dict[str, RefDecision] = {}
        self.events: list[RefEvent] = []
        """What happened in the last slide."""
        self.born = 0
        """Stories there have ever been."""

    @property
    def assignment(self) -> dict[str, str | None]:
        """The story of every article in the window, None for unassigned ones."""
        return {article: self.decision[article].story for article in self.window}

    @property
    def all_stay(self) -> bool:
        """Say whether a seed keeps all its articles, as in the authors' script."""
        return self.settings.seed_members == "all"

    @property
    def too_late(self) -> int:
        """Articles that were already out of the window when they came."""
        return self.panes.too_late

    def advance(self, end: datetime, articles: Sequence[PreparedArticle]) -> None:
        """Take in one slide (Algorithm 1, lines 1 to 12)."""
        for article in self.panes.take(end, articles):
            self.window[article.id] = self.unassigned[article.id] = article
            self.decision[article.id] = RefDecision()
        expired = self.forget()
        before = set(self.stories)
        if not self.stories:
            self.discover(Scores())
        scores = self.score()
        grown = self.assign(scores)
        self.discover(scores)
        self.events = [("expired", story, ()) for story in expired]
        self.events += [
            ("born", story, tuple(sorted(member.id for member in members)))
            for story, members in self.stories.items()
            if story not in before
        ]
        self.events += [
            ("grew", story, tuple(sorted(grown[story])))
            for story in sorted(grown)
            if story in before
        ]

    def forget(self) -> list[str]:
        """Let go of what is older than the window; return the stories that expired."""
        oldest = self.panes.oldest
        gone = [a.id for a in self.window.values() if a.pane < oldest]
        for article in gone:
            del self.window[article], self.decision[article]
            self.unassigned.pop(article, None)
        for story, members in self.stories.items():
            self.stories[story] = [m for m in members if m.pane >= oldest]
        expired = [story for story, members in self.stories.items() if not members]
        for story in expired:
            del self.stories[story]
        return expired

    def waiting(self) -> list[Placed]:
        """Return the unassigned articles, sorted by id."""
        return [self.unassigned[article] for article in sorted(self.unassigned)]

    def score(self) -> Scores:
        """Compare every unassigned article with every story (Sec. 5.3)."""
        live = {story: tuple(members) for story, members in self.stories.items()}
        everyone = list(self.window.values())
        themes = story_themes(list(live.values()), self.settings) if live else []
        themed = {
            story: self.with_theme(live[story], theme, everyone)
            for story, theme in zip(live, themes, strict=True)
        }
        pairs: dict[str, dict[str, Pair]] = {}
        for article in self.waiting():
            pairs[article.id] = self.compare_all(article, themed)
        return Scores(live, pairs)

    def with_theme(
        self, members: Sequence[Member], theme: Theme, everyone: Sequence[Dated]
    ) -> Themed:
        """Return a story with its theme, its raw counts and its δ_C."""
        span = story_span(members, everyone, self.settings)
        return Themed(members, theme, total_terms(members), span)

    def compare_all(
        self, article: Placed, stories: Mapping[str, Themed]
    ) -> dict[str, Pair]:
        """Return the article's pair with each story whose keywords it shares."""
        found: dict[str, Pair] = {}
        for name, story in stories.items():
            pair = compare(article, story, self.settings, self.encoder)
            if pair is not None:
                found[name] = pair
        return found

    def assign(self, scores: Scores) -> dict[str, list[str]]:
        """Give articles to stories that are sure of them (Alg. 1, lines 6 to 10).

        All were scored against the stories at the start of the slide. Returns the
        articles that each story got.
        """
        grown: dict[str, list[str]] = {}
        for article in self.waiting():
            pairs = scores.of(article.id)
            best = leading(pairs)
            decision = RefDecision(stories=len(scores.stories))
            if best is not None:
                decision = judge(
                    best, pairs, len(scores.stories), self.settings.temperature
                )
                if is_confident(decision.similarity, decision.log_odds):
                    decision = replace(decision, story=best, how="assigned")
                    self.join(best, article, pairs[best])
                    grown.setdefault(best, []).append(article.id)
            self.decision[article.id] = decision
        return grown

    def join(self, story: str, article: Placed, pair: Pair) -> None:
        """Make the article a member, E_a|C frozen as it was scored (Def 5.3)."""
        member = Member(
            article.id, article.pane, article.time, article.terms, pair.vector
        )
        self.stories[story].append(member)
        del self.unassigned[article.id]

    def discover(self, scores: Scores) -> None:
        """Found new stories among the unassigned articles (Sec. 5.2; decision 0001).

        Where all members of a seed stay (decision 0098), k = 1 would put all waiting
        articles into one story: it takes two seeds at least.
        """
        waiting = self.waiting()
        least = self.settings.minimum
        if len(waiting) < (2 * least if self.all_stay else least):
            return
        groups = [[waiting[row] for row in rows] for rows in self.seed_rows(waiting)]
        stories = len(scores.stories) + len(groups)
        for group, seed in zip(groups, self.seeds(groups, scores), strict=True):
            stay = self.stayers(group, seed, scores, stories)
            if len(stay) >= self.settings.minimum:
                self.found(group, stay)

    def seed_rows(self, waiting: Sequence[Placed]) -> list[list[int]]:
        """Cluster the initial representations E_a|{a} (Sec. 5.2)."""
        articles = list(self.window.values())
        themes = dict(
            zip(self.window, own_themes(articles, self.settings), strict=True)
        )
        vectors = [
            initial_vector(article, themes[article.id], self.settings, self.encoder)
            for article in waiting
        ]
        return seed_groups(unit_rows(vectors), self.settings)

    def seeds(self, groups: Sequence[Sequence[Placed]], scores: Scores) -> list[Themed]:
        """Return each group with its theme; 𝔻 is the live stories and all groups."""
        if not groups:
            return []
        corpora: list[Sequence[Dated]] = [*scores.stories.values(), *groups]
        everyone = list(self.window.values())
        themes = story_themes(corpora, self.settings)[len(scores.stories) :]
        return [
            self.with_theme(self.members(group, theme), theme, everyone)
            for group, theme in zip(groups, themes, strict=True)
        ]

    def members(self, group: Iterable[Placed], theme: Theme) -> list[Member]:
        """Return the group's articles with E_a|C, zero without a keyword (Eq. 2).

        Where all stay, one without a keyword has the vector that no theme changes.
        """
        result: list[Member] = []
        for article in group:
            vector = article_vector(article, theme, self.settings, self.encoder)
            if vector is None and self.all_stay:
                vector = whole_article(article, self.settings, self.encoder)
            if vector is None:
                vector = np.zeros(article.vectors.shape[1])
            result.append(
                Member(article.id, article.pane, article.time, article.terms, vector)
            )
        return result

    def stayers(
        self, group: Sequence[Placed], seed: Themed, scores: Scores, stories: int
    ) -> dict[str, tuple[Pair, RefDecision]]:
        """Return the articles that pass the assignment test against their own seed.

        Live stories count with the similarity they had, other seeds with 0. Where all
        members stay, they stay whatever the test says.
        """
        stay: dict[str, tuple[Pair, RefDecision]] = {}
        for article, member in zip(group, seed.members, strict=True):
            pair = compare(article, seed, self.settings, self.encoder)
            if pair is None and self.all_stay:
                nothing = (0.0,) * len(article.sentences)
                pair = Pair(0.0, 0.0, 0.0, nothing, member.vector)
            if pair is None:
                continue
            pairs = {**scores.of(article.id), "seed": pair}
            decision = judge("seed", pairs, stories, self.settings.temperature)
            sure = is_confident(decision.similarity, decision.log_odds)
            if sure or self.all_stay:
                stay[article.id] = pair, decision
        return stay

    def found(
        self, group: Sequence[Placed], stay: Mapping[str, tuple[Pair, RefDecision]]
    ) -> None:
        """Make those who stay a story with the next id."""
        self.born += 1
        story = f"s{self.born:06d}"
        self.stories[story] = []
        for article in group:
            if article.id in stay:
                pair, decision = stay[article.id]
                self.join(story, article, pair)
                self.decision[article.id] = replace(
                    decision, story=story, best=story, how="seeded"
                )
