"""StoryForest: events of the window, planted as stories that only ever grow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.communities import check_installed
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.eventx import (
    Events,
    Extraction,
    Tables,
    event_keywords,
    extract,
    vector_tables,
    word_tables,
)
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer
from ustory_bench.system import System

_COUNTS = {
    "keywords": "how many keywords an article has in the graph of keywords",
    "together": "how many articles two keywords must share to have an edge",
}
_SHARES = {
    "share": "the share of a keyword's articles that must have the other one, too",
    "similarity": "how alike two articles of a topic must be to have an edge",
    "compatibility": "the share of common keywords from which an event joins a story",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Next to nothing: all this method goes by is the stories in the window."""

    seen: int = 0
    """Articles that were ever planted; a snapshot needs something to write."""


class StoryForest(WindowedDiscoverer[Memory]):
    """Growing stories from events (Liu et al. 2017 and 2020).

    Each slide finds the events of the window by EventX. The new articles of an
    event go where its older ones are; an event of new articles only joins the
    most compatible story, or is the root of a new one. What is planted stays.
    """

    memory_type: ClassVar[type] = Memory

    def __init__(
        self,
        settings: Settings,
        tables: Callable[[Sequence[Document]], Tables],
        *,
        compatibility: float,
        vectors: str = "words",
        **extraction: Any,  # noqa: ANN401 - the fields of Extraction
    ) -> None:
        given = {**extraction, "compatibility": compatibility}
        _check(given)
        check_installed()
        super().__init__(settings, vectors=vectors, **given)
        self._how = Extraction(seed=settings.seed, **extraction)
        self._tables = tables
        self._compatibility = compatibility

    def settle(self, turn: Turn[Memory]) -> tuple[Mapping[str, str | None], Memory]:
        """Plant the new articles; older ones stay where they are."""
        if not turn.new:
            return turn.story, turn.memory
        events = extract(list(turn.documents.values()), self._how, self._tables)
        forest = self._forest(turn, events)
        story = dict(turn.story)
        for group in _in_order(events.groups, turn):
            fresh = [article for article in group if article not in turn.story]
            where = _held(group, turn.story) or _most_compatible(
                self._root(fresh, turn, events), forest, self._compatibility
            )
            story.update(dict.fromkeys(fresh, where or turn.new_story()))
        return story, Memory(seen=turn.memory.seen + len(turn.new))

    def _forest(self, turn: Turn[Memory], events: Events) -> dict[str, Root]:
        """Return the stories as they stood before the slide, the oldest first."""
        return {
            story: self._root(articles, turn, events)
            for story, articles in turn.members.items()
        }

    def _root(
        self, articles: Sequence[str], turn: Turn[Memory], events: Events
    ) -> Root:
        keywords = [events.keywords[article] for article in articles]
        titles = [turn.documents[article].title for article in articles]
        return Root(
            event_keywords(keywords, self._how.keywords), frozenset().union(*titles)
        )


@dataclass(frozen=True, slots=True)
class Root:
    """What an event, or a story, is known by."""

    keywords: frozenset[str]
    title: frozenset[str]
    """Words of the titles of its articles."""


def compatible(one: Root, other: Root) -> float:
    """Return the share of common keywords, 0 unless titles share a word.

    |K ∩ K'| / |K ∪ K'|
    """
    if not one.title & other.title:
        return 0.0
    either = one.keywords | other.keywords
    return len(one.keywords & other.keywords) / len(either) if either else 0.0


def _most_compatible(
    event: Root, forest: Mapping[str, Root], least: float
) -> str | None:
    """Return the story that an event belongs to, the oldest of equals."""
    found, most = None, 0.0
    for story, root in forest.items():
        share = compatible(event, root)
        if share >= least and share > most:
            found, most = story, share
    return found


def _held(group: Sequence[str], story: Mapping[str, str | None]) -> str | None:
    """Return the story of most older articles of an event, the oldest of equals."""
    held = Counter(story[article] for article in group if article in story)
    return min(held, key=lambda name: (-held[name], str(name)), default=None)


