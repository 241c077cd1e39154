"""Search as one would write it first: every document is read for every question."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from ustory.store.search_query import Phrase, Query, parse_query

HEADLINE = 3
"""K of the formula: a headline counts as so many articles."""


@dataclass(frozen=True)
class PlainArticle:
    """An article as it is searched."""

    seq: int
    title: str
    text: str
    published: datetime
    source: str | None
    lang: str | None
    story: str | None


@dataclass(frozen=True)
class PlainStory:
    """A story as it is searched; `articles` is how many it has."""

    id: str
    headline: str
    keywords: tuple[str, ...]
    articles: int
    status: str
    lang: str | None
    first_seen: datetime
    last_seen: datetime
    sources: frozenset[str]


@dataclass(frozen=True)
class PlainAnswer:
    """What is found, the most relevant first, and what filters would leave."""

    articles: list[int]
    stories: list[str]
    scores: dict[str, float]
    sources: dict[str, int]
    langs: dict[str, int]
    statuses: dict[str, int]


class ExhaustiveSearch:
    """Reads all articles and all stories for each question."""

    def __init__(
        self, articles: Sequence[PlainArticle], stories: Sequence[PlainStory]
    ) -> None:
        self._articles = articles
        self._stories = {story.id: story for story in stories}
        self._words = {
            a.seq: (plain_words(a.title), plain_words(a.text)) for a in articles
        }
        self._headlines = {
            s.id: (plain_words(s.headline), plain_words("\n".join(s.keywords)))
            for s in stories
        }
        self._highest = max((a.seq for a in articles), default=0)
        self._weights: dict[Phrase, float] = {}

    def ask(self, text: str) -> PlainAnswer:
        """Return what a text finds among live and ended stories, and articles."""
        query = parse_query(text)
        worth = {
            a.seq: self._worth(query, self._words[a.seq])
            for a in self._articles
            if self._is_wanted(query, a)
        }
        by_seq = {a.seq: a for a in self._articles}
        ranked = sorted(
            worth, key=lambda n: (worth[n], by_seq[n].published, n), reverse=True
        )
        found: dict[str, float] = {}
        of_story: dict[str | None, list[float]] = {}
        for seq in sorted(worth):
            of_story.setdefault(by_seq[seq].story, []).append(worth[seq])
        for story in self._stories.values():
            own = of_story.get(story.id, [])
            headline = self._headline(query, story)
            if own or headline is not None:
                total = sum(own) + HEADLINE * (headline or 0.0)
                found[story.id] = float(
                    np.round(total / (story.articles + HEADLINE), 9)
                )
        return self._answer(ranked, found)

    def _answer(self, articles: list[int], found: Mapping[str, float]) -> PlainAnswer:
        every = [self._stories[name] for name in found]
        shown = [story for story in every if story.status != "merged"]
        shown.sort(key=lambda s: (found[s.id], s.last_seen, s.id), reverse=True)
        return PlainAnswer(
            articles=articles,
            stories=[story.id for story in shown],
            scores=dict(found),
            sources=Counter(name for story in shown for name in story.sources),
            langs=Counter(story.lang for story in shown if story.lang),
            statuses=Counter(story.status for story in every),
        )

    def _is_wanted(self, query: Query, article: PlainArticle) -> bool:
        title, text = self._words[article.seq]
        wanted = query.filter
        return (
            all(any(_in(c, title, text) for c in p.choices) for p in query.wanted)
            and not any(_in(phrase, title, text) for phrase in query.unwanted)
            and (not wanted.sources or article.source in wanted.sources)
            and article.source not in wanted.not_sources
            and (not wanted.langs or article.lang in wanted.langs)
            and (wanted.after is None or article.published >= wanted.after)
            and (wanted.before is None or article.published < wanted.before)
            and not query.is_empty
            and bool(query.wanted or query.filter.sources or wanted.langs
                     or wanted.after or wanted.before or wanted.not_sources)
        )  # fmt: skip

    def _headline(self, query: Query, story: PlainStory) -> float | None:
        title, text = self._headlines[story.id]
        wanted = query.filter
        fits = (
            bool(query.wanted)
            and all(any(_in(c, title, text) for c in p.choices) for p in query.wanted)
            and not any(_in(phrase, title, text) for phrase in query.unwanted)
            and (not wanted.sources or not story.sources.isdisjoint(wanted.sources))
            and story.sources.isdisjoint(wanted.not_sources)
            and (not wanted.langs or story.lang in wanted.langs)
            and (wanted.after is None or story.last_seen >= wanted.after)
            and (wanted.before is None or story.first_seen < wanted.before)
        )
        return self._worth(query, (title, text)) if fits else None

    def _worth(self, query: Query, words: tuple[list[str], list[str]]) -> float:
        """Return s(a)."""
        title, text = words
        total = 0.0
        for phrase in query.wanted:
            best = 0.0
            for choice in phrase.choices:
                here = float(_in(choice, title, [])) + float(_in(choice, title, text))
                best = max(best, self._weight(choice) * here)
            total += best
        return total

    def _weight(self, phrase: Phrase) -> float:
        """Return w(p)."""
        if phrase not in self._weights:
            titles = sum(_in(phrase, title, []) for title, _ in self._words.values())
            self._weights[phrase] = math.log1p(self._highest / (1 + titles))
        return self._weights[phrase]


def _in(phrase: Phrase, title: list[str], text: list[str]) -> bool:
    """Return whether the words of a phrase stand side by side in title or text."""
    size = len(phrase.words)
    for words in (title, text):
        if not phrase.prefix and phrase.words[0] not in words:
            continue
        for at in range(len(words) - size + 1):
            here = words[at : at + size]
            if here[:-1] != list(phrase.words[:-1]):
                continue
            last, wanted = here[-1], phrase.words[-1]
            if last.startswith(wanted) if phrase.prefix else last == wanted:
                return True
    return False


_NO_SPACES = (
    ("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"),
    ("々", "〇"), ("\u3040", "\u30ff"), ("\u31f0", "\u31ff"), ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"), ("\ua9e0", "\ua9ff"), ("\uaa60", "\uaa7f"),
    ("\U00020000", "\U0003ffff"),
)  # fmt: skip
_ACCENTS = (
    ("\u0300", "\u0489"), ("\u0591", "\u05c7"), ("\u0610", "\u06ed"),
    ("\u0711", "\u074a"), ("\u08ca", "\u08ff"), ("\u1ab0", "\u1aff"),
    ("\u1dc0", "\u1dff"), ("\u20d0", "\u20ff"), ("\ufe00", "\ufe2f"),
    ("\U000e0100", "\U000e01ef"),
)  # fmt: skip
_STROKES = {"ı": "i", "ł": "l", "đ": "d", "ø": "o", "Ł": "l", "Đ": "d", "Ø": "o"}


def plain_words(text: str) -> list[str]:
    """Return the words of a text, read character by character."""
    if text.isascii():
        return [word[:64] for word in re.findall("[a-z0-9]+", text.lower())]
    kept = "".join(map(_plain, unicodedata.normalize("NFKD", text)))
    words: list[str] = []
    inside = False
    """Whether the next letter goes on with the last word."""
    goes_on = False
    """Whether a mark does."""
    for sign in unicodedata.normalize("NFC", kept).casefold():
        if unicodedata.category(sign)[0] == "M":
            if goes_on:
                words[-1] += sign
            continue
        if not sign.isalnum():
            inside = goes_on = False
            continue
        alone = any(low <= sign <= high for low, high in _NO_SPACES)
        if inside and not alone:
            words[-1] += sign
        else:
            words.append(sign)
        inside, goes_on = not alone, True
    return [word[:64] for word in words]


def _plain(sign: str) -> str:
    """Return what is left of a character without accents."""
    accent = any(low <= sign <= high for low, high in _ACCENTS)
    if unicodedata.category(sign)[0] == "M" and (
        accent or unicodedata.combining(sign) == 7
    ):
        return ""
    if sign in "\u00ad\u0640\u200d":
        return ""
    digit = unicodedata.decimal(sign, None)
    return _STROKES.get(sign, sign) if digit is None else str(digit)


def day(number: int) -> datetime:
    """Return a moment of a month, for archives that are made up."""
    return datetime(2024, 3, 1, tzinfo=UTC) + timedelta(hours=number)
