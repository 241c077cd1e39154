"""The newest articles of the window as two strategies represent them (Sec. 6.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ustory.core.arrays import Matrix, SentenceVectors, Vector
from ustory.core.settings import Settings
from ustory.engine.state import Record, State
from ustory.links.article import LinkedArticle
from ustory.paper.themes.stories import story_themes
from ustory.service.slide_runner import SlideRunner

MAX_ARTICLES = 2_000
"""Articles that are represented; older ones of the window are left out."""

_SENTENCES_PER_CALL = 256
"""Sentences that are encoded in one turn: a slide must never wait for long."""


@dataclass(frozen=True, slots=True)
class Views:
    """Articles and their representations, row by row."""

    records: Sequence[Record]
    """In order of publication, then of id."""
    stories: Sequence[str | None]
    thematic: Matrix
    """ThemSentMean: each sentence by its relevance to the article's story."""
    plain: Matrix
    """IndSentMean: the mean of the sentences."""

    @property
    def names(self) -> list[str]:
        """The ids of the articles."""
        return [record.id for record in self.records]


class Viewer:
    """Represents articles; it remembers the sentences it has encoded. Mutable."""

    def __init__(self, runner: SlideRunner, newest: int = MAX_ARTICLES) -> None:
        self._runner = runner
        self._newest = newest
        self._known: dict[str, SentenceVectors] = {}

    def views(self, state: State) -> Views:
        """Return the views of the newest articles of a state.

        An article without a story has no theme: in both views it is the mean of its
        sentences.
        """
        records = sorted(state.records.values(), key=lambda r: (r.published_at, r.id))
        records = records[-self._newest :]
        self._learn(records)
        sentences = {r.id: self._known[r.id].astype(np.float32) for r in records}
        plain = [sentences[r.id].mean(axis=0) for r in records]
        themed = _thematic(state, records, sentences, self._runner.settings)
        dim = self._runner.encoder.dim
        return Views(
            records,
            [_story(record) for record in records],
            _rows(
                [themed.get(r.id, p) for r, p in zip(records, plain, strict=True)], dim
            ),
            _rows(plain, dim),
        )

    def _learn(self, records: Sequence[Record]) -> None:
        """Encode the sentences of articles that are new, and forget the others'."""
        known = self._known
        self._known = {r.id: known[r.id] for r in records if r.id in known}
        for some in _portions([r for r in records if r.id not in known]):
            rows = self._runner.vectors([s for r in some for s in r.sentences])
            end = 0
            for record in some:
                start, end = end, end + len(record.sentences)
                self._known[record.id] = rows[start:end].copy()


def _portions(records: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield the records in portions of a few sentences, of one record at least."""
    portion: list[Record] = []
    size = 0
    for record in records:
        if portion and size + len(record.sentences) > _SENTENCES_PER_CALL:
            yield portion
            portion, size = [], 0
        portion.append(record)
        size += len(record.sentences)
    if portion:
        yield portion


def _story(record: Record) -> str | None:
    return None if record.decision is None else record.decision.story


def _rows(rows: Sequence[Matrix], dim: int) -> Matrix:
    return np.array(rows, dtype=np.float32).reshape(-1, dim)


def _thematic(
    state: State,
    records: Sequence[Record],
    sentences: Mapping[str, Matrix],
    settings: Settings,
) -> dict[str, Matrix]:
    """Return E_a|C of the articles that have a story.

    The paper's mode kept it when the article was assigned; in mode `links` the
    themes are those that the summaries of the stories have now.
    """
    if settings.mode != "links":
        return {
            record.id: record.vector.astype(np.float32)
            for record in records
            if record.vector is not None and _story(record) is not None
        }
    if not state.stories:
        return {}
    themes, _ = story_themes(
        list(state.stories.values()), dict(state.days), state.vocabulary, settings
    )
    place = {story: row for row, story in enumerate(state.stories)}
    weights = np.zeros(len(state.vocabulary))
    placed = [record for record in records if _story(record) in place]
    found: dict[str, Matrix] = {}
    for story, members in groupby(sorted(placed, key=_by_story), key=_by_story):
        terms = themes.terms[place[story]]
        terms = terms[terms >= 0]
        weights[terms] = themes.weights[place[story], : len(terms)]
        for record in members:
            article, rows = state.link.articles[record.id], sentences[record.id]
            relevance = _relevance(article, weights, len(rows))
            if relevance is not None:
                found[record.id] = (relevance @ rows).astype(np.float32)
        weights[terms] = 0.0
    return found


def _by_story(record: Record) -> str:
    return _story(record) or ""


def _relevance(
    article: LinkedArticle, weights: Vector, sentences: int
) -> Vector | None:
    """Return the theme relevance of each sentence (Eq. 2); None if none has any."""
    cells = np.repeat(weights[article.terms], article.cells) * article.count
    found = np.bincount(article.sentence, cells, minlength=sentences)
    total = found.sum()
    return np.asarray(found / total) if total > 0 else None
