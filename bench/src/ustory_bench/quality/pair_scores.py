"""What the default mode says of labelled pairs, all their articles being one window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from ustory.core.arrays import Indices, Mask, Matrix, Vector
from ustory.core.article import Article, PreparedArticle
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.encode.gist import gist_text
from ustory.engine.online import Engine
from ustory.engine.prepare import Stopwatch, prepare
from ustory.links.evidence.names import name_counts
from ustory.links.graph import Links
from ustory.links.pairing import PairContext, columns_of
from ustory.links.slide import log_odds, own_log_odds, parts_of, unit_of
from ustory.links.state import LinkState
from ustory.links.word_candidates import body_rows, lead_rows, pair_cosines
from ustory.text import load_pipeline
from ustory_bench.quality.pair_data import WHEN, LabelledPair, PairSet

LEAD_SENTENCES = 3
"""Sentences of a lead beside the title."""
LONG = 1_000
"""Characters that the rival reads which is given more than title and lead."""


@dataclass(frozen=True, slots=True)
class Encoders:
    """The encoders of a measurement, each loaded once."""

    main: Encoder
    gist: Encoder
    """The multilingual one; its plain cosine is the rival, and gists may use it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScores:
    """Pairs that have an answer, and what is said of them, as columns."""

    pairs: Sequence[LabelledPair]
    languages: Sequence[tuple[str, str]]
    right: Mask
    scores: Mapping[str, Vector]
    """By the name of a system; higher: more likely one story."""
    words: Vector
    """The cosine of all words, which says how much a pair has in common."""

    def __len__(self) -> int:
        return len(self.pairs)

    def only(self, kept: Mask) -> PairScores:
        """Return some of the pairs."""
        places = np.flatnonzero(kept).tolist()
        return PairScores(
            pairs=[self.pairs[place] for place in places],
            languages=[self.languages[place] for place in places],
            right=self.right[kept],
            scores={name: values[kept] for name, values in self.scores.items()},
            words=self.words[kept],
        )

    def beside(self, **scores: Vector) -> PairScores:
        """Return the same pairs with scores of other systems as well."""
        return replace(self, scores={**self.scores, **scores})

    @property
    def across(self) -> Mask:
        """Which pairs are of two languages."""
        return np.array([one != other for one, other in self.languages], dtype=bool)


def joined(parts: Sequence[PairScores]) -> PairScores:
    """Return the pairs of several files as one table, with what all of them have."""
    names = [n for n in parts[0].scores if all(n in part.scores for part in parts)]
    return PairScores(
        pairs=[pair for part in parts for pair in part.pairs],
        languages=[both for part in parts for both in part.languages],
        right=np.concatenate([part.right for part in parts]),
        scores={n: np.concatenate([part.scores[n] for part in parts]) for n in names},
        words=np.concatenate([part.words for part in parts]),
    )


def read_articles(
    articles: Sequence[Article], settings: Settings, encoders: Encoders
) -> list[PreparedArticle]:
    """Return articles ready for the engine, with gists if the settings ask for them."""
    gist = encoders.gist if parts_of(settings).gist else None
    pipeline = load_pipeline(settings.text)
    return prepare(articles, pipeline, encoders.main, Stopwatch(), gist)


def encoded(texts: Sequence[str], encoder: Encoder) -> Matrix:
    """Return the vector of each text."""
    return np.asarray(encoder.encode(texts), dtype=np.float32)


def cosines(vectors: Matrix, one: Indices, other: Indices) -> Vector:
    """Return the cosine of each pair of unit rows."""
    found = np.einsum("ij,ij->i", vectors[one], vectors[other])
    return np.asarray(found, dtype=np.float64)


def scored(
    chosen: PairSet, settings: Settings, encoders: Encoders, *, plain: bool = True
) -> PairScores:
    """Return what is said of the pairs of a set, all its articles being one window.

    Systems are each evidence alone, `vectors` (the cosine of the main encoder), `own`
    (all evidence of a pair) and `all` (that, read against other links); with `plain`
    also cosines of the multilingual encoder: `lead` of title and lead, `plain` of what
    the gist reads, and `long` of the first `LONG` characters.
    """
    ready = read_articles(list(chosen.articles.values()), settings, encoders)
    end = WHEN.replace(hour=0) + timedelta(days=1)
    engine = Engine(settings, encoders.main)
    state, _ = engine.advance(engine.begin(), Slide(end=end, articles=ready))
    window = Window.of(state.link, settings)
    pairs = [pair for pair in chosen.pairs if pair.same is not None]
    said = window.said(*window.ends(pairs))
    scores = {**said.evidence, "vectors": said.vectors}
    scores |= {"own": said.own, "all": said.total}
    if plain:
        place = {one.article.id: at for at, one in enumerate(ready)}
        ends = [[place[pair.one], place[pair.other]] for pair in pairs]
        one, other = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        for name, texts in _texts(ready).items():
            scores[name] = cosines(encoded(texts, encoders.gist), one, other)
    return PairScores(
        pairs=pairs,
        languages=[chosen.languages(pair) for pair in pairs],
        right=np.array([pair.same for pair in pairs], dtype=bool),
        scores=scores,
        words=said.body,
    )


