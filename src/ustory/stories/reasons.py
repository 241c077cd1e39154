"""Why an article is where it is, in words: once, for command, API and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from ustory.core.evidence import reason_of
from ustory.core.story import LinkDecision, ThemeDecision
from ustory.core.wording import exact, listed, many, percent

MAX_NAMED_KEYWORDS = 10

_HOW = {"seeded": "It helped to start", "moved": "It was moved to"}
_NEVER = {
    "late": "It is in no story: it was older than the window when it arrived.",
    "wordless": "It is in no story: it has no sentence.",
    "set-aside": "It is in no story: it is set aside.",
}
"""Why an article will never be in a story, by `how`."""


@dataclass(frozen=True, slots=True)
class StoryLabel:
    """How sentences call a story."""

    headline: str = ""
    status: str = "live"
    keywords: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ReasonPlace:
    """Where an article is, since when, and what else is known about its place."""

    story: str | None
    how: str
    at: datetime | None = None
    """End of the slide that put it there."""
    waiting: bool = False
    """Whether its slide is still to come."""
    due: datetime | None = None
    """When that slide ends; None if it is over and being computed."""
    copy_of: str | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that may name a story, so that a page can link it.

    `str` gives it as text, followed by its numbers.
    """

    words: str
    story: str | None = None
    name: StoryLabel = StoryLabel()
    after: str = ""
    """What follows the name of the story."""
    numbers: str = ""
    """The same in numbers, for readers who see no table of them."""

    def __str__(self) -> str:
        parts = [self.words]
        if self.story is not None:
            named = f", “{self.name.headline}”" if self.name.headline else ""
            since = "" if self.name.status == "live" else f" (since {self.name.status})"
            parts.append(f"story {self.story}{named}{since}")
        text = f"{' '.join(parts)}{self.after}"
        return f"{text} {self.numbers}" if self.numbers else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """A decision in sentences."""

    place: Sequence[Sentence]
    notes: Sequence[Sentence] = ()
    evidence: Sequence[Sentence] = ()
    """What makes the closest story likely."""
    rival: Sequence[Sentence] = ()
    """Which story comes next, and why it is not that one."""

    @property
    def texts(self) -> list[str]:
        """All sentences as text."""
        every = (*self.place, *self.notes, *self.evidence, *self.rival)
        return [str(each) for each in every]


def reasons_of(
    place: ReasonPlace,
    decision: LinkDecision | ThemeDecision | None,
    names: Mapping[str, StoryLabel],
    terms: frozenset[str] | None = None,
) -> Reasons:
    """Return where an article is, what speaks for it, and which story comes next.

    `names` has the stories of the decision that are known, `terms` the words of the
    article, if it is still in the window.
    """
    if place.how in _NEVER:
        return Reasons(place=[Sentence(_NEVER[place.how])])
    located = [_located(place, names)]
    notes = []
    if place.copy_of is not None:
        notes.append(Sentence(f"Its text is a copy of article {place.copy_of}."))
    if place.waiting or decision is None or decision.best is None:
        lonely = place.story is None and decision is not None and not place.waiting
        evidence = [_alone(decision)] if lonely else []
        return Reasons(place=located, notes=notes, evidence=evidence)
    if place.story is None:
        located.append(_naming("Closest is", decision.best, names, "."))
    here = "this story" if place.story == decision.best else "that story"
    if isinstance(decision, LinkDecision):
        evidence, rival = (
            _by_links(decision, here, place),
            _next_linked(decision, names),
        )
    else:
        evidence, rival = _by_theme(decision, here), _next_theme(decision, names)
    if decision.keywords:
        evidence.append(_keywords(decision.keywords))
    shared = _shared(decision.best, decision.runner_up, names, terms)
    return Reasons(
        place=located, notes=notes, evidence=evidence, rival=[rival, *shared]
    )


def decision_from(record: Mapping[str, Any]) -> LinkDecision | ThemeDecision | None:
    """Return a decision that the archive keeps as a table; None if it has only a place.

    An article that moved with its whole story has no decision of its own.
    """
    if not isinstance(record.get("decided_at"), str):
        return None
    kind = ThemeDecision if "cosine" in record else LinkDecision
    names = {each.name for each in fields(kind)}
    values = {k: v for k, v in record.items() if k in names and v is not None}
    values["decided_at"] = datetime.fromisoformat(record["decided_at"])
    values["weights"] = tuple(record.get("weights") or ())
    return kind(**{"story": None, **values})


def _naming(
    words: str, story: str, names: Mapping[str, StoryLabel], after: str
) -> Sentence:
    return Sentence(words, story, names.get(story, StoryLabel()), after)


def _located(place: ReasonPlace, names: Mapping[str, StoryLabel]) -> Sentence:
    when = f" the slide that ended {exact(place.at)}" if place.at else ""
    if place.story is not None:
        how = _HOW.get(place.how, "It joined")
        return _naming(how, place.story, names, f" in{when}." if when else ".")
    if place.waiting:
        return Sentence(_waits(place))
    asof = f", as of{when}" if when else ""
    return Sentence(
        f"It is in no story yet{asof}. Every slide tries again while it is in the "
        "window."
    )


