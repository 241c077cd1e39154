"""Measures how often languages are found: `python -m ustory_bench.quality.detection`.

Each line of the given files is a pair of articles with their languages; of each title,
and of each text, the first ten words are read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ustory.engine.languages import SURE
from ustory.text.detect import detect
from ustory.text.languages import language_of

WORDS, SIGNS = 10, 25
"""Words that are read, or signs where there are no spaces."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in short texts of known languages."""

    texts: int
    right: float
    sure: float
    """Share of texts whose language is sure enough to be used."""
    right_if_sure: float
    milliseconds: float
    """Of the processor, for each text."""


def beginning(text: str) -> str:
    """Return the first words of a text, or signs.

    >>> beginning("a b c d e f g h i j k l")
    'a b c d e f g h i j'
    """
    words = text.split()[:WORDS]
    return " ".join(words) if len(words) > 1 else text.strip()[:SIGNS]


def titles_and_texts(files: Sequence[Path], field: str) -> list[tuple[str, str]]:
    """Return each beginning of a `title` or `text` once, with its language."""
    return sorted(set(_beginnings(files, field)))


def _beginnings(files: Sequence[Path], field: str) -> Iterator[tuple[str, str]]:
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                pair = json.loads(line)
                for one in (pair["a"], pair["b"]):
                    if start := beginning(one[field]):
                        yield language_of(one["lang"]), start


def read(texts: Sequence[tuple[str, str]]) -> Reading:
    """Find the language of each text, and compare."""
    detect("once, for the model is unpacked then")
    began = time.process_time()
    guesses = [detect(text) for _, text in texts]
    took = time.process_time() - began
    right = [g.lang == lang for g, (lang, _) in zip(guesses, texts, strict=True)]
    sure = [guess.probability >= SURE for guess in guesses]
    both = sum(r and s for r, s in zip(right, sure, strict=True))
    count = len(texts)
    return Reading(
        texts=count,
        right=sum(right) / count,
        sure=sum(sure) / count,
        right_if_sure=both / max(sum(sure), 1),
        milliseconds=1000 * took / count,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for titles and one for texts."""
    parser = argparse.ArgumentParser(description="Measures language detection.")
    parser.add_argument("files", nargs="+", type=Path, help="pairs, gzipped JSON Lines")
    asked = parser.parse_args(arguments)
    names = ("read", "texts", "right", "sure", "right if sure", "ms each")
    table = Table(*names, box=None)
    for field in ("title", "text"):
        found = read(titles_and_texts(asked.files, field))
        shares = (found.right, found.sure, found.right_if_sure, found.milliseconds)
        table.add_row(field, str(found.texts), *(f"{share:.3f}" for share in shares))
    Console().print(table)


if __name__ == "__main__":
    main()