def lead_text(prepared: PreparedArticle) -> str:
    """Return the title and the first three sentences, as evidence `lead` reads them."""
    title = bool(prepared.article.title.strip())
    return " ".join(prepared.sentences[: LEAD_SENTENCES + title])


def plain_text(prepared: PreparedArticle) -> str:
    """Return what the gist reads of an article."""
    return gist_text(prepared.sentences)


def _texts(ready: Sequence[PreparedArticle]) -> Mapping[str, Sequence[str]]:
    """Return what the rivals read of each article."""
    return {
        "lead": [lead_text(one) for one in ready],
        "plain": [plain_text(one) for one in ready],
        "long": [" ".join(one.sentences)[:LONG] for one in ready],
    }


@dataclass(frozen=True, slots=True)
class Said:
    """What a window says of some pairs."""

    evidence: Mapping[str, Vector]
    """Log-odds by each evidence."""
    vectors: Vector
    """The cosine of meanings of the main encoder."""
    body: Vector
    """The cosine of all words."""
    own: Vector
    """Log-odds by all evidence of the pair itself."""
    total: Vector
    """The same read against the best links of its articles, as links are."""


@dataclass(frozen=True, slots=True)
class Window:
    """All articles of a state, as pairs are scored there; copies are like others."""

    state: LinkState
    context: PairContext
    settings: Settings

    @classmethod
    def of(cls, state: LinkState, settings: Settings) -> Window:
        """Return the window of a state."""
        rows, parts = list(state.articles.values()), parts_of(settings)
        context = PairContext(
            evidence=parts.evidence,
            idf=state.background.idf,
            vectors=state.meanings.distinct(rows),
            gists=state.gists.rows(rows) if parts.gist else None,
            names=name_counts([each.columns for each in rows]) if parts.gist else None,
            lead=parts.lead,
            day=np.array([each.day for each in rows]),
            length=np.array([each.length for each in rows], dtype=np.int64),
            serial=np.array([each.serial for each in rows], dtype=np.int64),
            new=len(rows),
            columns=columns_of(parts.evidence, rows),
        )
        return cls(state, context, settings)

    def ends(self, pairs: Sequence[LabelledPair]) -> tuple[Indices, Indices]:
        """Return the rows of the newer and of the older article of each pair."""
        row = {name: place for place, name in enumerate(self.state.articles)}
        rows = [[row[pair.one], row[pair.other]] for pair in pairs]
        both = np.sort(np.array(rows, dtype=np.int64).reshape(-1, 2), axis=1)
        return both[:, 1], both[:, 0]

    def said(self, newer: Indices, older: Indices) -> Said:
        """Return what is said of pairs of rows, whether they are linked or not."""
        rows, context = list(self.state.articles.values()), self.context
        body = pair_cosines(body_rows(rows, context.idf), newer, older)
        lead = pair_cosines(lead_rows(rows, context.idf), newer, older)
        pairs = context.pairs(newer, older, body, lead)
        evidence = {each.name: each.log_odds(pairs) for each in context.evidence}
        assert context.vectors is not None
        vectors = cosines(context.vectors, newer, older)
        total = self._totals(newer, older, evidence)
        return Said(evidence, vectors, body, *total)

    def _totals(
        self, newer: Indices, older: Indices, evidence: Mapping[str, Vector]
    ) -> tuple[Vector, Vector]:
        """Return the log-odds of pairs by themselves, then as links beside others."""
        day, serial = self.context.day, self.context.serial
        asked = Links(
            older=serial[older],
            newer=serial[newer],
            evidence=evidence,
            gap=np.abs(day[newer] - day[older]),
        )
        state = replace(self.state, links=Links.join([self.state.links, asked]))
        how = unit_of(self.settings), parts_of(self.settings)
        known = len(self.state.links)
        return own_log_odds(state, *how)[known:], log_odds(state, *how)[known:]
