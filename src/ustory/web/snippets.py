"""The sentence of an article that a search found it by, with the words marked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ustory.store.search_query import WORD, Phrase, Query, words_of
from ustory.web.models.search import SnippetPart

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+")
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
    wanted = list(_words(query))
    best, most = "", -1
    for sentence in _SENTENCE_END.split(text[:_MAX_READ]):
        count = len({number for *_, number in _matches(sentence, wanted)})
        if count > most and sentence.strip():
            best, most = sentence.strip(), count
        if count == len(wanted):
            break
    return _marked(_cut(best, wanted), wanted)


def _words(query: Query) -> Iterable[tuple[str, bool]]:
    """Yield the words of a query, each with whether it only begins a word."""
    for phrase in query.wanted:
        for choice in phrase.choices:
            yield from _of_phrase(choice)


def _of_phrase(phrase: Phrase) -> Iterable[tuple[str, bool]]:
    last = len(phrase.words) - 1
    for place, word in enumerate(phrase.words):
        yield word, phrase.prefix and place == last


def _matches(
    sentence: str, wanted: list[tuple[str, bool]]
) -> Iterable[tuple[int, int, int]]:
    """Yield where the words are in a sentence: start, end, and which word."""
    for found in WORD.finditer(sentence):
        plain = "".join(words_of(found[0]))
        for number, (word, begins) in enumerate(wanted):
            if plain.startswith(word) if begins else plain == word:
                yield found.start(), found.end(), number
                break


def _cut(sentence: str, wanted: list[tuple[str, bool]]) -> str:
    if len(sentence) <= _MAX_CHARACTERS:
        return sentence
    first = next((start for start, *_ in _matches(sentence, wanted)), 0)
    start = max(0, min(first - _BEFORE, len(sentence) - _MAX_CHARACTERS))
    start = sentence.find(" ", start, first) + 1 or start if start else 0
    part = sentence[start : start + _MAX_CHARACTERS].rstrip()
    return f"{'… ' if start else ''}{part} …"


def _marked(sentence: str, wanted: list[tuple[str, bool]]) -> list[SnippetPart]:
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
