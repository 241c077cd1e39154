"""Which language each article is in, and which languages outlets usually write."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ustory.core.arrays import Indices, Vector
from ustory.core.article import Article
from ustory.core.rules import MAX_DAYS, Alike, Arrays, Holds, Rule, Within
from ustory.links.sentence_terms import outlet_key
from ustory.text.detect import NOTHING, READ, Guess, detect, reads_as_default
from ustory.text.languages import DEFAULT_LANGUAGE, UNKNOWN, language_of
from ustory.text.scripts import LATIN, is_written_in

SURE = 0.5
"""Probability from which the text says the language, where the source does not."""

CONTRADICTS = 0.99
"""Probability from which the text is in another language than its source says."""

ENOUGH = 60
"""Letters of a text that contradicts its source, some ten words: less may be a name."""

MAX_ROWS = 1 << 14
"""Outlets with a language that are remembered: those that were seen last."""

MAX_COUNT = 256.0
"""Articles of an outlet that count; of more, the older ones count less."""

_NOT_SAID = frozenset({"und", "mul", "mis", "zxx"})
_NEAR = tuple(
    frozenset(some.split())
    for some in ("no nb nn da", "id ms", "hr sr bs sh", "hi mr ne", "gl pt", "zh yue")
)
"""Languages that no classifier tells apart for sure: the source knows better."""
_STREAM = outlet_key(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualLanguages:
    """In which languages outlets wrote, as far as their texts say so for sure.

    A row for each outlet and language, in order; outlet 0 is the whole stream.
    """

    outlets: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    languages: tuple[str, ...] = ()
    counts: Vector = field(default_factory=lambda: np.zeros(0))
    day: Vector = field(default_factory=lambda: np.zeros(0))
    """When it was last seen."""
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("int64", "outlets"),
        Arrays("float64", "counts", "day"),
        Alike("outlets", "languages", "counts", "day"),
        Within(0, 2**63 - 1, "outlets"),
        Within(0, 1e15, "counts"),
        Within(-MAX_DAYS, MAX_DAYS, "day"),
        Holds(
            "outlets and their languages must be ascending",
            lambda outlets, languages: _is_ascending(
                list(zip(outlets.tolist(), languages, strict=True))
            ),
            "outlets",
            "languages",
        ),
    )

    def after(self, articles: Iterable[Article], day: float) -> UsualLanguages:
        """Return what is known with the articles of a slide, in whatever order."""
        return self._with(((a, _sure_language(a)) for a in articles), day)

    def of(self, source: str | None, script: str) -> str | None:
        """Return the usual language of an outlet that is written in a script.

        Where nothing is known of the outlet it is that of the stream, or None.
        """
        for outlet in dict.fromkeys((outlet_key(source), _STREAM)):
            first, past = np.searchsorted(self.outlets, [outlet, outlet + 1])
            rows = [
                (-self.counts[row], self.languages[row])
                for row in range(first, past)
                if not script or is_written_in(self.languages[row], script)
            ]
            if rows:
                return min(rows)[1]
        return None

    def _with(
        self, found: Iterable[tuple[Article, str | None]], day: float
    ) -> UsualLanguages:
        new = Counter(
            (outlet, lang)
            for article, lang in found
            if lang is not None
            for outlet in {outlet_key(article.source), _STREAM}
        )
        if not new:
            return self
        rows = {
            (outlet, lang): (count, last)
            for outlet, lang, count, last in zip(
                self.outlets.tolist(),
                self.languages,
                self.counts.tolist(),
                self.day.tolist(),
                strict=True,
            )
        }
        for row, count in new.items():
            rows[row] = rows.get(row, (0.0, day))[0] + count, day
        kept = sorted(rows, key=lambda row: (-rows[row][1], row))[:MAX_ROWS]
        return _made({row: rows[row] for row in sorted(kept)})


def decided(articles: Sequence[Article], usual: UsualLanguages) -> list[Article]:
    """Return the articles, each with the language that it is in.

    It is what its source says, unless the text says clearly something else. Where
    the source says nothing, it is what the text says if that is sure enough, else the
    usual language of the outlet, or of the stream. All articles of the slide count
    for that; their order does not matter.
    """
    guesses = [_guess(article) for article in articles]
    sure = (
        (article, guess.lang if guess.probability >= SURE else None)
        for article, guess in zip(articles, guesses, strict=True)
    )
    known = usual._with(sure, MAX_DAYS)
    return [
        _with_language(article, guess, known)
        for article, guess in zip(articles, guesses, strict=True)
    ]


def _with_language(article: Article, guess: Guess, usual: UsualLanguages) -> Article:
    said = _said(article)
    found = _contradiction(said, guess) if said else _unsaid(article, guess, usual)
    return article if found is None else replace(article, lang=found)


def _said(article: Article) -> str | None:
    """Return the language that the source says, None where it says none."""
    lang = language_of(article.lang) if article.lang else UNKNOWN
    return None if lang in _NOT_SAID else lang


def _contradiction(said: str, guess: Guess) -> str | None:
    """Return the language that a text is in, where it is clearly not what is said."""
    if guess.lang is None or guess.lang == said or guess.letters < ENOUGH:
        return None
    if not is_written_in(said, guess.script):
        return guess.lang
    near = any(said in some and guess.lang in some for some in _NEAR)
    return guess.lang if guess.probability >= CONTRADICTS and not near else None


def _unsaid(article: Article, guess: Guess, usual: UsualLanguages) -> str:
    """Return the language of a text whose source says none."""
    if guess.lang is not None and guess.probability >= SURE:
        return guess.lang
    found = usual.of(article.source, guess.script)
    if found is not None:
        return found
    # nothing is known of the outlet: a Latin text is likeliest English
    if guess.lang is None or guess.script == LATIN:
        return DEFAULT_LANGUAGE
    return guess.lang


def _guess(article: Article) -> Guess:
    """Return what the title and the beginning of the text say."""
    text = f"{article.title[:READ]} {article.text[:READ]}".strip()
    if _said(article) in (DEFAULT_LANGUAGE, None) and reads_as_default(text):
        return Guess(DEFAULT_LANGUAGE, 1.0, len(text), LATIN)
    return detect(text) if text else NOTHING


def _sure_language(article: Article) -> str | None:
    guess = _guess(article)
    return guess.lang if guess.probability >= SURE else None


def _made(rows: dict[tuple[int, str], tuple[float, float]]) -> UsualLanguages:
    """Return rows as columns; of an outlet with many articles new ones count more."""
    total: defaultdict[int, float] = defaultdict(float)
    for (outlet, _), (count, _) in rows.items():
        total[outlet] += count
    counts = [
        count * min(1.0, MAX_COUNT / total[outlet])
        for (outlet, _), (count, _) in rows.items()
    ]
    return UsualLanguages(
        outlets=np.array([outlet for outlet, _ in rows], dtype=np.int64),
        languages=tuple(lang for _, lang in rows),
        counts=np.array(counts, dtype=np.float64),
        day=np.array([day for _, day in rows.values()], dtype=np.float64),
    )


def _is_ascending(rows: list[tuple[int, str]]) -> bool:
    return rows == sorted(set(rows))
