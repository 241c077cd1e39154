"""Sentences of an article, short enough to be encoded."""

from __future__ import annotations

from collections.abc import Iterator

from sentencex import segment

from ustory.core.article import Article

MAX_SENTENCE = 1_000
"""Characters; a longer run without an end is cut at a space, or hard."""

_MIN_LETTERS = 2


def split_article(article: Article, lang: str) -> tuple[str, ...]:
    """Return title and text as sentences; the title, if any, is sentence 0."""
    title = " ".join(article.title.split())
    sentences = list(_cut(title)) if title else []
    for line in article.text.splitlines():
        if line.strip():
            sentences.extend(_split_line(line, lang))
    if not sentences:
        # punctuation only: still an article, and it needs one sentence
        sentences = [(article.title or article.text).strip()[:MAX_SENTENCE]]
    return tuple(sentences)


def _split_line(line: str, lang: str) -> Iterator[str]:
    # a line break always ends a sentence: news text is stored by paragraphs
    for piece in segment(lang, line):
        sentence = " ".join(piece.split())
        if sum(map(str.isalnum, sentence[:40])) >= _MIN_LETTERS:
            yield from _cut(sentence)


def _cut(sentence: str) -> Iterator[str]:
    while len(sentence) > MAX_SENTENCE:
        at = sentence.rfind(" ", 1, MAX_SENTENCE + 1)
        at = at if at > 0 else MAX_SENTENCE
        yield sentence[:at].rstrip()
        sentence = sentence[at:].lstrip()
    if sentence:
        yield sentence
