"""Page furniture as it is told: sentences as text, and every pair of them read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.reference.records import Terms, place
from ustory.core.article import PreparedArticle
from ustory.links.furniture import LEAST_TERMS, MAX_COMPARED, SEEN, SHARE, UNLIKE
from ustory.links.sentence_terms import PHRASE

Key = tuple[str, str]
"""An outlet, and a sentence or a phrase's pair of words."""


@dataclass
class Page:
    """An article: its outlet, what its sentences are known by, and their terms."""

    outlet: str
    keys: list[str]
    sentences: list[Terms]

    def terms(self, gone: Sequence[bool]) -> Terms:
        """Return how often each term is in the sentences that are not gone."""
        found: Terms = {}
        for out, sentence in zip(gone, self.sentences, strict=True):
            for term, count in sentence.items():
                found[term] = found.get(term, 0) + count * (not out)
        return {term: count for term, count in found.items() if count}


@dataclass
class Votes:
    """How often each key was shared by pairs of unlike and of like articles."""

    unlike: dict[Key, int] = field(default_factory=dict)
    like: dict[Key, int] = field(default_factory=dict)

    def add(self, key: Key, is_unlike: bool) -> None:
        """Count a pair."""
        for votes, one in ((self.unlike, is_unlike), (self.like, not is_unlike)):
            votes[key] = votes.get(key, 0) + one

    @property
    def known(self) -> set[Key]:
        """What is furniture."""
        return {
            key
            for key, unlike in self.unlike.items()
            if unlike >= SEEN and unlike >= SHARE * (unlike + self.like[key])
        }


def page(prepared: PreparedArticle) -> Page:
    """Return an article as it is read for furniture."""
    keys = [
        "".join(c for c in sentence if c not in "0123456789")
        for sentence in prepared.sentences
    ]
    outlet = (prepared.article.source or "").strip().casefold()
    return Page(outlet, keys, [dict(s) for s in place(prepared, 0, 0.0).counts])


def is_pair(term: str) -> bool:
    """Say whether a term is two words."""
    return " " in term


class FurnitureReference:
    """What is known of the pages of outlets; `window` holds cleaned articles."""

    def __init__(self) -> None:
        self.sentences, self.phrases = Votes(), Votes()
        self.window: list[Page] = []

    def advance(self, new: Sequence[Page], idf: Mapping[str, float]) -> None:
        """Learn from new articles, then keep them without what is furniture."""
        known = self.sentences.known
        pages = [*self.window, *new]
        for row in range(len(self.window), len(pages)):
            for one in self._before(row, pages, known):
                self._vote(pages[one], pages[row], known, idf)
        self.window += [self.cleaned(each) for each in new]

    def _before(self, row: int, pages: Sequence[Page], known: set[Key]) -> list[int]:
        mine = pages[row]
        found = set()
        for key in (None, *mine.keys):
            if not mine.outlet or key == "" or (mine.outlet, key) in known:
                continue
            found.update(
                [
                    one
                    for one in range(row)
                    if pages[one].outlet == mine.outlet
                    and (key is None or key in pages[one].keys)
                ][-1:]
            )
        return sorted(found)[-MAX_COMPARED:]

    def _vote(
        self, one: Page, other: Page, known: set[Key], idf: Mapping[str, float]
    ) -> None:
        outlet = other.outlet
        shared = {
            key
            for key in {*one.keys} & {*other.keys}
            if key and (outlet, key) not in known
        }
        phrase, first, second = _phrases(one, other)
        if not shared and not phrase:
            return
        rest = []
        for each, marked in ((one, first), (other, second)):
            gone = [
                i in marked or key in shared or (outlet, key) in known
                for i, key in enumerate(each.keys)
            ]
            rest.append(each.terms(gone))
        if min(sum(terms.values()) for terms in rest) < LEAST_TERMS:
            return
        unlike = _cosine(rest[0], rest[1], idf) < UNLIKE
        for key in shared:
            self.sentences.add((outlet, key), unlike)
        for key in phrase:
            self.phrases.add((outlet, key), unlike)

    def cleaned(self, each: Page) -> Page:
        """Return an article without what is known to be furniture."""
        sentences, phrases = self.sentences.known, self.phrases.known
        left = []
        for key, terms in zip(each.keys, each.sentences, strict=True):
            pairs = {t for t in terms if is_pair(t) and (each.outlet, t) in phrases}
            gone = set(pairs) | {word for pair in pairs for word in pair.split(" ")}
            if len(pairs) < PHRASE:
                gone = set()
            if each.outlet and (each.outlet, key) in sentences:
                gone = set(terms)
            left.append({t: n for t, n in terms.items() if t not in gone})
        return Page(each.outlet, each.keys, left)


def _phrases(one: Page, other: Page) -> tuple[set[str], set[int], set[int]]:
    """Return the pairs of words of common phrases, and the sentences of both."""
    found: tuple[set[str], set[int], set[int]] = (set(), set(), set())
    for i, mine in enumerate(one.sentences):
        for j, theirs in enumerate(other.sentences):
            both = {t for t in mine if t in theirs and is_pair(t)}
            if len(both) >= PHRASE:
                for each, more in zip(found, (both, {i}, {j}), strict=True):
                    each |= more  # type: ignore[operator]
    return found


def _cosine(one: Terms, other: Terms, idf: Mapping[str, float]) -> float:
    weights = [
        {term: (1 + math.log(tf)) * idf[term] for term, tf in terms.items()}
        for terms in (one, other)
    ]
    product = sum(w * weights[1].get(term, 0.0) for term, w in weights[0].items())
    lengths = [math.sqrt(sum(w * w for w in each.values())) for each in weights]
    return product / max(lengths[0] * lengths[1], 1e-12)
