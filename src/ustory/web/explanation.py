"""Why an article is where it is, by what was decided and by the engine now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ustory.core.story import LinkDecision, ThemeDecision
from ustory.service.provisional import WindowArticle
from ustory.store.listing import stories_by_id
from ustory.store.results import decisions_of
from ustory.store.slides import slide
from ustory.store.tables import ArticleRow, StoryRow
from ustory.stories.reasons import (
    ReasonPlace,
    Reasons,
    StoryLabel,
    decision_from,
    reasons_of,
)
from ustory.web.models.articles import Explanation, SentenceOut, StoryName
from ustory.web.service import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """An article's decision, in words, and the row that it is about."""

    row: ArticleRow
    place: ReasonPlace
    decision: LinkDecision | ThemeDecision | None
    reasons: Reasons
    stories: Mapping[str, StoryRow]
    """The stories that the decision names, as far as the archive has them."""
    sentences: list[SentenceOut]
    record: dict[str, Any]
    """The newest decision as the archive keeps it."""


def explain(service: Service, row: ArticleRow) -> Explained:
    """Return all that is known; outside the window, what the archive has."""
    now = service.answers.explain(row.id)
    with service.store.read() as connection:
        kept = decisions_of(connection, row.id)
        record = dict(kept[0].record) if kept else {}
        decision = _present(decision_from(record), now)
        stories = stories_by_id(connection, _named(row.story, decision))
        own = slide(connection, row.slide) if row.waiting else None
    place = ReasonPlace(
        story=row.story,
        how=row.how or "waiting",
        at=None if decision is None else decision.decided_at,
        waiting=row.waiting,
        due=own.end if own is not None and own.status == "open" else None,
        copy_of=row.copy_of,
    )
    names = {
        story: StoryLabel(each.headline, each.status, each.keywords)
        for story, each in stories.items()
    }
    terms = None if now is None else now.terms
    return Explained(
        row=row,
        place=place,
        decision=decision,
        reasons=reasons_of(place, decision, names, terms),
        stories=stories,
        sentences=_sentences(now),
        record=record,
    )


def explanation_out(found: Explained, mode: str) -> Explanation:
    """Return an explanation as the API sends it."""
    row, decision = found.row, found.decision
    return Explanation(
        article=row.id,
        title=row.title,
        published_at=row.published_at,
        story=row.story,
        how=found.place.how,
        decided_at=found.place.at,
        waiting=found.place.waiting,
        due_at=found.place.due,
        best=decision.best if decision else None,
        runner_up=decision.runner_up if decision else None,
        margin=decision.margin if decision else 0.0,
        log_odds=decision.log_odds if decision else 0.0,
        **_of_mode(decision, mode),
        keywords=dict(decision.keywords) if decision else {},
        stories=[
            StoryName(id=name, headline=each.headline, status=each.status)
            for name, each in found.stories.items()
        ],
        reasons=found.reasons.texts,
        sentences=found.sentences,
        decision=found.record,
    )


def _of_mode(
    decision: LinkDecision | ThemeDecision | None, mode: str
) -> dict[str, Any]:
    """Return the fields that only one mode has; those of the other are None."""
    links = decision if isinstance(decision, LinkDecision) else None
    theme = decision if isinstance(decision, ThemeDecision) else None
    linked = theme is None and (links is not None or mode == "links")
    evidence = dict(links.evidence) if links else {}
    return {
        "links": dict(links.links) if links else {},
        "probability": (links.probability if links else 0.0) if linked else None,
        "evidence": evidence if linked else None,
        "words": evidence.get("words", 0.0) if linked else None,
        "meaning": evidence.get("meaning", 0.0) if linked else None,
        "similarity": None if linked else theme.similarity if theme else 0.0,
        "cosine": None if linked else theme.cosine if theme else 0.0,
        "divergence": None if linked else theme.divergence if theme else 0.0,
    }


def _present(
    stored: LinkDecision | ThemeDecision | None, now: WindowArticle | None
) -> LinkDecision | ThemeDecision | None:
    """Return a stored decision with the keywords and sentences of the story now.

    For an article that waits, every slide decides again: the engine has the newest.
    """
    if now is None or stored is None or now.decision.story is None:
        return stored if now is None else now.decision
    return replace(
        stored,
        keywords=now.decision.keywords or stored.keywords,
        weights=now.decision.weights or stored.weights,
    )


def _named(
    story: str | None, decision: LinkDecision | ThemeDecision | None
) -> list[str]:
    more: Iterable[str | None] = (
        () if decision is None else (decision.best, decision.runner_up)
    )
    return list(dict.fromkeys(each for each in (story, *more) if each))


def _sentences(now: WindowArticle | None) -> list[SentenceOut]:
    if now is None:
        return []
    weights = now.decision.weights or (0.0,) * len(now.sentences)
    return [
        SentenceOut(number=number, text=text, weight=round(weight, 6))
        for number, (text, weight) in enumerate(
            zip(now.sentences, weights, strict=False)
        )
    ]
