"""Compiled: the terms of articles sentence by sentence, and what two have in common."""

from __future__ import annotations

import numpy as np

from ustory.core.kernels import njit

# Arrays of compiled functions are typed by those who call them.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202, C901


@njit(cache=True, nogil=True)
def put_in_order(order, cells, sentences, counts):
    """Return the cells of an article's terms in another order of the terms."""
    sentence, count = np.empty_like(sentences), np.empty_like(counts)
    start = np.cumsum(cells) - cells
    end = 0
    for term in order:
        for at in range(start[term], start[term] + cells[term]):
            sentence[end] = sentences[at]
            count[end] = counts[at]
            end += 1
    return sentence, count


@njit(cache=True, nogil=True)
def title_and_lead(cells, sentences, counts, second, ends):
    """Return which terms the title has, and how often each word is in the lead.

    `ends` are the sentences before which title and lead end, and `second` the second
    word of terms that are two: a lead is short, these hardly repeat in another.
    """
    title, lead = ends
    named = np.zeros(len(cells), dtype=np.bool_)
    head = np.zeros(len(cells), dtype=np.int32)
    at = 0
    for term in range(len(cells)):
        for _ in range(cells[term]):
            if sentences[at] < title:
                named[term] = True
            if sentences[at] < lead and second[term] < 0:
                head[term] += counts[at]
            at += 1
    return named, head


@njit(cache=True, nogil=True)
def marked(keys, known):
    """Return which keys are among others, which are ascending."""
    found = np.zeros(len(keys), dtype=np.bool_)
    if len(known):
        for i in range(len(keys)):
            place = np.searchsorted(known, keys[i])
            found[i] = place < len(known) and known[place] == keys[i]
    return found


@njit(cache=True, nogil=True)
def marked_terms(terms, outlet, known):
    """Return which terms of an outlet are among known keys; both are ascending."""
    found = np.zeros(len(terms), dtype=np.bool_)
    if not outlet or not len(known):
        return found
    at = np.searchsorted(known, outlet)
    for i in range(len(terms)):
        key = outlet | np.int64(terms[i])
        while at < len(known) and known[at] < key:
            at += 1
        if at == len(known):
            break
        found[i] = known[at] == key
    return found


@njit(cache=True, nogil=True)
def mark_seen(terms, second, outlet, known, seen):
    """Mark the known keys of those terms of an outlet that are two words."""
    if not outlet or not len(known):
        return
    at = np.searchsorted(known, outlet)
    for i in range(len(terms)):
        key = outlet | np.int64(terms[i])
        while at < len(known) and known[at] < key:
            at += 1
        if at == len(known):
            break
        if known[at] == key and second[i] >= 0:
            seen[at] = True


@njit(cache=True, nogil=True)
def _of_phrases(cells, sentences, ends, pairs, sizes):
    """Return the cells of phrases that are furniture: of pairs, and of their words.

    `ends` are the words of each term, the second -1 where it is one; `pairs` marks
    the terms that are known of phrases; `sizes` are the number of sentences, of words,
    and of the pairs that a sentence must have.
    """
    first, second = ends
    many, words, least = sizes
    number = np.zeros(many, dtype=np.int64)
    at = 0
    for term in range(len(cells)):
        for _ in range(cells[term]):
            number[sentences[at]] += pairs[term]
            at += 1
    gone = np.zeros(len(sentences), dtype=np.bool_)
    row = np.cumsum(number >= least)
    if not many or not row[-1]:
        return gone
    is_of = np.zeros((row[-1], words), dtype=np.bool_)
    for singles in (False, True):
        at = 0
        for term in range(len(cells)):
            for _ in range(cells[term]):
                sentence = sentences[at]
                if number[sentence] >= least:
                    of = is_of[row[sentence] - 1]
                    if singles and second[term] < 0:
                        gone[at] = of[first[term]]
                    elif not singles and pairs[term]:
                        gone[at] = of[first[term]] = of[second[term]] = True
                at += 1
    return gone


@njit(cache=True, nogil=True)
def without(columns, ends, dropped, pairs, sizes):
    """Return the cells that are no furniture: their tf, cells, sentences and counts.

    `columns` are the cells of each term, their sentences and counts; `dropped` are
    sentences; the rest is as for `_of_phrases`.
    """
    cells, sentences, counts = columns
    gone = _of_phrases(cells, sentences, ends, pairs, sizes)
    tf, left = np.zeros(len(cells), np.int32), np.zeros(len(cells), np.int32)
    sentence, count = np.empty_like(sentences), np.empty_like(counts)
    at, end = 0, 0
    for term in range(len(cells)):
        for _ in range(cells[term]):
            if not gone[at] and not dropped[sentences[at]]:
                tf[term] += counts[at]
                left[term] += 1
                sentence[end], count[end] = sentences[at], counts[at]
                end += 1
            at += 1
    return tf, left, sentence[:end], count[:end]


