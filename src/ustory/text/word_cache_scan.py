"""The hot loops of word by word tokenising, compiled: splitting and remembering."""

from __future__ import annotations

import numpy as np
from numba import njit

# Arrays are typed where these are called: text/word_cache.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202


@njit(cache=True, nogil=True)
def _place(letters, start, stop, memory):
    """Return the slot of a word, its own or the free one it would get."""
    slots, known, known_start = memory[:3]
    code = np.uint64(1469598103934665603)
    for i in range(start, stop):
        code = (code ^ np.uint64(letters[i])) * np.uint64(1099511628211)
    last = len(slots) - 1
    # the low bits of a product know little of the high ones of its factors
    slot = np.int64((code ^ (code >> np.uint64(29))) & np.uint64(last))
    while slots[slot] >= 0:
        first = known_start[slots[slot]]
        size = known_start[slots[slot] + 1] - first
        if size == stop - start:
            same = 0
            while same < size and known[first + same] == letters[start + same]:
                same += 1
            if same == size:
                break
        slot = (slot + 1) & last
    return slot


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
    word, first, past, trimmed, word_ends = out
    slots = memory[0]
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
                number = slots[_place(letters, low, high, memory)]
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
    for place in range(len(word)):
        if word[place] < 0:
            slot = _place(letters, first[place], past[place], memory)
            word[place] = memory[0][slot]


@njit(cache=True, nogil=True)
def unknown_words(letters, ends, memory):
    """Return for each word whether it has no slot."""
    slots = memory[0]
    unknown = np.empty(len(ends), np.bool_)
    start = 0
    for word in range(len(ends)):
        unknown[word] = slots[_place(letters, start, ends[word], memory)] < 0
        start = ends[word]
    return unknown


@njit(cache=True, nogil=True)
def add_words(letters, ends, memory, count):
    """Put new words, all different, into the slots; they are numbered from `count`."""
    slots, known, known_start = memory[:3]
    start = 0
    for new in range(len(ends)):
        slots[_place(letters, start, ends[new], memory)] = count + new
        at = known_start[count + new]
        for i in range(start, ends[new]):
            known[at] = letters[i]
            at += 1
        known_start[count + new + 1] = at
        start = ends[new]


@njit(cache=True, nogil=True)
def fill_slots(slots, known, known_start, count):
    """Put the first `count` words into fresh slots."""
    memory = (slots, known, known_start)
    for number in range(count):
        slot = _place(known, known_start[number], known_start[number + 1], memory)
        slots[slot] = number


@njit(cache=True, nogil=True)
def copy_tokens(words, known, frame, out, out_ends):
    """Write the tokens of each sentence between two marks, and where they end.

    A sentence gets at most as many as the frame says, the marks included.
    """
    word, word_ends = words
    tokens, token_start = known
    first, last, most = frame
    at = 0
    begin = 0
    for sentence in range(len(word_ends)):
        limit = at + most - 1
        out[at] = first
        at += 1
        for place in range(begin, word_ends[sentence]):
            number = word[place]
            for i in range(token_start[number], token_start[number + 1]):
                if at < limit:
                    out[at] = tokens[i]
                    at += 1
        out[at] = last
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
