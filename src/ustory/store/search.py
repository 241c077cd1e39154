"""Search: which articles and stories a query finds, and what each is worth.

One formula over what either database's index finds, so that both give one answer:

    s(a) = sum over phrases of w(p) (1 + 1[p is in the title of a]),
    w(p) = ln(1 + N / (1 + t(p))),
    S(c) = (sum of s(a) over the articles a of c + K s(headline of c)) / (n(c) + K)

N is the highest intake number, t(p) how many articles have p in their title, n(c) how
many articles the story c has; of alternatives (OR) the best counts. Ties go to the
newest. docs/reference/search.md explains it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from sqlalchemy import Connection, func, select

from ustory.core.spans import EPOCH, microseconds
from ustory.store.facts import (
    ARTICLE_FACTS,
    LANGS,
    SOURCES,
    STORY_FACTS,
    Columns,
    Facts,
    Numbers,
    story_pairs,
)
from ustory.store.fulltext import ARTICLES, STORIES, TextIndex
from ustory.store.search_query import (
    ArticleFilter,
    Phrase,
    Query,
    parse_query,
    with_words,
)
from ustory.store.search_words import is_unspaced
from ustory.store.tables import articles
from ustory.store.vocabulary import (
    LANG,
    SOURCE,
    all_names,
    count_titles,
    meant,
    nearest_word,
)

Values: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Mask: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

HEADLINE_WEIGHT = 3
"""K: a story's headline and keywords count as so many articles of it."""

DIGITS = 9
"""Digits of a story's worth: noise of summing must not order equals, for it changes
with every article, and pages would lose rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a text finds: all articles and all stories, with their worth."""

    query: Query
    corrected: str | None
    """The text that was searched for, where that is not what was asked for."""
    articles: Numbers
    """Intake numbers, ascending."""
    article_scores: Values
    article_facts: Columns
    stories: Numbers
    """Numbers of stories, ascending."""
    story_scores: Values

    @classmethod
    def of(cls, connection: Connection, text: str, *, mend: bool = False) -> Search:
        """Return what a text finds.

        `mend` searches for the nearest words where nothing is found, and says so.
        """
        query = parse_query(text)
        found = _found(connection, query)
        if mend and found.is_empty and query.wanted:
            mended, corrected = _mended(connection, query, text)
            if corrected is not None:
                found = replace(_found(connection, mended), corrected=corrected)
        return found

    def scores_of(self, numbers: Sequence[int]) -> dict[int, float]:
        """Return the worth of some of the articles that were found."""
        places = np.searchsorted(self.articles, numbers)
        return dict(zip(numbers, self.article_scores[places].tolist(), strict=True))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is found."""
        return not len(self.articles) and not len(self.stories)


def _found(connection: Connection, query: Query) -> Search:
    lookups = _Lookups(connection)
    facts = _candidates(connection, query)
    facts = facts.where(_passes(connection, facts, query.filter))
    numbers = facts.numbers
    scores = _scores(ARTICLES, query, numbers, lookups)
    stories, worth = _stories(connection, query, (facts["story"], scores), lookups)
    return Search(
        query=query,
        corrected=None,
        articles=numbers,
        article_scores=scores,
        article_facts=facts,
        stories=stories,
        story_scores=worth,
    )


def _candidates(connection: Connection, query: Query) -> Columns:
    facts = Facts(connection, ARTICLE_FACTS)
    if query.wanted:
        found = facts.of(ARTICLES.find(connection, query))
    elif query.is_empty:
        return facts.of(np.zeros(0, dtype=np.int64))
    else:
        found = facts.whole()
        for phrase in query.unwanted:
            has = ARTICLES.with_phrase(connection, phrase, title=False)
            found = found.where(~among(found.numbers, has))
    return found.where(found["there"] > 0)


class _Lookups:
    """Which documents have a phrase, and its weight. Mutable: each is asked once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        highest = connection.execute(select(func.max(articles.c.seq))).scalar()
        self._highest = int(highest or 0)
        self._found: dict[tuple[str, Phrase, bool], Numbers] = {}
        self._counts: dict[Phrase, int] = {}

    def weight(self, phrase: Phrase) -> float:
        """Return w(p)."""
        return math.log1p(self._highest / (1 + self._title_count(phrase)))

    def _title_count(self, phrase: Phrase) -> int:
        """Return t(p); a single word is counted already."""
        if phrase not in self._counts:
            if phrase.prefix or len(phrase.words) > 1:
                found = self.with_phrase(ARTICLES, phrase, title=True)
                self._counts[phrase] = len(found)
            else:
                self._counts[phrase] = count_titles(self._connection, phrase.words[0])
        return self._counts[phrase]

    def titles(self, index: TextIndex, phrase: Phrase, numbers: Numbers) -> Mask:
        """Return which of some documents have a phrase in their title."""
        known = self._found.get((index.table, phrase, True))
        if known is None:
            known = index.titles_among(self._connection, phrase, numbers)
        return among(numbers, known)

    def with_phrase(self, index: TextIndex, phrase: Phrase, *, title: bool) -> Numbers:
        """Return the documents that have a phrase, in the title or anywhere."""
        key = (index.table, phrase, title)
        if key not in self._found:
            found = index.with_phrase(self._connection, phrase, title=title)
            self._found[key] = found
        return self._found[key]


