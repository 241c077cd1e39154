"""Why an article is where it is, from what was decided and from the engine now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ustory.core.story import Decision, LinkDecision, ThemeDecision
from ustory.service.to_json import plain
from ustory.store.listing import stories_by_id
from ustory.store.results import decisions_of
from ustory.store.tables import ArticleRow
from ustory.web.models.articles import Explanation, SentenceOut, StoryName
from ustory.web.reasons import reasons
from ustory.web.service import Service


def explain(service: Service, row: ArticleRow) -> Explanation:
    """Return all there is to say; of articles outside the window, what is kept."""
    with service.store.read() as connection:
        kept = decisions_of(connection, row.id)
    record = dict(kept[0].record) if kept else {}
    now = service.answers.explain(row.id)
    shown = {**record, **_of_theme(now)}
    names = _names(service, shown)
    return Explanation(
        article=row.id,
        title=row.title,
        published_at=row.published_at,
        story=row.story,
        how=row.how or "waiting",
        decided_at=_moment(shown.get("decided_at")),
        best=shown.get("best"),
        runner_up=shown.get("runner_up"),
        margin=_number(shown, "margin"),
        log_odds=_number(shown, "log_odds"),
        **_of_mode(shown, service.loop.settings.mode),
        keywords=dict(shown.get("keywords") or {}),
        links=dict(shown.get("links") or {}),
        stories=names,
        reasons=reasons(row, shown, {name.id: name for name in names}),
        sentences=_sentences(service, row.id, now),
        decision=record,
    )


def _of_mode(record: Mapping[str, Any], mode: str) -> dict[str, Any]:
    """Return the fields that only one mode has; those of the other are None."""
    links = mode == "links"
    evidence = dict(record.get("evidence") or {})
    theme = ("similarity", "cosine", "divergence")
    return {
        "probability": _number(record, "probability") if links else None,
        "evidence": evidence if links else None,
        "words": _number(evidence, "words") if links else None,
        "meaning": _number(evidence, "meaning") if links else None,
        **{name: None if links else _number(record, name) for name in theme},
    }


def _of_theme(decision: LinkDecision | ThemeDecision | None) -> dict[str, Any]:
    """Return what only the engine knows: keywords and sentences of the theme now."""
    if decision is None:
        return {}
    found = {"keywords": decision.keywords, "weights": decision.weights}
    values: dict[str, Any] = plain({k: v for k, v in found.items() if v})
    if decision.story is None:  # an article that waits is asked about anew
        values = plain(asdict(decision)) | values
    return values


def _sentences(
    service: Service, article: str, decision: Decision | None
) -> list[SentenceOut]:
    record = service.loop.state.records.get(article)
    if record is None or decision is None:
        return []
    weights = decision.weights or (0.0,) * len(record.sentences)
    return [
        SentenceOut(number=number, text=text, weight=round(weight, 6))
        for number, (text, weight) in enumerate(
            zip(record.sentences, weights, strict=False)
        )
    ]


def _names(service: Service, record: Mapping[str, Any]) -> list[StoryName]:
    ids = [record.get(name) for name in ("story", "best", "runner_up")]
    wanted = list(dict.fromkeys(str(each) for each in ids if each))
    with service.store.read() as connection:
        rows = stories_by_id(connection, wanted)
    return [
        StoryName(id=name, headline=rows[name].headline, status=rows[name].status)
        for name in wanted
        if name in rows
    ]


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _number(record: Mapping[str, Any], name: str) -> float:
    value = record.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
