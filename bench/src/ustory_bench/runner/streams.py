"""Labelled streams that are ready to be run: texts and vectors are made once."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder, TextPipeline
from ustory.core.spans import EPOCH
from ustory.engine.languages import UsualLanguages, decided
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.snapshot.states import to_plain
from ustory.sources.open import file_digest, open_source


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A labelled stream with sentences, terms and vectors, oldest article first."""

    name: str
    articles: Sequence[PreparedArticle] = field(repr=False)
    sha256: str
    """Of the file it was read from, or of the articles where there is no file."""

    @property
    def truth(self) -> dict[str, str | None]:
        """The true story of each article, None where it has no label."""
        return {one.article.id: one.article.label for one in self.articles}

    @property
    def published(self) -> dict[str, datetime]:
        """When each article was published."""
        return {one.article.id: one.article.published_at for one in self.articles}


def read_stream(path: Path, pipeline: TextPipeline, encoder: Encoder) -> Stream:
    """Return the labelled stream of a file, under the file's name."""
    source = open_source(str(path))
    articles = [arrival.article for arrival in source.read()]
    return prepare_stream(
        stream_name(path), articles, pipeline, encoder, file_digest(path)
    )


def prepare_stream(
    name: str,
    articles: Iterable[Article],
    pipeline: TextPipeline,
    encoder: Encoder,
    sha256: str | None = None,
    gist_encoder: Encoder | None = None,
) -> Stream:
    """Return articles as a stream that systems can be compared on.

    They are put in order of time. Refused are a stream without labels, one with a
    single true story, and ids that are used twice: no score would mean anything.
    """
    ordered = sorted(articles, key=lambda one: (one.published_at, one.id))
    _check_comparable(name, ordered)
    return Stream(
        name=name,
        articles=tuple(
            prepare(in_languages(ordered), pipeline, encoder, Stopwatch(), gist_encoder)
        ),
        sha256=sha256 or articles_digest(ordered),
    )


def in_languages(articles: Sequence[Article]) -> list[Article]:
    """Return articles, in order of time, in their languages, as slides of a day."""
    usual, found = UsualLanguages(), list[Article]()
    for day, some in groupby(articles, key=lambda one: one.published_at.date()):
        decisions = decided(list(some), usual)
        usual = usual.after(decisions, float(day.toordinal() - EPOCH.toordinal()))
        found += decisions
    return found


def stream_name(path: Path) -> str:
    """Return what a file is called in tables.

    >>> stream_name(Path("data/news.2018.jsonl.gz"))
    'news.2018'
    """
    return Path(path.name.removesuffix(".gz")).stem


def articles_digest(articles: Iterable[Article]) -> str:
    """Return a SHA-256 of everything that articles say, labels and order included."""
    digest = hashlib.sha256()
    for article in articles:
        plain = to_plain(article)
        del plain["doubtful"]  # what a service made of the date, not what it says
        line = json.dumps(plain, sort_keys=True, ensure_ascii=False)
        digest.update(line.encode("utf-8", "replace") + b"\n")
    return digest.hexdigest()


def _check_comparable(name: str, articles: Sequence[Article]) -> None:
    stories = {article.label for article in articles} - {None}
    if len(stories) < 2:
        found = "a single true story" if stories else "no true story"
        raise ConfigError(
            f"systems are compared by their stories, and {name} has {found} in "
            f"{len(articles)} articles; give a stream labelled with two or more, in a "
            "field named story"
        )
    twice = [id_ for id_, n in Counter(a.id for a in articles).items() if n > 1]
    if twice:
        raise ConfigError(
            f"article ids of a labelled stream must be unique; {name} has {twice[0]!r} "
            "more than once: leave all but one out"
        )