@njit(cache=True, nogil=True)
def _common_sentences(keys, keys2, known):
    """Return the keys above 0 that both have and that are not known, ascending."""
    ordered, ordered2 = np.sort(keys), np.sort(keys2)
    unknown = ~marked(ordered, known)
    found = np.empty(len(keys), dtype=np.int64)
    end, at = 0, 0
    for i in range(len(ordered)):
        key = ordered[i]
        if key > 0 and unknown[i] and (not i or ordered[i - 1] != key):
            while at < len(ordered2) and ordered2[at] < key:
                at += 1
            if at < len(ordered2) and ordered2[at] == key:
                found[end] = key
                end += 1
    return found[:end]


@njit(cache=True, nogil=True)
def _common_pairs(terms, terms2, second2):
    """Return the places of the terms of two words that both articles have."""
    found = np.empty((2, min(len(terms), len(terms2))), dtype=np.int64)
    end, at = 0, 0
    for place in range(len(terms2)):
        while at < len(terms) and terms[at] < terms2[place]:
            at += 1
        if at == len(terms):
            break
        if terms[at] == terms2[place] and second2[place] >= 0:
            found[0, end], found[1, end] = at, place
            end += 1
    return found[:, :end]


@njit(cache=True, nogil=True)
def _common_phrases(one, other, second2, limits):
    """Return the sentences of both, and terms of the other, that are of common phrases.

    Two sentences have a phrase in common when they have at least `least` pairs of
    words in common. Where there are more than `most` to look at, none are.
    """
    least, most = limits
    terms, cells, sentences, _, keys = one
    terms2, cells2, sentences2, _, keys2 = other
    first = np.zeros(len(keys), dtype=np.bool_)
    second = np.zeros(len(keys2), dtype=np.bool_)
    both = _common_pairs(terms, terms2, second2)
    work = 0
    for i in range(both.shape[1]):
        work += cells[both[0, i]] * cells2[both[1, i]]
    if work < least or work > most:
        return first, second, terms2[:0]
    start, start2 = np.cumsum(cells) - cells, np.cumsum(cells2) - cells2
    number = np.zeros((len(keys), len(keys2)), dtype=np.int32)
    phrase = np.zeros(both.shape[1], dtype=np.bool_)
    for again in (False, True):
        for i in range(both.shape[1]):
            term, term2 = both[0, i], both[1, i]
            for at in range(start[term], start[term] + cells[term]):
                for at2 in range(start2[term2], start2[term2] + cells2[term2]):
                    here, there = sentences[at], sentences2[at2]
                    if not again:
                        number[here, there] += 1
                    elif number[here, there] >= least:
                        phrase[i] = True
                        first[here] = second[there] = True
    return first, second, terms2[both[1][phrase]]


@njit(cache=True, nogil=True)
def _weights(text, gone, idf):
    """Return the weights of an article's terms outside some sentences.

    And their length, and how many appearances of terms there are.
    """
    terms, cells, sentences, counts, _ = text
    found = np.zeros(len(terms))
    total, square, at = 0, 0.0, 0
    for term in range(len(terms)):
        tf = 0
        for _ in range(cells[term]):
            if not gone[sentences[at]]:
                tf += counts[at]
            at += 1
        if tf:
            total += tf
            found[term] = (1.0 + np.log(tf)) * idf[terms[term]]
            square += found[term] * found[term]
    return found, max(np.sqrt(square), 1e-12), total


@njit(cache=True, nogil=True)
def compared(one, other, second2, known, idf, limits):
    """Return the sentences and phrases that two articles share, and their cosine.

    Of each article: its terms, ascending, the cells of each, their sentences and
    counts, and what each sentence is known by. `second2` is as for `title_and_lead`,
    of the other. Sentences are given by their keys, without those known, and phrases
    by the terms of their pairs of words. The cosine is that of the words in all other
    sentences that are not known; -1 where little is left of either, or nothing is
    shared. `limits` are those of phrases, and the least there must be left.
    """
    shared = _common_sentences(one[4], other[4], known)
    first, second, phrases = _common_phrases(one, other, second2, limits[:2])
    if not len(shared) and not len(phrases):
        return shared, phrases, -1.0
    first |= marked(one[4], known) | marked(one[4], shared)
    second |= marked(other[4], known) | marked(other[4], shared)
    weights, length, total = _weights(one, first, idf)
    weights2, length2, total2 = _weights(other, second, idf)
    if min(total, total2) < limits[2]:
        return shared, phrases, -1.0
    cosine, place = 0.0, 0
    for term in range(len(weights)):
        while place < len(weights2) and other[0][place] < one[0][term]:
            place += 1
        if place < len(weights2) and other[0][place] == one[0][term]:
            cosine += weights[term] / length * (weights2[place] / length2)
    return shared, phrases, cosine
