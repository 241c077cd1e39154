"""Sentences of an article, short enough to be encoded."""

from __future__ import annotations

import logging
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain, islice, pairwise
from typing import TypeAlias
from unicodedata import category

from sentencex import segment

from ustory.core.article import Article
from ustory.core.compiled import guarded
from ustory.core.errors import PackageError

PIECE = 8_000
"""Characters given to sentencex at once: its time is the square of their number where
all are opening quotation marks, and nothing else of the process runs meanwhile."""
_UNSURE = 2_000
"""At the end of a piece, where a quotation may be open that ends behind it."""
_MIN_ADVANCE = PIECE // 4
"""Characters by which each piece goes on: no text may be read many times over."""

_END = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])")
_log = logging.getLogger(__name__)


def segments(lang: str, line: str) -> Iterator[str]:
    """Yield the sentences of a line, with the blanks behind them.

    They are those of the whole line, unless it has a sentence, or a quotation, of
    thousands of characters.
    """
    start = 0
    while len(line) - start > PIECE:
        piece = line[start : start + PIECE]
        found = _segment(lang, piece)
        end = _sure_end(piece, found)
        yield from _until(found, end)
        start += end
    if start < len(line):
        yield from _segment(lang, line[start:])


def _sure_end(piece: str, found: Sequence[str]) -> int:
    """Return where to cut a piece: where a sentence ends, else at a space."""
    ends = [
        end for end in accumulate(map(len, found)) if _MIN_ADVANCE <= end < len(piece)
    ]
    sure = [end for end in ends if end <= PIECE - _UNSURE]
    if ends:
        return max(sure or ends)
    long = piece[sum(map(len, found[:-1])) :]
    # a sentence this long is cut anyway: here where it would be cut as a whole
    return len(piece) - len(deque(cut(long), maxlen=1).pop())


def _until(found: Sequence[str], end: int) -> Iterator[str]:
    """Yield the sentences up to a place; one that goes on behind it is cut."""
    start = 0
    for sentence in found:
        if start >= end:
            return
        yield sentence[: end - start]
        start += len(sentence)


def _segment(lang: str, piece: str) -> list[str]:
    """Return the sentences of a piece; where sentencex fails, by punctuation alone."""
    try:
        with guarded("sentencex"):
            found = list(segment(lang, piece))
    except PackageError as error:
        _log.warning("a text is split at its punctuation only: %s", error)
        return by_punctuation(piece)
    return found if sum(map(len, found)) == len(piece) else by_punctuation(piece)


def by_punctuation(text: str) -> list[str]:
    """Return the parts of a text that end with a stop and a blank, or a wide stop.

    >>> by_punctuation("It rained. Why? 雨。晴。")
    ['It rained. ', 'Why? ', '雨。', '晴。']
    """
    cuts = [0, *(found.end() for found in _END.finditer(text)), len(text)]
    parts = [text[a:b] for a, b in pairwise(cuts)]
    return [part for part in parts if part]


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
