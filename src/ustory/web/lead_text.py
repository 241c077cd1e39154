"""The first sentences of a text, for those who have not opened it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ustory.store.leads import Opening
from ustory.text.languages import language_of
from ustory.text.sentences import has_letters, one_spaced, segments, spaced

LONGEST = 400
"""Characters of a lead; a first sentence that is longer is cut."""
SENTENCES = 3
_STOPS = tuple('.!?…。！？"”’»')
_LINES = 20
"""Lines of a text that are looked at."""


def lead_text(opening: Opening | None) -> str:
    r"""Return the first sentences of a text on one line; empty where there is none.

    Lines that end no sentence, such as a byline, are passed over where others follow.

    >>> lead_text(Opening("a", "Quake", "en", "By A. Vane\nIt shook. It was strong."))
    'It shook. It was strong.'
    """
    if opening is None:
        return ""
    lines = list(islice(_lines(opening), _LINES))
    told = [line for line in lines if line.endswith(_STOPS)] or lines
    lead = ""
    for sentence in islice(_sentences(told, opening.lang), SENTENCES):
        longer = f"{lead} {sentence}".strip()
        if len(longer) > LONGEST:
            return lead or shortened(sentence, LONGEST)
        lead = longer
    return lead


def shortened(text: str, longest: int) -> str:
    """Return a text with at most so many characters, cut at a blank if it can be.

    >>> shortened("one two three", 9), shortened("onetwothree", 5), shortened("a b", 9)
    ('one two…', 'onet…', 'a b')
    """
    if len(text) <= longest:
        return text
    start = text[: longest - 1]
    return f"{start.rpartition(' ')[0] or start}…"


def _lines(opening: Opening) -> Iterator[str]:
    """Yield the lines of a text, without its title and without rules and bullets."""
    for line in opening.text.splitlines():
        plain = one_spaced(spaced(line))
        if has_letters(plain) and plain != opening.title:
            yield plain


def _sentences(lines: list[str], lang: str | None) -> Iterator[str]:
    for line in lines:
        for sentence in segments(language_of(lang), line):
            if has_letters(sentence):
                yield one_spaced(sentence)
