"""Stories that have left the window, bounded, with an index over their terms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from ustory.core.arrays import Vector
from ustory.core.rules import Keyed, Rule
from ustory.links.article import LinkedArticle
from ustory.links.profile import Profile, profile_of
from ustory.links.term_index import TermIndex
from ustory.window.vocabulary import Vocabulary

MOST = 5_000
"""Profiles that are kept; at about 5 kB each, 25 MB."""


class Archive:
    """The profiles of stories whose articles have left the window, some or all.

    It never changes: keeping and forgetting make a new one. The story that was
    seen last longest ago is the first to be forgotten.
    """

    COLUMNS: ClassVar = {"profiles": Mapping[str, Profile]}
    """What a snapshot writes down; the index follows from it."""
    RULES: ClassVar[tuple[Rule, ...]] = (Keyed("profiles", "story"),)

    __slots__ = ("_index", "_most", "_profiles")

    def __init__(
        self, profiles: Mapping[str, Profile] | None = None, most: int = MOST
    ) -> None:
        self._most = most
        self._profiles = _latest((profiles or {}).values(), most)
        self._index = TermIndex(self._profiles)

    def __len__(self) -> int:
        return len(self._profiles)

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """By story; seen last longest ago first, of equals in order of their ids."""
        return self._profiles

    def with_(self, profiles: Iterable[Profile]) -> Archive:
        """Return an archive with more profiles; one of a known story is added to it."""
        return self._changed((), profiles)

    def without(self, stories: Iterable[str]) -> Archive:
        """Return an archive without some stories."""
        return self._changed(stories, ())

    def likeness(
        self, terms: Sequence[str], weights: Vector, least: float = 0.0
    ) -> dict[str, float]:
        """Return the product of weighted terms with each story that has any of them.

        Only these stories are touched: each term names the stories that have it.
        Those with a product below `least` are left out.
        """
        return self._index.likeness(terms, weights, least)

    def after_leaving(
        self,
        gone: Sequence[tuple[str, LinkedArticle]],
        idf: Vector,
        vocabulary: Vocabulary,
    ) -> Archive:
        """Return an archive that remembers articles, each given with its story."""
        if not gone:
            return self
        left: defaultdict[str, list[LinkedArticle]] = defaultdict(list)
        for story, article in sorted(gone, key=lambda pair: pair[1].serial):
            left[story].append(article)
        return self.with_(
            profile_of(story, articles, idf, vocabulary)
            for story, articles in left.items()
        )

    def after_settling(
        self, before: Mapping[str, str], after: Mapping[str, str]
    ) -> Archive:
        """Return an archive in which a story that merged is part of its heir.

        `before` and `after` tell the stories of the window's articles. A merged
        id is never to come back, so what left of it counts as its heir's past.
        """
        merged = set(before.values()) - set(after.values())
        past = [self._profiles[s] for s in sorted(merged) if s in self._profiles]
        if not past:
            return self
        heirs: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for article, story in before.items():
            if story in merged and article in after:
                heirs[story][after[article]] += 1
        return self._changed(
            [profile.story for profile in past],
            [
                replace(profile, story=_largest(heirs[profile.story]))
                for profile in past
                if heirs[profile.story]
            ],
        )

    def _changed(self, out: Iterable[str], into: Iterable[Profile]) -> Archive:
        profiles = dict(self._profiles)
        for story in out:
            profiles.pop(story, None)
        for profile in sorted(into, key=_seen):
            old = profiles.get(profile.story)
            profiles[profile.story] = profile if old is None else old.and_(profile)
        other = Archive(most=self._most)
        other._profiles = _latest(profiles.values(), self._most)
        other._index = TermIndex(other._profiles, self._index)
        return other


def _latest(profiles: Iterable[Profile], most: int) -> dict[str, Profile]:
    """Return the profiles seen last, in order of that."""
    ordered = sorted(profiles, key=_seen)
    return {p.story: p for p in ordered[max(len(ordered) - most, 0) :]}


def _seen(profile: Profile) -> tuple[float, str]:
    return profile.last, profile.story


def _largest(stories: Counter[str]) -> str:
    return min(stories, key=lambda story: (-stories[story], story))