def _waits(place: ReasonPlace) -> str:
    """Return that an article waits: no story was compared with it yet."""
    ends = "or is being computed now"
    if place.due is not None:
        ends = f"and ends {exact(place.due)}"
    return f"It waits: its slide is still to come {ends}. No story was looked at yet."


def _alone(decision: LinkDecision | ThemeDecision | None) -> Sentence:
    if isinstance(decision, ThemeDecision):
        if not decision.stories:
            return Sentence("There was no story to compare it with.")
        count = decision.stories
        return Sentence(
            f"None of the {count} live stories has a theme keyword in common with it."
        )
    return Sentence("No article of the window is linked with it.")


def _by_links(decision: LinkDecision, here: str, place: ReasonPlace) -> list[Sentence]:
    links = decision.links
    by = f", by its {many(len(links), 'link')} with articles of it" if links else ""
    enough = "" if place.story else "; that was not enough to join"
    linked = [f"{article} ({percent(p)})" for article, p in links.items()]
    found = [
        Sentence(
            f"It {_likely(decision.probability)} belongs to {here}{by}{enough}.",
            numbers=f"The probability is {percent(decision.probability)}"
            + (f"; linked articles: {', '.join(linked)}." if linked else "."),
        )
    ]
    if links and decision.evidence:
        words = [str(reason_of(name, odds)) for name, odds in decision.evidence.items()]
        odds = [f"{name} {odds:+.1f}" for name, odds in decision.evidence.items()]
        numbers = f"In log-odds: {', '.join(odds)}."
        found.append(Sentence(f"This is {listed(words)}.", numbers=numbers))
    return found


def _by_theme(decision: ThemeDecision, here: str) -> list[Sentence]:
    odds, cosine, balance = decision.log_odds, decision.cosine, decision.divergence
    stories = many(decision.stories, "story", "stories")
    return [
        Sentence(
            f"{here.capitalize()} is the most similar of {stories}: the sentences on "
            f"its theme are {_near(cosine)} in meaning, and its keywords are "
            f"{_balanced(balance)}.",
            numbers=f"The similarity is {decision.similarity:.2f} = {cosine:.2f} "
            f"(meaning of the sentences on the theme) × {balance:.2f} (balance of the "
            "theme's keywords).",
        ),
        Sentence(
            f"That {_passes(odds)} the bar for joining.",
            numbers=f"ln(conf/γ) is {odds:+.2f}, and an article joins from 0 upwards.",
        ),
    ]


def _next_linked(decision: LinkDecision, names: Mapping[str, StoryLabel]) -> Sentence:
    if decision.runner_up is None:
        return Sentence("No other story has an article that is linked with it.")
    best = decision.probability
    compared = f"{percent(best - decision.margin)} against {percent(best)}"
    return _next(decision.runner_up, compared, decision.margin, names)


def _next_theme(decision: ThemeDecision, names: Mapping[str, StoryLabel]) -> Sentence:
    if decision.runner_up is None:
        return Sentence("No other story has a theme keyword in common with it.")
    best = decision.similarity
    compared = f"a similarity of {best - decision.margin:.2f} against {best:.2f}"
    return _next(decision.runner_up, compared, decision.margin, names)


def _next(
    story: str, compared: str, margin: float, names: Mapping[str, StoryLabel]
) -> Sentence:
    after = f": {compared}, {_lead(margin)} behind."
    if margin < 0:  # stories are made of all links, not of this article's alone
        after = (
            f": {compared}. By itself it could belong to either; the links between all "
            "articles put it here."
        )
    return _naming("Next is", story, names, after)


def _keywords(counts: Mapping[str, int]) -> Sentence:
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    words = listed([f"{word} ({counts[word]})" for word in ranked[:MAX_NAMED_KEYWORDS]])
    most = ", most often" if len(ranked) > MAX_NAMED_KEYWORDS else ":"
    return Sentence(f"It has {len(ranked)} of the story's keywords{most} {words}.")


def _shared(
    best: str,
    rival: str | None,
    names: Mapping[str, StoryLabel],
    terms: frozenset[str] | None,
) -> list[Sentence]:
    """Compare the keywords of two stories that the article has, if both are known."""
    if terms is None or rival is None or best not in names or rival not in names:
        return []
    own, other = ([w for w in names[s].keywords if w in terms] for s in (best, rival))
    if not other:
        return [Sentence("It has none of that story's keywords.")]
    words = listed([f"“{word}”" for word in other[:3]])
    return [
        Sentence(
            f"It has {len(other)} of that story's keywords, such as {words}, and "
            f"{len(own)} of this one's."
        )
    ]


def _likely(share: float) -> str:
    if share >= 0.9:
        return "almost certainly"
    if share >= 0.6:
        return "very likely"
    return "likely" if share >= 0.3 else "possibly"


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
