"""Streams of a bench, prepared once for each encoder and shared through files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ustory.core.article import Article, PreparedArticle, TermCounts
from ustory.core.errors import ConfigError, StateError
from ustory.core.rules import (
    FAR,
    MAX_TERMS,
    Alike,
    Arrays,
    Holds,
    InconsistentError,
    PositionsIn,
    Rule,
    Shares,
    Total,
    Within,
)
from ustory.core.settings import NO_GIST, Settings
from ustory.encode.gist import load_gist_encoder, with_gist_encoder
from ustory.encode.load import load_encoder
from ustory.engine.snapshot import seal, unseal
from ustory.text.load import load_pipeline
from ustory_bench.runner.input_streams import InputStream
from ustory_bench.runner.streams import Stream, prepare_stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A stream that lies ready for all processes."""

    path: Path
    fingerprint: str
    """Of data, format, encoder, text pipeline and version."""
    about: Mapping[str, Any]
    """`sha256`, `articles`, `labelled`, `stories`, and `dim` of the vectors."""


def prepare_all(
    streams: Sequence[InputStream],
    encoders: Sequence[str],
    text: str,
    folder: Path,
    tell: Callable[[str], None],
) -> dict[tuple[str, str], Prepared]:
    """Return each stream with each encoder, preparing those that are not yet.

    Text is split and counted, and gists are read, once for all encoders: gists if
    their usual encoder is installed, as in any run. A stream that systems cannot be
    compared on is refused.
    """
    gists = with_gist_encoder(Settings()).gist_encoder
    found: dict[tuple[str, str], Prepared] = {}
    for given in streams:
        digest, read = given.digest(), None
        for encoder in encoders:
            place = _Place(given, digest, encoder, text, folder, gists)
            if not place.written():
                tell(f"preparing {given.name} with {encoder}")
                read = _prepare(place, read)
                place.write(read)
            found[given.name, encoder] = place.prepared()
    return found


def write_prepared(stream: Stream, encoder: str, text: str, folder: Path) -> Prepared:
    """Return a stream that is prepared already, in a file for other processes."""
    place = _Place(InputStream(name=stream.name), stream.sha256, encoder, text, folder)
    if not place.written():
        place.write(stream)
    return place.prepared()


def load_prepared(path: Path) -> Stream:
    """Return the stream of a file that this bench, or an earlier one, wrote.

    The folder of a report may have been anybody's: the file is data, and is checked.
    """
    try:
        kept, _ = unseal(path.read_bytes(), _Kept, str(path))
        for rule in _COUNTED:
            rule.ask(_fields([row.counts for row in kept.rows], TermCounts))
    except (StateError, InconsistentError) as error:
        raise ConfigError(
            f"cannot use the prepared stream {path}: {error}; remove the file, and it "
            "is prepared again"
        ) from error
    articles = [PreparedArticle(**_values(row)) for row in kept.rows]
    return Stream(name=kept.name, articles=articles, sha256=kept.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A prepared article as it is kept."""

    article: Article
    sentences: tuple[str, ...]
    counts: TermCounts
    vectors: NDArray[Any]
    gist: NDArray[Any] | None = None
    RULES: ClassVar[tuple[Rule, ...]] = (
        Arrays("float16 float32", "vectors", axes=2),
        Within(-2, 2, "vectors"),
        Alike("sentences", "vectors"),
        Holds(
            "a gist must be one row of float32 numbers between -2 and 2",
            lambda gist: (
                gist is None
                or (
                    gist.dtype == np.float32
                    and gist.ndim == 1
                    and bool((np.abs(gist) <= 2).all())
                )
            ),
            "gist",
        ),
        Holds(
            "a term must be in a sentence that there is",
            lambda counts, vectors: (
                counts.sentence.max(initial=-1) < len(vectors)
                and counts.sentence.min(initial=0) >= 0
            ),
            "counts",
            "vectors",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A stream as it is kept."""

    name: str
    sha256: str
    rows: tuple[_Row, ...]
    RULES: ClassVar[tuple[Rule, ...]] = (
        Holds(
            "a stream must have vectors of one length",
            lambda rows: len({row.vectors.shape[1] for row in rows}) == 1,
            "rows",
        ),
        Holds(
            "a stream must have gists of one length",
            lambda rows: (
                len({len(row.gist) for row in rows if row.gist is not None}) <= 1
            ),
            "rows",
        ),
    )


_COUNTED: tuple[Rule, ...] = (
    Arrays("int32", "first", "second", "tf", "cells", "term", "sentence", "count"),
    Alike("first", "second", "tf", "cells"),
    Alike("term", "sentence", "count"),
    Within(-1, FAR, "second"),
    Within(1, MAX_TERMS, "tf", "cells", "count"),
    Total(MAX_TERMS, "tf"),
    Shares("cells", "term"),
    PositionsIn("first", "words"),
    PositionsIn("term", "first"),
    Holds(
        "a second word must be a word",
        lambda words, second: second.max(initial=-1) < len(words),
        "words",
        "second",
    ),
)
"""What the engine relies on in the counts of an article."""


def _values(one: Any) -> dict[str, Any]:  # noqa: ANN401 - any dataclass
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _fields(values: Sequence[Any], kind: type[Any]) -> dict[str, list[Any]]:
    return {f.name: [getattr(v, f.name) for v in values] for f in fields(kind)}


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never there in part."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a stream with an encoder is kept."""

    given: InputStream
    digest: str
    encoder: str
    text: str
    folder: Path
    gists: str = NO_GIST
    """What reads the gists of its articles."""

    @property
    def fingerprint(self) -> str:
        given = self.given
        parts = [self.digest, given.name, given.read_as, given.on_error]
        parts += [self.encoder, self.text, version("ustory")]
        parts += [] if self.gists == NO_GIST else [self.gists]
        return sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def path(self) -> Path:
        plain = re.sub(r"[^\w.-]+", "-", f"{self.given.name}.{self.encoder}")[:80]
        return self.folder / f"{plain}.{self.fingerprint[:12]}.stream"

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
        rows = tuple(_Row(**_values(one)) for one in stream.articles)
        kept = _Kept(name=stream.name, sha256=stream.sha256, rows=rows)
        write_whole(self.path, seal(kept, {}))
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
        gists = load_gist_encoder(Settings(gist_encoder=place.gists))
        return prepare_stream(given.name, articles, pipeline, encoder, digest, gists)
    again = _Replayed(place.text, read.articles)
    known = [one.article for one in read.articles]
    found = prepare_stream(given.name, known, again, encoder, read.sha256)
    gist = {one.article.id: one.gist for one in read.articles}
    return replace(
        found,
        articles=[replace(a, gist=gist[a.article.id]) for a in found.articles],
    )
