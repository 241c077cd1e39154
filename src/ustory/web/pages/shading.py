"""The text of an article with its sentences shaded by their weight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ustory.web.models.articles import SentenceOut

LEVELS = 4
"""Shades besides none; the darkest is that of the weightiest sentence."""


@dataclass(frozen=True, slots=True)
class Shaded:
    """A sentence and its shade."""

    text: str
    level: int
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A text as it is shown."""

    title: Shaded
    paragraphs: Sequence[Sequence[Shaded]]
    weighed: bool
    """Whether there are weights at all."""
    ranked: Sequence[Shaded] = ()
    """The sentences that weigh something, the weightiest first."""


def body_of(title: str, text: str | None, sentences: Sequence[SentenceOut]) -> Body:
    """Return a text in its paragraphs, with the weights that are known."""
    weights = [sentence.weight for sentence in sentences]
    most = max(weights, default=0.0)
    shaded = [
        Shaded(sentence.text, _level(sentence.weight, most), sentence.weight)
        for sentence in sentences
    ]
    head = Shaded(title, 0, 0.0)
    rest = shaded
    if shaded and _same(shaded[0].text, title):
        head, rest = Shaded(title, shaded[0].level, shaded[0].weight), shaded[1:]
    paragraphs = _paragraphs(text, rest) if most else None
    heavy = [sentence for sentence in shaded if sentence.weight > 0]
    return Body(
        title=head if paragraphs is not None else Shaded(title, 0, 0.0),
        paragraphs=_plain(text or "") if paragraphs is None else paragraphs,
        weighed=paragraphs is not None,
        ranked=sorted(heavy, key=lambda sentence: -sentence.weight),
    )


def _level(weight: float, most: float) -> int:
    return math.ceil(LEVELS * weight / most) if weight > 0 else 0


def _paragraphs(
    text: str | None, sentences: Sequence[Shaded]
) -> list[list[Shaded]] | None:
    """Return the sentences by paragraph, None if they are not those of the text.

    A text that was changed after it was read has other sentences than those weighed.
    """
    if text is None:
        return [list(sentences)]
    found: list[list[Shaded]] = [[]]
    place = 0
    for sentence in sentences:
        start = text.find(sentence.text, place)
        if start < 0:
            return None
        if "\n" in text[place:start] and found[-1]:
            found.append([])
        found[-1].append(sentence)
        place = start + len(sentence.text)
    return found if found[-1] else found[:-1]


def _plain(text: str) -> list[list[Shaded]]:
    lines = (line.strip() for line in text.splitlines())
    return [[Shaded(line, 0, 0.0)] for line in lines if line]


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()
