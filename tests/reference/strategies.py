"""Small random streams in which stories really form, and settings to run them with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ustory.core.arrays import SentenceVectors, Vector
from ustory.core.article import Article, PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.text.counting import count_terms

START = datetime(2024, 2, 27, tzinfo=UTC)
DAY = timedelta(days=1)

TOPICS = (
    ("flood", "rescue", "river", "storm"),
    ("vote", "ballot", "senate", "recount"),
    ("goal", "match", "coach", "final"),
    ("virus", "vaccine", "clinic", "outbreak"),
    ("strike", "union", "wage", "rail"),
)
COMMON = ("people", "city", "say", "week", "official")
STOP = "so it was then"
"""A sentence without a term: all its words are stop words."""


class BagEncoder:
    """Adds a random vector per word, and a little that is the sentence's own.

    So sentences that share words are near each other, and no two are collinear
    unless they are equal.
    """

    name = "bag"
    dim = 16

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        rows = np.zeros((len(sentences), self.dim), dtype=np.float16)
        for place, sentence in enumerate(sentences):
            rows[place] = _sentence_vector(sentence)
        return rows


ENCODER = BagEncoder()


@lru_cache(maxsize=50_000)
def _sentence_vector(sentence: str) -> Vector:
    total = 0.3 * _hashed(f"sentence {sentence}")
    for word in sentence.split():
        total = total + _hashed(word)
    unit: Vector = total / np.linalg.norm(total)
    return unit


@lru_cache(maxsize=50_000)
def _hashed(text: str) -> Vector:
    seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(BagEncoder.dim)


@dataclass(frozen=True, slots=True)
class Run:
    """A stream cut into slides, and the settings to run it with."""

    settings: Settings
    slides: tuple[Slide, ...]


@dataclass(frozen=True, slots=True)
class UnpickledBatch:
    """An article and when it came, which may be long after it was published."""

    at: datetime
    article: PreparedArticle


def prepare(
    article_id: str,
    published_at: datetime,
    lemmas: Sequence[Sequence[str]],
    label: str | None = None,
) -> PreparedArticle:
    """Return an article whose sentences are these lemmas; one without says `STOP`."""
    sentences = tuple(" ".join(words) or STOP for words in lemmas)
    return PreparedArticle(
        article=Article(
            id=article_id,
            published_at=published_at,
            title=sentences[0],
            text=" ".join(sentences[1:]),
            label=label,
        ),
        sentences=sentences,
        counts=count_terms(lemmas),
        vectors=ENCODER.encode(sentences),
    )


def _lemmas(rng: np.random.Generator, topic: Sequence[str]) -> list[list[str]]:
    """Return 1-5 sentences, mostly of the topic's words; a few say nothing."""
    sentences: list[list[str]] = []
    for _ in range(rng.integers(1, 6)):
        if rng.random() < 0.1:
            sentences.append([])
            continue
        words = [
            str(rng.choice(topic if rng.random() < 0.75 else COMMON))
            for _ in range(rng.integers(1, 6))
        ]
        sentences.append(words)
    return sentences


def _published(rng: np.random.Generator, at: datetime) -> datetime:
    """Return a publication time: usually the arrival, sometimes before or after."""
    chance = rng.random()
    if chance < 0.75:
        return at
    if chance < 0.95:
        return at - timedelta(hours=float(rng.integers(1, 120)))
    return at + timedelta(hours=float(rng.integers(1, 30)))


def stream(seed: int, counts: Sequence[int], topics: int) -> list[UnpickledBatch]:
    """Return `counts[d]` labelled articles for day d, in order of arrival.

    An article depends on the seed, its day and its place only, so that a smaller
    stream is a part of the larger one. Some are word for word their day's first.
    """
    arrived: list[UnpickledBatch] = []
    for day, count in enumerate(counts):
        for place in range(count):
            rng = np.random.default_rng([seed, day, place])
            at = START + day * DAY + timedelta(seconds=float(rng.integers(0, 86_400)))
            # random digits in front: the order of ids is not that of arrival
            name = f"{rng.integers(0, 10**6):06d}-{day}-{place}"
            published = _published(rng, at)
            words = place if rng.random() > 0.15 else 0
            rng = np.random.default_rng([seed, day, words, 1])
            topic = int(rng.integers(0, topics))
            lemmas = _lemmas(rng, TOPICS[topic])
            article = prepare(name, published, lemmas, label=f"topic {topic}")
            arrived.append(UnpickledBatch(at, article))
    return sorted(arrived, key=lambda one: (one.at, one.article.article.id))


def cut(
    arrived: Sequence[UnpickledBatch], settings: Settings, trailing: int = 0
) -> tuple[Slide, ...]:
    """Return the slides of the stream, then `trailing` empty ones so that it ages."""
    if isinstance(settings.slide, int):
        return _cut_by_number(arrived, settings.slide, trailing)
    slides: list[Slide] = []
    end = START
    last = max((one.at for one in arrived), default=START)
    while end <= last or trailing > 0:
        trailing -= end > last
        begin, end = end, end + settings.slide
        inside = [one.article for one in arrived if begin <= one.at < end]
        slides.append(Slide(end=end, articles=inside))
    return tuple(slides)


