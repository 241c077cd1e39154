"""Sentences of an article, short enough to be encoded."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import TypeAlias
from unicodedata import category

from ustory.core.article import Article

MAX_SENTENCE = 1_000
"""Characters; a longer run without an end is cut at a space, or hard."""

MAX_SENTENCES = 1_000
"""Of one article that are read; what comes behind them is left out."""

Segment: TypeAlias = Callable[[Sequence[str]], Iterable[str]]
"""Cuts lines of text into sentences; each line ends one."""

_TWO_LETTERS = re.compile(r"[^\W_][\W_]*[^\W_]")


def split_article(article: Article, segment: Segment) -> tuple[str, ...]:
    """Return title and text as sentences; the title, if any, is sentence 0.

    A line break always ends a sentence: news text is stored by paragraphs.
    Rules and bullets of fewer than two letters or digits are no sentences.
    """
    title = one_spaced(spaced(whole(article.title)))
    text = whole(article.text)
    lines = [spaced(line) for line in text.splitlines() if line.strip()]
    read = chain(cut(title) if title else (), _read(segment(lines)))
    sentences = tuple(islice(read, MAX_SENTENCES))
    # punctuation only: still an article, and it needs one sentence
    return sentences or (one_spaced(spaced(text))[:MAX_SENTENCE],)


def _read(pieces: Iterable[str]) -> Iterator[str]:
    """Yield what is a sentence, in parts that can be encoded."""
    for piece in pieces:
        sentence = one_spaced(piece)
        if _begins_with_two(sentence) or has_letters(sentence):
            yield from cut(sentence)


def has_letters(text: str) -> bool:
    """Say whether a text has two letters or digits, as every sentence has."""
    return _TWO_LETTERS.search(text) is not None


def spaced(line: str) -> str:
    r"""Return `line` with a space for each blank and for each control character.

    Blanks that are not ASCII make sentencex panic; nobody reads control characters.

    >>> spaced("Vitamin C\u00a0.\x00")
    'Vitamin C . '
    """
    return line if line.isprintable() else line.translate(_blanks())


@cache
def _blanks() -> dict[int, str]:
    every = [(code, chr(code)) for code in range(sys.maxunicode + 1)]
    return {n: " " for n, c in every if c.isspace() or category(c) == "Cc"}


def one_spaced(text: str) -> str:
    """Return `text` with each run of white space as one space, none at its ends.

    >>> one_spaced(" Two\u00a0 words ")
    'Two words'
    """
    # as a rule nothing is to be done; the only printable white space is the space
    if "  " not in text and text.isprintable():
        return text.strip(" ")
    return " ".join(text.split())


def cut(text: str, limit: int = MAX_SENTENCE) -> Iterator[str]:
    """Yield `text` in parts of at most `limit` characters, cut at spaces if it can.

    >>> list(cut("one two three", limit=8))
    ['one two', 'three']
    """
    start = 0
    while len(text) - start > limit:
        space = text.rfind(" ", start + 1, start + limit + 1)
        end = space if space > 0 else start + limit
        yield text[start:end]
        start = end + (space > 0)
    if start < len(text):
        yield text[start:]


def _begins_with_two(sentence: str) -> bool:
    """Say whether the first two characters are letters or digits, as most are."""
    return len(sentence) > 1 and sentence[:2].isalnum()


def whole(text: str) -> str:
    """Return `text` with the sign � for each half of a character.

    Halves are left where a text was cut by bytes; nothing else can read them.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
