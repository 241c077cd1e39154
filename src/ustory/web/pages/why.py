"""Why an article is where it is: in words first, in numbers second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ustory.core.evidence import reason_of
from ustory.core.wording import listed, many, percent
from ustory.web.models.articles import Explanation
from ustory.web.pages.formatting import Said, exact

_NOWHERE = {
    "late": "It is in no story: it was older than the window when it came in.",
    "wordless": "It is in no story: there was no sentence to read in it.",
    "set-aside": "It is in no story: it is set aside.",
    "waiting": "It is in no story yet. Every slide asks again while it is in the "
    "window.",
}
_SETTLED = ("late", "wordless", "set-aside")
_HOW = {"seeded": "It helped to start", "moved": "It was moved to"}
_STRONGEST = 6.0
"""Log-odds that fill a bar."""
_NAMED = 3
_ALONE = "No story has anything in common with it that would count."


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, what it is called, and what it means."""

    name: str
    value: str
    meaning: str
    bar: float | None = None
    """Where it stands between -1, all against, and 1, all for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """What a page says about a decision."""

    place: Sequence[Said]
    here: Sequence[str]
    rival: Sequence[Said]
    figures: Sequence[Figure]
    keywords: Sequence[tuple[str, int]]


def why(found: Explanation, mode: str, shared: str = "") -> Why:
    """Return what to say; `shared` is a sentence on the keywords of the runner-up."""
    ranked = sorted(found.keywords.items(), key=lambda pair: (-pair[1], pair[0]))
    place = _place(found)
    if found.best is None:
        alone = [] if found.story or found.how in _SETTLED else [_ALONE]
        return Why(place=place, here=alone, rival=[], figures=[], keywords=ranked)
    here, figures = (_links if mode == "links" else _theme)(found)
    if ranked:
        here.append(_keywords([word for word, _ in ranked]))
    return Why(
        place=place,
        here=here,
        rival=[_rival(found, mode), *([Said(shared)] if shared else [])],
        figures=[*figures, *_compared(found.decision)],
        keywords=ranked,
    )


def _place(found: Explanation) -> list[Said]:
    at = found.decided_at
    when = f" in the slide that ended {exact(at)}." if at else "."
    if found.story is not None:
        how = _HOW.get(found.how, "It joined")
        return [Said(how, found.story, _headline(found, found.story), when)]
    told = [Said(_NOWHERE.get(found.how, _NOWHERE["waiting"]))]
    if found.best is not None:
        told.append(Said("Closest is", found.best, _headline(found, found.best), "."))
    return told


def _links(found: Explanation) -> tuple[list[str], list[Figure]]:
    """Speak of links: how likely articles tell one story, by words and by meaning."""
    sure, count = found.probability or 0.0, len(found.links)
    story = "this story" if found.story == found.best else "that story"
    linked = f", by its {many(count, 'link')} with articles of it" if count else ""
    enough = "" if found.story else "; that was not enough to join"
    here = [f"It {_likely(sure)} tells {story}{linked}{enough}."]
    likely = Figure("Probability", percent(sure), f"that it is of {story}")
    evidence = found.evidence or {}
    if not count or not evidence:
        return here, [likely]
    subjects = {n: reason_of(n, odds).parameters for n, odds in evidence.items()}
    said = [
        f"{_speaks(odds)} by {subjects[name].get('subject', name)}"
        for name, odds in evidence.items()
    ]
    here.append(f"This {listed(said)}.")
    return here, [likely, *(_odds(f"By {n}", odds) for n, odds in evidence.items())]


def _theme(found: Explanation) -> tuple[list[str], list[Figure]]:
    """Speak of themes, as the paper does: meaning times the balance of keywords."""
    similar, cosine, balance = _theme_numbers(found)
    odds = found.log_odds
    whose = "This story" if found.story else "That story"
    stories = many(_count(found.decision), "story", "stories")
    here = [
        f"{whose} is the most similar of {stories}: "
        f"the sentences on its theme are {_near(cosine)} in meaning, and its "
        f"keywords are {_balanced(balance)}.",
        f"That {_passes(odds)} the bar for joining.",
    ]
    sentences, keywords = "cosine of the sentences on the theme", "balance of keywords"
    figures = [
        Figure("Similarity", f"{similar:.2f}", "meaning × words, from 0 to 1"),
        Figure("By meaning", f"{cosine:.2f}", sentences, cosine),
        Figure("By words", f"{balance:.2f}", keywords, balance),
        Figure("Above the bar", f"{odds:+.2f}", "ln(conf/γ): it joins from 0 upwards"),
    ]
    return here, figures


def _theme_numbers(found: Explanation) -> tuple[float, float, float]:
    return found.similarity or 0.0, found.cosine or 0.0, found.divergence or 0.0


def _rival(found: Explanation, mode: str) -> Said:
    if found.runner_up is None:
        return Said("No other story came into question.")
    if mode == "links":
        best = found.probability or 0.0
        told = f"{percent(best - found.margin)} against {percent(best)}"
    else:
        best = found.similarity or 0.0
        told = f"a similarity of {best - found.margin:.2f} against {best:.2f}"
    after = f": {told}, {_lead(found.margin)} behind."
    if found.margin < 0:  # stories are made of all links, not of this article's alone
        after = f": {told}. By itself it could be of either; how all articles hang "
        after += "together put it here."
    return Said("Next is", found.runner_up, _headline(found, found.runner_up), after)


def shared_words(
    own: frozenset[str], keywords: Mapping[str, Sequence[str]], best: str, rival: str
) -> str:
    """Return how many keywords an article shares with two stories, in a sentence."""
    ours = [word for word in keywords.get(best, ()) if word in own]
    theirs = [word for word in keywords.get(rival, ()) if word in own]
    if not theirs:
        return "It has none of that story's keywords."
    words = listed([f"“{word}”" for word in theirs[:_NAMED]])
    return (
        f"It has {len(theirs)} of that story's keywords, such as {words}, and "
        f"{len(ours)} of this one's."
    )


def _keywords(words: Sequence[str]) -> str:
    some = listed([f"“{word}”" for word in words[:_NAMED]])
    if len(words) <= _NAMED:
        return f"Of the story's keywords it has {some}."
    return f"It has {len(words)} of the story's keywords, {some} among them."


def _compared(record: Mapping[str, Any]) -> list[Figure]:
    margin, stories = record.get("margin"), _count(record)
    found = []
    if isinstance(margin, int | float) and record.get("runner_up"):
        found.append(Figure("Lead", f"{margin:.2f}", "over the runner-up"))
    if stories:
        found.append(Figure("Stories", f"{stories:,}", "that were live then"))
    return found


def _odds(name: str, value: float) -> Figure:
    bar = max(-1.0, min(1.0, value / _STRONGEST))
    return Figure(name, f"{value:+.1f}", "log-odds: above 0 speaks for it", bar)


def _headline(found: Explanation, story: str) -> str:
    return next((s.headline for s in found.stories if s.id == story), "")


def _likely(share: float) -> str:
    if share >= 0.9:
        return "almost certainly"
    if share >= 0.6:
        return "very likely"
    return "likely" if share >= 0.3 else "possibly"


def _speaks(odds: float) -> str:
    if odds >= 3:
        return "speaks clearly for it"
    if odds >= 0:
        return "speaks for it"
    return "leaves it open" if odds > -1 else "speaks against it"


def _near(cosine: float) -> str:
    return "near" if cosine >= 0.7 else "fairly near" if cosine >= 0.4 else "far"


def _balanced(share: float) -> str:
    if share >= 0.7:
        return "used much as the story uses them"
    return "used somewhat as the story does" if share >= 0.4 else "used differently"


def _passes(odds: float) -> str:
    size = "just " if abs(odds) < 0.1 else "clearly " if abs(odds) >= 0.5 else ""
    return f"{size}passes" if odds >= 0 else f"{size}misses"


def _lead(margin: float) -> str:
    return "close" if margin < 0.05 else "far" if margin >= 0.3 else "clearly"


def _number(record: Mapping[str, Any], name: str) -> float:
    value = record.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _count(record: Mapping[str, Any]) -> int:
    return int(_number(record, "stories"))