def _cut_by_number(
    arrived: Sequence[UnpickledBatch], size: int, trailing: int
) -> tuple[Slide, ...]:
    """Return slides of `size` consecutive arrivals, the last perhaps smaller."""
    slides: list[Slide] = []
    for first in range(0, len(arrived), size):
        inside = arrived[first : first + size]
        end = inside[-1].at + timedelta(seconds=1)
        slides.append(Slide(end=end, articles=[one.article for one in inside]))
    last = slides[-1].end if slides else START
    slides += [Slide(end=last + n * DAY) for n in range(1, trailing + 1)]
    return tuple(slides)


VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "js": {"divergence": "js"},
    "js-root": {"divergence": "js-root"},
    "js-root-e": {"divergence": "js-root-e"},
    "kl": {"divergence": "kl"},
    "emd": {"divergence": "emd"},
    "bm25l": {"scoring": "bm25l"},
    "ThemSentConc": {"representation": "ThemSentConc"},
    "IndSentMean": {"representation": "IndSentMean"},
    "IndSentConc": {"representation": "IndSentConc"},
    "without time": {"time_aware": False},
    "without theme": {"theme_aware": False},
    "initial mean": {"initial": "mean"},
    "one sentence": {"sentences": 1},
    "two sentences": {"sentences": 2},
    "span of the window": {"story_span": "window"},
    "half-day slides": {"slide": timedelta(hours=12), "window": timedelta(days=2)},
    "small panes": {"pane": timedelta(hours=6)},
    "by number": {"window": 20, "slide": 8},
    "by number, span of the window": {
        "window": 20,
        "slide": 8,
        "story_span": "window",
    },
    "silhouette": {"min_articles": None},
    "log-means": {"min_articles": None, "seed_count": "log-means"},
    "no Lloyd step": {"seed_steps": 0},
    "all members of a seed": {"seed_members": "all"},
    "all members of a seed, concatenated": {
        "seed_members": "all",
        "representation": "ThemSentConc",
    },
    "all members of a seed, few sentences": {"seed_members": "all", "sentences": 1},
    "the authors' script": {
        "seed_members": "all",
        "divergence": "js-root-e",
        "story_span": "window",
        "seed_steps": 300,
    },
    "everything goes": {"temperature": 1.0},
}
"""One departure each from `BASE`, by name; for `pytest.mark.parametrize`."""

BASE = Settings(
    mode="paper",
    window=timedelta(days=3),
    slide=timedelta(days=1),
    keywords=5,
    temperature=2.0,
    min_articles=2,
    seed_restarts=3,
    seed_steps=2,
)


def variant(name: str) -> Settings:
    """Return `BASE` with the changes of a variant."""
    return BASE.with_(VARIANTS[name])


@st.composite
def spans(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a window, a slide and a pane that fit: mostly by time, some by number."""
    if draw(st.integers(0, 4)) == 4:
        sizes = draw(st.sampled_from(((12, 4), (20, 8), (27, 9), (20, 20))))
        return {"window": sizes[0], "slide": sizes[1]}
    return {
        "window": draw(st.integers(2, 4)) * DAY,
        "slide": draw(st.sampled_from((DAY, DAY / 2))),
        "pane": draw(st.sampled_from((None, None, DAY / 4))),
    }


@st.composite
def settings_variants(draw: st.DrawFn) -> Settings:
    """Draw settings from all over the method, the first choices the plainest."""
    choices: dict[str, Sequence[Any]] = {
        "keywords": (5, 2, 3, 4, 6, 8, 10),
        "temperature": (2.0, 1.0, 4.0),
        "min_articles": (2, 1, 3, None),
        "seed_count": ("silhouette", "log-means"),
        "seed_restarts": (3, 1, 5),
        "seed_steps": (0, 1, 5),
        "seed_members": ("sure", "all"),
        "scoring": ("tfidf", "bm25l"),
        "divergence": ("js", "js-root", "js-root-e", "kl", "emd"),
        "representation": (
            "ThemSentMean",
            "ThemSentConc",
            "IndSentMean",
            "IndSentConc",
        ),
        "initial": ("own-theme", "mean"),
        "sentences": (None, 1, 2),
        "story_span": ("story", "window"),
        "time_aware": (True, False),
        "theme_aware": (True, True, False),
        "seed": (0, 1, 2),
    }
    drawn = {name: draw(st.sampled_from(values)) for name, values in choices.items()}
    return Settings(mode="paper", **draw(spans()), **drawn)


@st.composite
def streams(draw: st.DrawFn) -> list[UnpickledBatch]:
    """Draw a stream of 2-6 days with 0-12 articles each, on 1-5 topics."""
    counts = draw(st.lists(st.integers(0, 12), min_size=2, max_size=6))
    return stream(draw(st.integers(0, 10**6)), counts, draw(st.integers(1, 5)))


@st.composite
def runs(draw: st.DrawFn, settings: st.SearchStrategy[Settings] | None = None) -> Run:
    """Draw settings, a stream cut as they ask, and up to five empty slides after it."""
    chosen = draw(settings if settings is not None else settings_variants())
    slides = cut(draw(streams()), chosen, trailing=draw(st.integers(0, 5)))
    return Run(chosen, slides)
