"""A stream in several languages: each has words of its own, and all have one gist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from tests.reference.strategies import ENCODER, STOP, prepare
from ustory.core.article import PreparedArticle
from ustory.core.story import Slide
from ustory.encode.gist import gist_text

LANGUAGES = ("en", "es", "ru")
NAMES = {
    "river": ("Velm", "Велм"),
    "senate": ("Zelensky", "Зеленский"),
    "coach": ("Orsa", "Орса"),
    "rail": ("2024", "2024"),
    "city": ("Kyiv", "Киев"),
    "week": ("Tashkent", "Ташкент"),
    "clinic": ("Madrid", "Мадрид"),
}
"""Words that are names or numbers here, in Latin letters and in Cyrillic ones."""
_TENDENCY = 0.5
"""How much the vectors of one language share."""


def in_languages(slides: Sequence[Slide], many: int) -> list[Slide]:
    """Return the slides with their articles in so many languages, or in none.

    One in five has no gist, and one in fifty a gist that is nothing but zeros.
    """
    return [
        Slide(
            end=slide.end,
            articles=[_in_language(each, many) for each in slide.articles],
        )
        for slide in slides
    ]


def _in_language(one: PreparedArticle, many: int) -> PreparedArticle:
    draw = crc32(one.article.id.encode())
    lang = LANGUAGES[draw // 50 % many]
    said = translated(one, lang)
    article = replace(said.article, lang=lang)
    if draw % 5 == 0:
        return replace(said, article=article)
    gist = gist_of(one, lang) if draw % 50 > 1 else np.zeros(ENCODER.dim)
    return replace(said, article=article, gist=gist.astype(np.float32))


def translated(one: PreparedArticle, lang: str) -> PreparedArticle:
    """Return an article with each word in a language; names differ in script alone."""
    lines = [
        [] if sentence == STOP else [_word(word, lang) for word in sentence.split()]
        for sentence in one.sentences
    ]
    made = prepare(one.article.id, one.article.published_at, lines, one.article.label)
    return replace(made, article=replace(made.article, source=one.article.source))


def _word(word: str, lang: str) -> str:
    name = NAMES.get(word)
    return f"{word}{lang}" if name is None else name[lang == "ru"]


def gist_of(one: PreparedArticle, lang: str) -> np.ndarray:
    """Return the gist of what it said before, near the others of its language."""
    row = ENCODER.encode([gist_text(one.sentences), f"language {lang}"])
    found = row[0].astype(np.float64) + _TENDENCY * row[1].astype(np.float64)
    return np.asarray(found / np.linalg.norm(found))
