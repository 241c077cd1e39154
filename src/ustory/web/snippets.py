"""The sentence of an article that a search found it by, with the words marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ustory.store.search_query import Phrase, Query
from ustory.store.search_words import word_pattern, words_of
from ustory.web.models.search import SnippetPart

_SENTENCE_END = re.compile(r"(?<=[.!?؟।])\s+|(?<=[。！？])\s*|\n+")
_MAX_READ = 20_000
"""Characters of a text in which the sentence is looked for."""
_MAX_CHARACTERS = 280
"""Characters of a snippet; of a longer sentence the part with the words is shown."""
_BEFORE = 60
"""Characters that are shown before the first word, where a sentence is cut."""


def snippet_of(text: str, query: Query) -> list[SnippetPart]:
    """Return the first sentence with most of the words; the first one without any.

    >>> from ustory.store.search_query import parse_query
    >>> found = snippet_of("It rained. A storm hit the Bay.", parse_query("bay storm"))
    >>> [part.text for part in found if part.marked]
    ['storm', 'Bay']
    """
    wanted = [choice for phrase in query.wanted for choice in phrase.choices]
    best, most = "", -1
    for sentence in _SENTENCE_END.split(text[:_MAX_READ]):
        count = len({number for *_, number in _matches(sentence, wanted)})
        if count > most and sentence.strip():
            best, most = sentence.strip(), count
        if count == len(wanted):
            break
    return _marked(_cut(best, wanted), wanted)


def _matches(sentence: str, wanted: Sequence[Phrase]) -> Iterable[tuple[int, int, int]]:
    """Yield where phrases are in a sentence: start, end, and which phrase."""
    found = list(word_pattern().finditer(sentence))
    plain = ["".join(words_of(each[0])) for each in found]
    at = 0
    while at < len(found):
        size, number = _longest(plain, at, wanted)
        if size:
            yield found[at].start(), found[at + size - 1].end(), number
        at += size or 1


def _longest(
    plain: Sequence[str], at: int, wanted: Sequence[Phrase]
) -> tuple[int, int]:
    """Return how many words from a place on are a phrase, and which; else 0."""
    fits = [
        (len(phrase.words), -number)
        for number, phrase in enumerate(wanted)
        if _is_at(plain, at, phrase)
    ]
    size, number = max(fits, default=(0, 0))
    return size, -number


def _is_at(plain: Sequence[str], at: int, phrase: Phrase) -> bool:
    *before, last = phrase.words
    end = at + len(before)
    if end >= len(plain) or (before and plain[at] != before[0]):
        return False  # far most places: no words are copied to be compared
    if list(plain[at:end]) != before:
        return False
    return plain[end].startswith(last) if phrase.prefix else plain[end] == last


def _cut(sentence: str, wanted: Sequence[Phrase]) -> str:
    if len(sentence) <= _MAX_CHARACTERS:
        return sentence
    first = next((start for start, *_ in _matches(sentence, wanted)), 0)
    start = max(0, min(first - _BEFORE, len(sentence) - _MAX_CHARACTERS))
    start = sentence.find(" ", start, first) + 1 or start if start else 0
    part = sentence[start : start + _MAX_CHARACTERS].rstrip()
    return f"{'… ' if start else ''}{part} …"


def _marked(sentence: str, wanted: Sequence[Phrase]) -> list[SnippetPart]:
    parts: list[SnippetPart] = []
    at = 0
    for start, end, _ in _matches(sentence, wanted):
        if start > at:
            parts.append(SnippetPart(text=sentence[at:start], marked=False))
        parts.append(SnippetPart(text=sentence[start:end], marked=True))
        at = end
    if at < len(sentence):
        parts.append(SnippetPart(text=sentence[at:], marked=False))
    return parts