def _in_order(
    groups: Sequence[Sequence[str]], turn: Turn[Memory]
) -> list[Sequence[str]]:
    """Return the events with new articles, in order of the first of those."""

    def age(document: Document) -> tuple[float, str]:
        return document.day, document.id

    first = {
        min(age(turn.documents[a]) for a in group if a not in turn.story): group
        for group in groups
        if any(article not in turn.story for article in group)
    }
    return [group for _, group in sorted(first.items())]


def _check(given: Mapping[str, Any]) -> None:
    for name, meaning in _COUNTS.items():
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ConfigError(
                f"{name} must be a whole number of at least 1, got {value!r}; it is "
                + meaning
            )
    for name, meaning in _SHARES.items():
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(
                f"{name} must be a number, got {value!r}; it is {meaning}"
            )
        if not 0 < value <= 1:
            raise ConfigError(
                f"{name} must be above 0 and at most 1, got {value}; it is {meaning}"
            )


def build(settings: Settings, encoder: Encoder, **parameters: Any) -> StoryForest:  # noqa: ANN401
    """Return the method on words; the encoder is not used."""
    del encoder
    return StoryForest(settings, word_tables, **parameters)


def build_pse(settings: Settings, encoder: Encoder, **parameters: Any) -> StoryForest:  # noqa: ANN401
    """Return the method with articles compared by means of sentence vectors."""
    del encoder  # articles come with their vectors
    return StoryForest(settings, vector_tables, vectors="sentences", **parameters)


_CITATION = (
    "B. Liu, D. Niu, K. Lai, L. Kong, Y. Xu: Growing Story Forest Online from Massive "
    "Breaking News, CIKM 2017; B. Liu, F. X. Han, D. Niu, L. Kong, K. Lai, Y. Xu: "
    "Story Forest: Extracting Events and Telling Stories from Breaking News, "
    "ACM TKDD 14(3), 2020"
)
_KEYWORDS = (1, 2, 5, 10, 15, 20)
_CHOICES = (
    "Keywords, which the original picks by a trained classifier, are the words of an "
    "article with the largest TF-IDF weights over the window.",
    "Both graphs are divided by the Louvain method, and not by removing the edges of "
    "largest betweenness: the one of keywords as a whole, so that topics are coarse, "
    "and each connected part of the one of documents by itself, so that events are "
    "fine.",
    "Two keywords have an edge from 2 common articles (the authors' setting is 3), "
    "because stories of two articles are to be found.",
    "The graphs are drawn of the whole window and not of the new articles only, so "
    "an event may have older articles; it then belongs to the story of most of them.",
    "An event of new articles only joins the story with the highest share of common "
    "keywords, if it reaches 0.3 (the authors' setting) and a word of their titles "
    "is common.",
    "A story is a tree, but what is asked for is only which articles it has: where in "
    "the tree an event hangs is not decided.",
    "Planted articles never move and stories never merge: the original promises not "
    "to restructure what a reader has seen.",
    "An article in no topic, or without an edge, is an event of its own.",
)

SYSTEM = System(
    name="storyforest",
    build=build,
    citation=_CITATION,
    parameters={
        "keywords": 20,
        "together": 2,
        "share": 0.15,
        "similarity": 0.14,
        "compatibility": 0.3,
    },
    ranges={"keywords": _KEYWORDS, "similarity": (0.1, 0.12, 0.14, 0.16, 0.18)},
    choices=(
        *_CHOICES,
        "In place of the trained SVM, two articles of a topic have an edge if (2 · "
        "content + title + names) / 4 reaches a threshold, each a TF-IDF cosine: the "
        "SVM's features too are similarities of content and titles. The threshold is "
        "of the two development streams together.",
    ),
)

PSE = System(
    name="storyforest-pse",
    build=build_pse,
    citation=_CITATION,
    parameters={
        "keywords": 20,
        "together": 2,
        "share": 0.15,
        "similarity": 0.55,
        "compatibility": 0.3,
    },
    ranges={"keywords": _KEYWORDS, "similarity": (0.5, 0.55, 0.6, 0.65, 0.7)},
    choices=(
        *_CHOICES,
        "In place of the trained SVM, two articles of a topic have an edge if the "
        "cosine of their mean sentence vectors reaches a threshold; the graph of "
        "keywords remains one of words.",
    ),
)
