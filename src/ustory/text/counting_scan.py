"""The hot loops of counting terms, compiled: known words to sparse counts."""

from __future__ import annotations

import numpy as np

from ustory.core.hashing import slot_of_key
from ustory.core.kernels import njit

# Arrays are typed where these are called: text/counting.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202


@njit(cache=True, nogil=True)
def count_words(words, bounds, max_lemmas):
    """Return the lemmas of some sentences, distinct, and the columns of `TermCounts`.

    The sentences are those between `bounds` of `words`; lemmas behind the first
    `max_lemmas` are left out. The tokens of a word are its loudness, how many lemmas
    it has as printed, these, and those it has in a shouted sentence.
    """
    lemma, ends = _lemmas(words, bounds, max_lemmas)
    distinct = _number_locally(lemma)
    one, other, sentence = _cells(lemma, ends)
    order = _sorted_by(other, np.arange(len(other)), len(distinct) + 1)
    order = _sorted_by(one, order, len(distinct))
    return distinct, _columns(one, other, sentence, order)


@njit(cache=True, nogil=True)
def _lemmas(words, bounds, max_lemmas):
    """Return the lemmas of the sentences, and where each ends among them."""
    first, past = bounds
    word, word_ends = words.word, words.ends
    letter_ends, tokens, start = words.letter_ends, words.tokens, words.token_start
    begin = word_ends[first - 1] if first else 0
    room = 0
    for place in range(begin, word_ends[past - 1] if past else 0):
        room += start[word[place] + 1] - start[word[place]]
    lemma = np.empty(min(room, max_lemmas), np.int32)
    ends = np.empty(past - first, np.int32)
    used = 0
    for sentence in range(first, past):
        end = word_ends[sentence]
        size = letter_ends[sentence] - (letter_ends[sentence - 1] if sentence else 0)
        shouted = _is_shouted(words, begin, end, size)
        for place in range(begin, end):
            at = start[word[place]]
            printed = at + 2 + tokens[at + 1]
            low = printed if shouted else at + 2
            high = start[word[place] + 1] if shouted else printed
            for i in range(low, min(high, low + max_lemmas - used)):
                lemma[used] = tokens[i]
                used += 1
        begin = end
        ends[sentence - first] = used
    return lemma[:used], ends


@njit(cache=True, nogil=True)
def _is_shouted(words, begin, end, size):
    """Say whether most of a sentence of `size` characters is in capitals."""
    word, trimmed = words.word, words.trimmed
    tokens, start = words.tokens, words.token_start
    loud = False
    capitals = 0
    for place in range(begin, end):
        loudness = tokens[start[word[place]]]
        if loudness != 0:
            loud |= loudness < 0 and trimmed[place] == 0
            capitals += abs(loudness) + trimmed[place]
    return loud and 2 * capitals > size


@njit(cache=True, nogil=True)
def _number_locally(lemma):
    """Return the distinct lemmas; in their place is written which of these it is."""
    slots = np.full(2 * len(lemma) + 1, -1, np.int32)
    distinct = np.empty(len(lemma), np.int32)
    count = 0
    for i in range(len(lemma)):
        slot = slot_of_key(np.int64(lemma[i]), distinct, slots)
        if slots[slot] < 0:
            slots[slot] = count
            distinct[count] = lemma[i]
            count += 1
        lemma[i] = slots[slot]
    return distinct[:count].copy()


@njit(cache=True, nogil=True)
def _cells(lemma, ends):
    """Return first word, second word + 1 and sentence of every appearance of a term.

    Single words come first, then pairs, both in the order of the text.
    """
    room = 2 * len(lemma)
    first, second, sentence = (
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
    )
    pair = len(lemma)
    at = 0
    for number in range(len(ends)):
        while at < ends[number]:
            first[at] = lemma[at]
            second[at] = 0
            sentence[at] = number
            if at + 1 < ends[number]:
                first[pair] = lemma[at]
                second[pair] = lemma[at + 1] + 1
                sentence[pair] = number
                pair += 1
            at += 1
    return first[:pair], second[:pair], sentence[:pair]


@njit(cache=True, nogil=True)
def _sorted_by(key, order, size):
    """Return `order` sorted by key, those with one key as they were: linear in time."""
    start = np.zeros(size + 1, np.int32)
    for i in order:
        start[key[i] + 1] += 1
    for i in range(size):
        start[i + 1] += start[i]
    moved = np.empty(len(order), np.int64)
    for i in order:
        moved[start[key[i]]] = i
        start[key[i]] += 1
    return moved


@njit(cache=True, nogil=True)
def _columns(first, second, sentence, order):
    """Return the columns of `TermCounts` behind its words, in their order."""
    room = len(order)
    terms = np.empty((4, room), np.int32)
    cells = np.empty((3, room), np.int32)
    term = -1
    cell = -1
    before = -1
    for i in order:
        new = before < 0 or first[i] != first[before] or second[i] != second[before]
        if new:
            term += 1
            terms[0, term], terms[1, term] = first[i], second[i] - 1
            terms[2, term] = terms[3, term] = 0
        if new or sentence[i] != sentence[before]:
            cell += 1
            cells[0, cell], cells[1, cell], cells[2, cell] = term, sentence[i], 0
            terms[3, term] += 1
        terms[2, term] += 1
        cells[2, cell] += 1
        before = i
    # a copy each: an article in the window is to hold nothing else in memory
    t, c = term + 1, cell + 1
    return (
        terms[0, :t].copy(),
        terms[1, :t].copy(),
        terms[2, :t].copy(),
        terms[3, :t].copy(),
        cells[0, :c].copy(),
        cells[1, :c].copy(),
        cells[2, :c].copy(),
    )
