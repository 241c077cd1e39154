"""New texts of articles in the window: which of them say something else than before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ustory.core.article import Article, PreparedArticle
from ustory.engine.poison import UNRELATED_ERRORS
from ustory.engine.state import State
from ustory.links.sentence_terms import SentenceTerms, sentence_keys
from ustory.window.unassigned import open_article

UNCHANGED = 0.75
"""Share of the words and pairs of words of both texts from which a text counts as the
same: where one word in eight is another, three quarters of the pairs are left."""


def changed_texts(
    state: State, corrections: Sequence[PreparedArticle]
) -> list[PreparedArticle]:
    """Return the corrections that say something else, with the dates of before.

    An article that has left the window is not among them, nor one of which hardly
    anything changed: its links and its story stay as they are.
    """
    found = []
    for prepared in sorted(corrections, key=lambda one: one.article.id):
        record = state.records.get(prepared.article.id)
        if record is None or _likeness(state, prepared) >= UNCHANGED:
            continue
        article = replace(prepared.article, published_at=record.published_at)
        found.append(replace(prepared, article=article))
    return found


def readable(
    prepare: Callable[[Sequence[Article]], Sequence[PreparedArticle] | None],
    corrections: Sequence[Article],
) -> list[PreparedArticle]:
    """Return corrections prepared, without those that cannot be read.

    Such an article keeps the text that it had.
    """
    if not corrections:
        return []
    try:
        return list(prepare(corrections) or ())
    except UNRELATED_ERRORS:
        raise
    except BaseException:  # noqa: BLE001 - a panic is no Exception
        if len(corrections) == 1:
            return []
    return [each for one in corrections for each in readable(prepare, [one])]


def _likeness(state: State, prepared: PreparedArticle) -> float:
    """Return the share of all words of two texts, as often as they are there.

    The old text may be without page furniture, so the new one is read with it and
    without it. Where the sentences are the same, it is 1.
    """
    old = state.link.articles[prepared.article.id]
    keys = sentence_keys(prepared)
    if keys.all() and np.array_equal(old.keys, keys):
        return 1.0
    words = state.vocabulary.written(old.terms)
    before = dict(zip(words, old.tf.tolist(), strict=True))
    vocabulary, [terms] = state.vocabulary.grown([prepared.counts])
    whole = SentenceTerms.of(prepared, open_article(prepared, old.pane, terms))
    [rest] = state.link.furniture.removed_from([whole])
    return max(
        _share(
            before, dict(zip(vocabulary.written(t.terms), t.tf.tolist(), strict=True))
        )
        for t in (whole, rest)
    )


def _share(before: Mapping[str, int], after: Mapping[str, int]) -> float:
    """Return the words of both texts over those of either; of no words it is 1."""
    both = sum(min(n, before.get(word, 0)) for word, n in after.items())
    return both / _most(before, after) if after else 1.0


def _most(before: Mapping[str, int], after: Mapping[str, int]) -> int:
    return sum(max(before.get(w, 0), after.get(w, 0)) for w in before.keys() | after)
