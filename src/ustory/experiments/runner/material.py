"""Streams of a bench, prepared once for each encoder and shared through files."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ustory.compare.streams import Stream, prepare_stream
from ustory.core.article import Article, PreparedArticle, TermCounts
from ustory.encode.load import load_encoder
from ustory.experiments.runner.given import Given
from ustory.text.load import load_pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A stream that lies ready for all processes."""

    path: Path
    fingerprint: str
    """Of data, format, encoder, text pipeline and version."""
    about: Mapping[str, Any]
    """`sha256`, `articles`, `labelled`, `stories`, and `dim` of the vectors."""


def prepare_all(
    streams: Sequence[Given],
    encoders: Sequence[str],
    text: str,
    folder: Path,
    tell: Callable[[str], None],
) -> dict[tuple[str, str], Prepared]:
    """Return each stream with each encoder, preparing those that are not yet.

    Text is split and counted once for all encoders. A stream that systems cannot be
    compared on is refused.
    """
    found: dict[tuple[str, str], Prepared] = {}
    for given in streams:
        digest, read = given.digest(), None
        for encoder in encoders:
            place = _Place(given, digest, encoder, text, folder)
            if not place.written():
                tell(f"preparing {given.name} with {encoder}")
                read = _prepare(place, read)
                place.write(read)
            found[given.name, encoder] = place.prepared()
    return found


def load_prepared(path: Path) -> Stream:
    """Return the stream of a file that this bench, or an earlier one, wrote."""
    stream = pickle.loads(path.read_bytes())
    assert isinstance(stream, Stream)
    return stream


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never there in part."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a stream with an encoder is kept."""

    given: Given
    digest: str
    encoder: str
    text: str
    folder: Path

    @property
    def fingerprint(self) -> str:
        given = self.given
        parts = [self.digest, given.name, given.read_as, given.on_error]
        parts += [self.encoder, self.text, version("ustory")]
        return sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def path(self) -> Path:
        plain = re.sub(r"[^\w.-]+", "-", f"{self.given.name}.{self.encoder}")[:80]
        return self.folder / f"{plain}.{self.fingerprint[:12]}.pickle"

    @property
    def beside(self) -> Path:
        return self.path.with_suffix(".json")

    def written(self) -> bool:
        return self.path.exists() and self.beside.exists()

    def prepared(self) -> Prepared:
        about = json.loads(self.beside.read_text(encoding="utf-8"))
        return Prepared(path=self.path, fingerprint=self.fingerprint, about=about)

    def write(self, stream: Stream) -> None:
        labels = [one.article.label for one in stream.articles]
        about = {
            "sha256": stream.sha256,
            "articles": len(labels),
            "labelled": sum(label is not None for label in labels),
            "stories": len(set(labels) - {None}),
            "dim": int(stream.articles[0].vectors.shape[1]),
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, pickle.dumps(stream, pickle.HIGHEST_PROTOCOL))
        write_whole(self.beside, json.dumps(about).encode())


class _Replayed:
    """A text pipeline that repeats what another did with the same articles."""

    def __init__(self, name: str, articles: Sequence[PreparedArticle]) -> None:
        self.name = name
        self._sentences = {one.article.id: one.sentences for one in articles}
        self._counts = {id(one.sentences): one.counts for one in articles}

    def split(self, article: Article) -> tuple[str, ...]:
        return self._sentences[article.id]

    def count(self, sentences: Sequence[str], lang: str | None) -> TermCounts:
        del lang
        return self._counts[id(sentences)]


def _prepare(place: _Place, read: Stream | None) -> Stream:
    given, encoder = place.given, load_encoder(place.encoder)
    if read is None:
        articles, pipeline = given.articles(), load_pipeline(place.text)
        digest = place.digest if given.path else None
        return prepare_stream(given.name, articles, pipeline, encoder, digest)
    again = _Replayed(place.text, read.articles)
    known = [one.article for one in read.articles]
    return prepare_stream(given.name, known, again, encoder, read.sha256)
