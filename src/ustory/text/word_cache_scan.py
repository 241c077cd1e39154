"""The hot loops of word by word tokenising, compiled: splitting and remembering."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustory.core.hashing import slot_of_letters
from ustory.core.kernels import njit

# Arrays are typed where these are called: text/word_cache.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202


class Memory(NamedTuple):
    """Words that are remembered, found by a hash of their letters."""

    slots: NDArray[np.int32]
    letters: NDArray[np.uint32]
    starts: NDArray[np.int64]
    """Where each word begins among the letters."""


class FoundWords(NamedTuple):
    """Room for the words of some sentences."""

    word: NDArray[np.int32]
    first: NDArray[np.int32]
    past: NDArray[np.int32]
    trimmed: NDArray[np.int32]
    ends: NDArray[np.int32]
    """Where each sentence ends among the words."""


class Frame(NamedTuple):
    """Tokens around a sentence, and how many it may have, both included."""

    first: int
    last: int
    max_tokens: int


@njit(cache=True, nogil=True)
def _kind(letter, kinds):
    return kinds[letter] if letter < len(kinds) else 0


@njit(cache=True, nogil=True)
def _run_end(letters, at, end, kinds):
    """Return where the letters that begin here end."""
    while at < end:
        kind = _kind(letters[at], kinds)
        if kind == 1 or kind == 2:
            break
        at += 1
    return at


@njit(cache=True, nogil=True)
def _bare(letters, start, stop, kinds):
    """Return a word's bounds without the signs it begins and ends with."""
    while start < stop and _kind(letters[start], kinds) == 3:
        start += 1
    while stop > start and _kind(letters[stop - 1], kinds) == 3:
        stop -= 1
    return start, stop


@njit(cache=True, nogil=True)
def find_words(letters, ends, kinds, memory, out):
    """Write the number of each word, or -1, and where its letters are.

    `kinds` says which characters separate words (1), are words alone (2) or are left
    out at the ends of words (3), `ends` where each sentence ends in the letters.
    Written is also how many characters were left out, and where each sentence ends
    among the words. Returns how many words there are, and how many unknown.
    """
    # taken out once: a field that is read in a loop is counted each time
    word, first, past, trimmed, word_ends = out
    slots, known, starts = memory
    count = 0
    unknown = 0
    at = 0
    for sentence in range(len(ends)):
        end = ends[sentence]
        while at < end:
            start = at
            at = _run_end(letters, at, end, kinds)
            if at == start:
                at += 1
                low, high = start, at - (_kind(letters[start], kinds) == 1)
            else:
                low, high = _bare(letters, start, at, kinds)
            if low < high:
                number = slots[
                    slot_of_letters(letters, low, high, known, starts, slots)
                ]
                word[count] = number
                first[count] = low
                past[count] = high
                trimmed[count] = (at - start) - (high - low)
                count += 1
                unknown += number < 0
        word_ends[sentence] = count
    return count, unknown


@njit(cache=True, nogil=True)
def number_new(letters, word, first, past, memory):
    """Write the numbers of the words that had none, now that all are known."""
    slots, known, starts = memory
    for place in range(len(word)):
        if word[place] < 0:
            low, high = first[place], past[place]
            slot = slot_of_letters(letters, low, high, known, starts, slots)
            word[place] = slots[slot]


@njit(cache=True, nogil=True)
def unknown_words(letters, ends, memory):
    """Return for each word whether it has no slot."""
    slots, known, starts = memory
    unknown = np.empty(len(ends), np.bool_)
    start = 0
    for word in range(len(ends)):
        slot = slot_of_letters(letters, start, ends[word], known, starts, slots)
        unknown[word] = slots[slot] < 0
        start = ends[word]
    return unknown


@njit(cache=True, nogil=True)
def add_words(letters, ends, memory, count):
    """Put new words, all different, into the slots; they are numbered from `count`."""
    slots, known, starts = memory
    start = 0
    for new in range(len(ends)):
        slot = slot_of_letters(letters, start, ends[new], known, starts, slots)
        slots[slot] = count + new
        at = starts[count + new]
        for i in range(start, ends[new]):
            known[at] = letters[i]
            at += 1
        starts[count + new + 1] = at
        start = ends[new]


@njit(cache=True, nogil=True)
def fill_slots(memory, count):
    """Put the first `count` words into fresh slots."""
    slots, known, starts = memory
    for number in range(count):
        low, high = starts[number], starts[number + 1]
        slots[slot_of_letters(known, low, high, known, starts, slots)] = number


@njit(cache=True, nogil=True)
def copy_tokens(words, frame, out, out_ends):
    """Write the tokens of each sentence within its frame, and where they end."""
    word, word_ends = words.word, words.ends
    tokens, token_start = words.tokens, words.token_start
    at = 0
    begin = 0
    for sentence in range(len(word_ends)):
        limit = at + frame.max_tokens - 1
        out[at] = frame.first
        at += 1
        for place in range(begin, word_ends[sentence]):
            number = word[place]
            for i in range(token_start[number], token_start[number + 1]):
                if at < limit:
                    out[at] = tokens[i]
                    at += 1
        out[at] = frame.last
        at += 1
        begin = word_ends[sentence]
        out_ends[sentence] = at
    return at


@njit(cache=True, nogil=True)
def count_tokens(word, token_start):
    """Return how many tokens the words have."""
    total = 0
    for number in word:
        total += token_start[number + 1] - token_start[number]
    return total
