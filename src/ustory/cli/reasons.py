"""Why an article is where it is, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ustory.cli.link_reasons import link_reasons
from ustory.core.settings import Settings
from ustory.core.story import LinkDecision, ThemeDecision
from ustory.core.wording import many, utc_text
from ustory.engine.state import Record

_SHOWN = 3  # most and least relevant sentences, as in the paper's Table 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """An article, the decision on it, and the stories that the decision may name."""

    article: Record
    decision: LinkDecision | ThemeDecision
    live: Mapping[str, str]
    """Headlines of the live stories, by id."""
    gone: Mapping[str, str]
    """Those of stories that have expired."""
    settings: Settings

    def reasons(self) -> list[str]:
        """Return the decision as sentences for people."""
        decision = self.decision
        if isinstance(decision, LinkDecision):
            return link_reasons(decision, self._name)
        if decision.best is None:
            return [*self._place(), *self._alone()]
        return [
            *self._place(),
            *self._closeness(decision),
            *_bar(decision.log_odds),
            *self._rival(decision),
        ]

    def sentences(self) -> tuple[list[int], list[int]]:
        """Return the numbers of the most and of the least relevant sentences.

        Both by falling weight; no sentence is in both. Empty without weights.
        """
        weights = self.decision.weights
        ranked = sorted(range(len(weights)), key=lambda n: (-weights[n], n))
        most = min(_SHOWN, -(-len(ranked) // 2))
        least = min(_SHOWN, len(ranked) - most)
        return ranked[:most], ranked[len(ranked) - least :]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        decision, article = self.decision, self.article
        weights = decision.weights or (0.0,) * len(article.sentences)
        return {
            "article": article.id,
            "title": article.title,
            "published_at": utc_text(article.published_at),
            "story": decision.story,
            "how": decision.how,
            "decided_at": utc_text(decision.decided_at),
            "best": decision.best,
            "runner_up": decision.runner_up,
            "margin": decision.margin,
            "confidence": decision.confidence,
            "log_odds": decision.log_odds,
            "stories": decision.stories,
            "keywords": dict(decision.keywords),
            **_of_mode(decision),
            "reasons": self.reasons(),
            "sentences": [
                {"number": number, "weight": weight, "text": text}
                for number, (weight, text) in enumerate(
                    zip(weights, article.sentences, strict=True)
                )
            ],
        }

    def _place(self) -> list[str]:
        decision = self.decision
        when = utc_text(decision.decided_at)
        if decision.how == "waiting":
            return [
                f"No story has it yet, as of the slide that ended {when}. While it is "
                "in the window, every slide asks again."
            ]
        how = "helped to start" if decision.how == "seeded" else "joined"
        story = self._name(decision.story or "")
        return [f"It {how} {story} in the slide that ended {when}."]

    def _alone(self) -> list[str]:
        if not self.decision.stories:
            return ["There was no story to compare it with."]
        return [
            f"None of the {self.decision.stories} live stories has a theme keyword in "
            "common with it."
        ]

    def _closeness(self, decision: ThemeDecision) -> list[str]:
        whose = "this story" if decision.story else self._name(decision.best or "")
        shared = len(decision.keywords)
        words = ", ".join(
            f"{word} ({count})" for word, count in _by_count(decision.keywords)
        )
        what = f"It shares {shared} of the {self.settings.keywords} theme keywords"
        return [
            f"Of {many(decision.stories, 'story', 'stories')}, {whose} is the most "
            f"similar: {decision.similarity:.2f} = {decision.cosine:.2f} (meaning of "
            f"the sentences on the theme) × {decision.divergence:.2f} (balance of the "
            "theme's keywords).",
            f"{what}: {words}." if shared else f"{what}.",
        ]

    def _rival(self, decision: ThemeDecision) -> list[str]:
        if decision.runner_up is None:
            return ["No other story has a theme keyword in common with it."]
        margin = decision.margin
        return [
            f"Next is {self._name(decision.runner_up)}, with a similarity of "
            f"{decision.similarity - margin:.2f}: {_lead(margin)} behind, by "
            f"{margin:.2f}."
        ]

    def _name(self, story: str) -> str:
        headline = self.live.get(story) or self.gone.get(story)
        name = f"story {story}, “{headline}”" if headline else f"story {story}"
        return name if story in self.live else f"{name} (since expired)"


def _of_mode(decision: LinkDecision | ThemeDecision) -> dict[str, Any]:
    """Return the fields that only decisions of this mode have."""
    if isinstance(decision, LinkDecision):
        return {
            "probability": decision.probability,
            "evidence": dict(decision.evidence),
            "links": dict(decision.links),
        }
    return {
        "similarity": decision.similarity,
        "cosine": decision.cosine,
        "divergence": decision.divergence,
    }


def _by_count(keywords: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(keywords.items(), key=lambda pair: (-pair[1], pair[0]))


def _bar(odds: float) -> list[str]:
    return [
        f"That {_verdict(odds)} the bar for joining: ln(conf/γ) is {odds:+.2f}, "
        "and an article joins from 0 upwards."
    ]


def _verdict(odds: float) -> str:
    size = "just " if abs(odds) < 0.1 else "clearly " if abs(odds) >= 0.5 else ""
    return f"{size}passes" if odds >= 0 else f"{size}misses"


def _lead(margin: float) -> str:
    return "close" if margin < 0.05 else "far" if margin >= 0.3 else "clearly"
