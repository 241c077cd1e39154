"""Why an article is where it is, in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ustory.core.evidence import reason_of
from ustory.store.tables import ArticleRow
from ustory.web.models.articles import StoryName

_HOW = {"seeded": "helped to start", "assigned": "joined", "moved": "was moved to"}
_NOWHERE = {
    "late": "It is in no story: it was older than the window when it came in.",
    "wordless": "It is in no story: there was no sentence to read in it.",
    "set-aside": "It is in no story: it is set aside.",
}
_WAITS = "Its slide is still to come; until then its story is a guess."
_ALONE = "It is in no story yet: no other article is likely to tell the same one."
_SHOWN = 8


def reasons(
    row: ArticleRow, record: Mapping[str, Any], names: Mapping[str, StoryName]
) -> list[str]:
    """Return sentences: where it is, what speaks for it, and what comes next."""
    if row.how in _NOWHERE:
        return [_NOWHERE[row.how]]
    told = [_WAITS] if row.waiting and row.story is None else [_place(row, names)]
    if row.copy_of is not None:
        told.append(f"Its text is a copy of article {row.copy_of}.")
    if record.get("best"):
        told += _evidence(row, record, names)
    return told


def _place(row: ArticleRow, names: Mapping[str, StoryName]) -> str:
    if row.story is None:
        return _ALONE
    return f"It {_HOW.get(row.how, 'is in')} {_name(row.story, names)}."


def _evidence(
    row: ArticleRow, record: Mapping[str, Any], names: Mapping[str, StoryName]
) -> list[str]:
    whose = (
        "this story" if row.story == record["best"] else _name(record["best"], names)
    )
    told = _by_theme(record, whose) if "cosine" in record else _by_links(record, whose)
    keywords = record.get("keywords") or {}
    if keywords:
        ranked = sorted(keywords, key=lambda word: (-keywords[word], word))
        told.append(f"It has these keywords of it: {', '.join(ranked[:_SHOWN])}.")
    if record.get("runner_up"):
        told.append(f"Next is {_name(record['runner_up'], names)}, {_behind(record)}.")
    return told


def _by_links(record: Mapping[str, Any], whose: str) -> list[str]:
    likely = (
        f"It is of {whose} with a probability of {record.get('probability', 0):.0%}"
    )
    links = record.get("links") or {}
    told = [
        f"{likely}." if not links else f"{likely}, by its links with {_links(links)}."
    ]
    evidence = record.get("evidence") or {}
    if links and evidence:
        parts = [str(reason_of(name, odds)) for name, odds in evidence.items()]
        told.append(f"This is {', '.join(parts)}.")
    return told


def _by_theme(record: Mapping[str, Any], whose: str) -> list[str]:
    similar, cosine, balance = (
        float(record.get(name) or 0) for name in ("similarity", "cosine", "divergence")
    )
    bar = "passes" if (record.get("log_odds") or 0) >= 0 else "misses"
    return [
        f"Of {record.get('stories') or 0} stories {whose} is the most similar: "
        f"{similar:.2f} = {cosine:.2f} (meaning of the sentences on the theme) × "
        f"{balance:.2f} (balance of the theme's keywords).",
        f"That {bar} the bar for joining.",
    ]


def _behind(record: Mapping[str, Any]) -> str:
    """Return how close the runner-up is, in the measure of the mode."""
    margin = record.get("margin") or 0
    if "cosine" in record:
        return f"with a similarity of {(record.get('similarity') or 0) - margin:.2f}"
    return f"with {(record.get('probability') or 0) - margin:.0%}"


def _name(story: str, names: Mapping[str, StoryName]) -> str:
    known = names.get(story)
    if known is None or not known.headline:
        return f"story {story}"
    ended = "" if known.status == "live" else f" (since {known.status})"
    return f"story {story}, “{known.headline}”{ended}"


def _links(links: Mapping[str, float]) -> str:
    return ", ".join(f"{article} ({p:.0%})" for article, p in links.items())
