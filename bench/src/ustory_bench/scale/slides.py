"""Prepared slides as files, on their way from one process to others."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ustory.core.article import PreparedArticle
from ustory.core.story import Slide

PIECE = 1_000
"""Articles that are written, and read, at a time."""


def slide_path(folder: Path, number: int) -> Path:
    """Return the file of a slide."""
    return folder / f"slide-{number:04d}.bin"


def write_slide(
    path: Path, end: datetime, pieces: Iterator[Sequence[PreparedArticle]]
) -> None:
    """Write a slide piece by piece; the file appears when it is whole."""
    beside = path.with_suffix(".tmp")
    with beside.open("wb") as file:
        pickle.dump(end, file, pickle.HIGHEST_PROTOCOL)
        for piece in pieces:
            _write_piece(file, piece)
        pickle.dump(None, file)
    beside.replace(path)


def read_slide(path: Path) -> Slide:
    """Return a slide as it was prepared."""
    with path.open("rb") as file:
        end = pickle.load(file)
        articles = [one for piece in _pieces(file) for one in piece]
    return Slide(end=end, articles=articles)


def _write_piece(file: BinaryIO, piece: Sequence[PreparedArticle]) -> None:
    """Write float16 numbers as such: they were only held as float32."""
    vectors = np.concatenate([one.vectors for one in piece])
    narrow = vectors.astype(np.float16)
    assert np.array_equal(narrow.astype(np.float32), vectors)
    words = [(one.article, one.sentences, one.counts) for one in piece]
    pickle.dump((words, narrow), file, pickle.HIGHEST_PROTOCOL)


def _pieces(file: BinaryIO) -> Iterator[list[PreparedArticle]]:
    while (found := pickle.load(file)) is not None:
        words, narrow = found
        rows = narrow.astype(np.float32)
        starts = accumulate((len(each[1]) for each in words), initial=0)
        yield [
            PreparedArticle(
                article=article,
                sentences=sentences,
                counts=counts,
                vectors=rows[first:end],
            )
            for (article, sentences, counts), (first, end) in zip(
                words, pairwise(starts), strict=True
            )
        ]
