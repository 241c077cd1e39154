"""The hot loop of pooling, compiled: sums of token vectors, at length 1, rounded."""

from __future__ import annotations

import numpy as np

from ustory.core.kernels import njit

# Arrays are typed where these are called: encode/wordllama.py.
# mypy: disable-error-code="no-untyped-def, misc"
# ruff: noqa: ANN001, ANN201, ANN202


@njit(cache=True, nogil=True)
def pool_words(words, vectors, out):
    """Write the sum of each sentence's token vectors at length 1, as float16 bits.

    What scipy's sparse product and `to_unit_rows` give, to the last bit, without
    their passes over memory: tokens are added up in reading order.
    """
    word, word_ends = words.word, words.ends
    tokens, token_start = words.tokens, words.token_start
    dim = vectors.shape[1]
    total = np.empty(dim, np.float32)
    exact = np.empty(dim, np.float64)
    begin = 0
    for sentence in range(len(word_ends)):
        total[:] = 0.0
        for place in range(begin, word_ends[sentence]):
            number = word[place]
            for at in range(token_start[number], token_start[number + 1]):
                theirs = vectors[tokens[at]]
                for i in range(dim):
                    total[i] += theirs[i]
        begin = word_ends[sentence]
        _to_unit(total, exact)
        _to_half(exact, out[sentence])


@njit(cache=True, nogil=True)
def _to_unit(total, exact):
    """Write the row at length 1; one of zeros becomes the first axis."""
    largest = np.float32(0.0)
    for i in range(len(total)):
        largest = max(largest, abs(total[i]))
    if largest == 0.0:
        exact[:] = 0.0
        exact[0] = 1.0
        return
    scale = np.float64(largest)
    for i in range(len(total)):
        exact[i] = total[i] / scale
    half = len(exact) // 2
    # numpy adds up blocks of 128, and these in pairs: there are two in 256
    squares = _sum_squares(exact, 0, half) + _sum_squares(exact, half, half)
    length = np.sqrt(squares)
    for i in range(len(total)):
        exact[i] /= length


@njit(cache=True, nogil=True)
def _sum_squares(row, start, size):
    """Add up the squares of at most 128 numbers in the order of numpy: eight sums."""
    whole = start + size - size % 8
    a = b = c = d = e = f = g = h = 0.0
    for i in range(start, whole, 8):
        a += row[i] * row[i]
        b += row[i + 1] * row[i + 1]
        c += row[i + 2] * row[i + 2]
        d += row[i + 3] * row[i + 3]
        e += row[i + 4] * row[i + 4]
        f += row[i + 5] * row[i + 5]
        g += row[i + 6] * row[i + 6]
        h += row[i + 7] * row[i + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(whole, start + size):
        total += row[i] * row[i]
    return total


@njit(cache=True, nogil=True)
def _to_half(exact, out):
    """Write the bits of float16, ties to even, of numbers between -1 and 1."""
    bits = exact.view(np.uint64)
    for i in range(len(exact)):
        sign = np.uint64((bits[i] >> np.uint64(48)) & np.uint64(0x8000))
        plain = bits[i] & np.uint64(0x7FFFFFFFFFFFFFFF)
        # 42 of the 52 bits go: add just below half of the last one kept
        odd = (plain >> np.uint64(42)) & np.uint64(1)
        kept = (plain + np.uint64(0x1FFFFFFFFFF) + odd) >> np.uint64(42)
        normal = kept - np.uint64((1023 - 15) << 10)
        # below 2^-14 float16 counts in steps of 2^-24
        tiny = np.uint64(np.rint(abs(exact[i]) * 16777216.0))
        small = plain < np.uint64((1023 - 14) << 52)
        out[i] = np.uint16(sign | (tiny if small else normal))