def _scores(
    index: TextIndex, query: Query, numbers: Numbers, lookups: _Lookups
) -> Values:
    """Return the worth of documents that have all words of a query."""
    scores = np.zeros(len(numbers))
    if not len(numbers):
        return scores
    for phrase in query.wanted:
        best = np.zeros(len(numbers))
        for choice in phrase.choices:
            worth = lookups.titles(index, choice, numbers).astype(float)
            if phrase.others:
                anywhere = lookups.with_phrase(index, choice, title=False)
                worth += among(numbers, anywhere)
            else:
                worth += 1.0
            best = np.maximum(best, lookups.weight(choice) * worth)
        scores += best
    return scores


def among(numbers: Numbers, others: Numbers) -> Mask:
    """Return which numbers are among others."""
    if not len(numbers) or not len(others):
        return np.zeros(len(numbers), dtype=bool)
    # a table of bits is faster than looking each up, and small: numbers are dense
    table = np.zeros(int(max(numbers.max(), others.max())) + 1, dtype=bool)
    table[others] = True
    return table[numbers]


def _stories(
    connection: Connection,
    query: Query,
    hits: tuple[Any, Values],
    lookups: _Lookups,
) -> tuple[Numbers, Values]:
    """Return the stories of articles that were found, or found by headline."""
    facts = Facts(connection, STORY_FACTS)
    own, scores = _headlines(connection, query, facts, lookups)
    story, worth = hits
    inside = story > 0
    most = 1 + int(max(story.max(initial=0), own.max(initial=0)))
    # without any article, numpy would make whole numbers of the sums
    sums = np.bincount(story[inside], worth[inside], most).astype(float)
    counts = np.bincount(story[inside], minlength=most)
    found = counts > 0
    found[own] = True
    sums[own] += HEADLINE_WEIGHT * scores
    rows = facts.of(np.flatnonzero(found))
    rows = rows.where(rows["status"] > 0)
    worth = sums[rows.numbers] / (rows["articles"] + HEADLINE_WEIGHT)
    return rows.numbers, np.round(worth, DIGITS)


def _headlines(
    connection: Connection, query: Query, facts: Facts, lookups: _Lookups
) -> tuple[Numbers, Values]:
    """Return the stories that have the words in their headline or keywords."""
    rows = facts.of(STORIES.find(connection, query))
    numbers = rows.numbers[_story_passes(connection, rows, query)]
    return numbers, _scores(STORIES, query, numbers, lookups)


def _passes(connection: Connection, facts: Columns, wanted: ArticleFilter) -> Mask:
    """Return which articles pass a filter."""
    kept = np.ones(len(facts), dtype=bool)
    for field, some, positive in _named(connection, wanted):
        kept &= np.isin(facts[field], some) == positive
    if wanted.after is not None:
        kept &= facts["published"] >= microseconds(wanted.after - EPOCH)
    if wanted.before is not None:
        kept &= facts["published"] < microseconds(wanted.before - EPOCH)
    return kept


def _story_passes(connection: Connection, facts: Columns, query: Query) -> Mask:
    """Return which stories pass a filter by themselves, whatever their articles."""
    wanted = query.filter
    kept = facts["status"] > 0
    for field, some, positive in _named(connection, wanted):
        having = stories_having(connection, field, some)
        kept &= among(facts.numbers, having) == positive
    if wanted.after is not None:
        kept &= facts["last_seen"] >= microseconds(wanted.after - EPOCH)
    if wanted.before is not None:
        kept &= facts["first_seen"] < microseconds(wanted.before - EPOCH)
    return kept


def stories_having(connection: Connection, kind: str, names: Sequence[int]) -> Numbers:
    """Return the stories with any of some outlets, or of some languages."""
    pairs = story_pairs(connection, LANGS if kind == LANG else SOURCES)
    having = np.unique(pairs["story"][np.isin(pairs["name"], names)])
    return having.astype(np.int64)


def _named(
    connection: Connection, wanted: ArticleFilter
) -> Iterator[tuple[str, list[int], bool]]:
    """Yield the outlets and languages of a filter as numbers."""
    for field, given, positive in (
        (SOURCE, wanted.sources, True),
        (SOURCE, wanted.not_sources, False),
        (LANG, wanted.langs, True),
        (LANG, wanted.not_langs, False),
    ):
        if given:
            numbers = [
                n for one in given for n in meant_numbers(connection, field, one)
            ]
            yield field, numbers, positive


def meant_outlets(connection: Connection, wanted: str) -> list[str]:
    """Return the names of the outlets that somebody means."""
    return meant(all_names(connection, SOURCE).values(), wanted)


def meant_numbers(connection: Connection, kind: str, wanted: str) -> list[int]:
    """Return the numbers of the outlets, or languages, that somebody means."""
    known = all_names(connection, kind)
    if kind == LANG:
        plain = wanted.lower()
        return [
            number
            for number, name in known.items()
            if name.lower() == plain or name.lower().startswith(f"{plain}-")
        ]
    names = set(meant(known.values(), wanted))
    return [number for number, name in known.items() if name in names]


def _mended(
    connection: Connection, query: Query, text: str
) -> tuple[Query, str | None]:
    """Return a query in which words that nothing has are words that titles have."""
    mends: dict[str, str] = {}
    for phrase in query.wanted:
        for choice in phrase.choices:
            if choice.prefix or _is_known(connection, choice):
                continue
            for word in choice.words:
                near = None
                # one character of a longer run is no word that could be misspelt
                if not is_unspaced(word) and not _is_known(connection, Phrase((word,))):
                    near = nearest_word(connection, word)
                if near is not None:
                    mends[word] = near
    if not mends:
        return query, None
    corrected = with_words(text, mends)
    return parse_query(corrected), corrected


def _is_known(connection: Connection, phrase: Phrase) -> bool:
    return any(
        len(index.with_phrase(connection, phrase, title=False))
        for index in (ARTICLES, STORIES)
    )
