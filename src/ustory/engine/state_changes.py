"""States without some articles, or with other ids of stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ustory.core.arrays import Counts, Indices
from ustory.core.article import PreparedArticle
from ustory.core.story import LinkDecision, ThemeDecision
from ustory.engine.state import Record, State
from ustory.links.archive import Archive
from ustory.links.copies import handed_on
from ustory.links.sentence_terms import sentence_keys
from ustory.links.state import LinkState
from ustory.window.documents import Documents, PaneDocuments
from ustory.window.summary import PaneSummary, StorySummary, add_articles


def renamed(
    state: State, names: Mapping[str, str], totals: Mapping[str, int] | None = None
) -> State:
    """Return a state in which stories have the ids that `names` gives them.

    `totals` says how many articles a story ever had, by its new id. No two stories
    may get one id; ids that are not named stay.
    """
    known = totals or {}
    stories = {}
    for story, summary in state.stories.items():
        name = names.get(story, story)
        assert name not in stories, name
        total = known.get(name, summary.total)
        stories[name] = replace(summary, story=name, total=total)
    records = {
        article: replace(record, decision=_decided(record.decision, names))
        for article, record in state.records.items()
    }
    standing = state.standing
    if standing is not None:
        renamed_stories = tuple(names.get(s, s) for s in standing.stories)
        standing = replace(standing, stories=renamed_stories)
    return replace(
        state,
        stories=dict(sorted(stories.items())),
        records=records,
        standing=standing,
        link=_linked(state.link, names),
    )


def _decided(
    decision: LinkDecision | ThemeDecision | None, names: Mapping[str, str]
) -> LinkDecision | ThemeDecision | None:
    if decision is None:
        return None
    return replace(
        decision,
        story=_name(decision.story, names),
        best=_name(decision.best, names),
        runner_up=_name(decision.runner_up, names),
    )


def _name(story: str | None, names: Mapping[str, str]) -> str | None:
    return None if story is None else names.get(story, story)


def _linked(link: LinkState, names: Mapping[str, str]) -> LinkState:
    profiles = link.archive.profiles.values()
    moved = [
        replace(each, story=names.get(each.story, each.story)) for each in profiles
    ]
    guided = link.guided
    return replace(
        link,
        story={a: names.get(s, s) for a, s in link.story.items()},
        archive=Archive().with_(moved),
        guided=replace(
            guided,
            stories={n: names.get(s, s) for n, s in guided.stories.items()},
            departed={a: names.get(s, s) for a, s in guided.departed.items()},
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """The articles to remove from a state."""

    articles: Sequence[PreparedArticle]
    """Articles that may be in the window, as they were prepared."""
    outside: Collection[str] = ()
    """Stories that had removed articles outside the window."""
    left: Mapping[str, int] | None = None
    """Number of removed articles of each story that had left the window."""


def without(state: State, gone: Withdrawn) -> State:
    """Return the state without some articles, and without words that only they had.

    Stories that lose all their articles are removed. Statistics (how common meanings
    are, how far apart articles appear) stay; words that no article of the window has
    are forgotten, so their weight starts again when they come back. The profile of
    an archived story is removed if one of its articles is: it holds their words.
    """
    inside = {p.article.id: p for p in gone.articles if p.article.id in state.records}
    stories = _summaries(state, inside)
    left = gone.left or {}
    stories = {
        name: replace(story, total=max(story.total - left.get(name, 0), story.articles))
        for name, story in stories.items()
    }
    records = {k: _cleared(r, inside) for k, r in state.records.items()}
    after = replace(
        state,
        documents=_documents(state, inside),
        stories=stories,
        unassigned={k: a for k, a in state.unassigned.items() if k not in inside},
        records={k: r for k, r in records.items() if k not in inside},
        standing=None,
        link=_link(state, inside, gone.outside),
    )
    return _forgotten(after)


def without_texts(state: State, again: Sequence[PreparedArticle]) -> State:
    """Return the state of mode `links` without the old texts of some articles.

    Stories are left as they are: who takes the new texts in brings them up to date.
    """
    if not again:
        return state
    inside = {prepared.article.id: prepared for prepared in again}
    return replace(
        state,
        documents=_documents(state, inside),
        records={k: r for k, r in state.records.items() if k not in inside},
        link=_link(state, inside, ()),
    )


def _counted(state: State, prepared: PreparedArticle) -> tuple[Indices, Counts]:
    """Return an article's terms by number, and how often each appears in it.

    Mode `paper` keeps only the text of assigned articles: it is counted again, and
    terms that the state does not have are ignored.
    """
    name = prepared.article.id
    known = state.link.articles.get(name) or state.unassigned.get(name)
    if known is not None:
        return known.terms, known.tf
    _, [terms] = state.vocabulary.grown([prepared.counts])
    here = np.isin(terms, state.documents.panes[state.records[name].pane].terms)
    return terms[here], prepared.counts.tf[here]


def _in_documents(state: State, prepared: PreparedArticle) -> tuple[Indices, Counts]:
    """Return the terms that an article has in the documents, as far as is known.

    In mode `links` an article keeps no terms of page furniture. They are counted
    again, if its text is the one that it had.
    """
    terms, tf = _counted(state, prepared)
    article = state.link.articles.get(prepared.article.id)
    if article is None or not np.array_equal(article.keys, sentence_keys(prepared)):
        return terms, tf
    _, [whole] = state.vocabulary.grown([prepared.counts])
    order = np.argsort(whole)
    whole, counts = whole[order], prepared.counts.tf[order]
    if not np.isin(terms, whole).all():  # other digits, and so another text
        return terms, tf
    here = np.isin(whole, state.documents.panes[article.pane].terms)
    return whole[here], counts[here]


def _documents(state: State, inside: Mapping[str, PreparedArticle]) -> Documents:
    """Return the documents without some articles.

    Where an article's furniture is not known any more, it counts until its pane leaves
    the window, but never more often than there are articles.
    """
    panes, df = dict(state.documents.panes), state.documents.df.copy()
    for name, prepared in inside.items():
        pane, (terms, tf) = state.records[name].pane, _in_documents(state, prepared)
        old = panes[pane]
        if old.articles == 1:
            df[old.terms] -= old.df
            del panes[pane]
            continue
        left = old.df.copy()
        left[np.searchsorted(old.terms, terms)] -= 1
        left = np.clip(left, 0, old.articles - 1)
        df[old.terms] += left - old.df
        some = left > 0
        length = max(old.length - int(tf.sum()), 0)
        panes[pane] = PaneDocuments(
            old.articles - 1, length, old.terms[some], left[some]
        )
    return Documents(panes, df)


def _summaries(
    state: State, inside: Mapping[str, PreparedArticle]
) -> dict[str, StorySummary]:
    lost: dict[str, list[str]] = {}
    for name in inside:
        decision = state.records[name].decision
        story = None if decision is None else decision.story
        if story is not None and story in state.stories:
            lost.setdefault(story, []).append(name)
    found = dict(state.stories)
    for story, names in lost.items():
        summary = state.stories[story]
        if state.link.articles:
            less = _linked_again(state, summary, names)
        else:
            less = _less(state, summary, {n: inside[n] for n in names})
        if less.panes:
            found[story] = less
        else:
            del found[story]
    return found


def _linked_again(
    state: State, summary: StorySummary, names: Sequence[str]
) -> StorySummary:
    """Return the summary of a story of mode `links` over the remaining articles."""
    blank = replace(summary, panes={}, total=0)
    left = [
        state.link.articles[a]
        for a, story in sorted(state.link.story.items())
        if story == summary.story and a not in names
    ]
    if not left:
        return blank
    [made] = add_articles([blank], [left], [np.array([a.vector for a in left])])
    return replace(made, total=summary.total - len(names))


def _less(
    state: State, summary: StorySummary, gone: Mapping[str, PreparedArticle]
) -> StorySummary:
    """Return the summary of a story of mode `paper`, less what some articles added.

    Their representations are those of their records, in float16.
    """
    panes = dict(summary.panes)
    for name, prepared in gone.items():
        record = state.records[name]
        old = panes[record.pane]
        if old.articles == 1:
            del panes[record.pane]
            continue
        tf = Counter(dict(zip(old.terms.tolist(), old.tf.tolist(), strict=True)))
        own, counts = (column.tolist() for column in _counted(state, prepared))
        tf.subtract(dict(zip(own, counts, strict=True)))
        some = [number > 0 for number in (tf[term] for term in old.terms.tolist())]
        terms = old.terms[some]
        assert record.vector is not None
        panes[record.pane] = PaneSummary(
            old.articles - 1,
            terms,
            np.array([tf[term] for term in terms.tolist()], dtype=old.tf.dtype),
            old.vectors - record.vector.astype(np.float64).reshape(-1),
            old.length - sum(counts),
        )
    return replace(summary, panes=panes, total=summary.total - len(gone))


def _cleared(record: Record, gone: Collection[str]) -> Record:
    """Return a record whose decision names none of the articles."""
    decision = record.decision
    if not isinstance(decision, LinkDecision):
        return record
    links = {a: likely for a, likely in decision.links.items() if a not in gone}
    if len(links) == len(decision.links):
        return record
    return record.decided(replace(decision, links=links), record.vector)


def _link(state: State, inside: Collection[str], outside: Collection[str]) -> LinkState:
    link = state.link
    kept = {k: a for k, a in link.articles.items() if k not in inside}
    serials = np.array([a.serial for a in kept.values()], dtype=np.int64)
    copies, links = handed_on(link.copies, link.links, serials)
    guided = link.guided
    return replace(
        link,
        articles=kept,
        copies=copies,
        links=links,
        story={k: s for k, s in link.story.items() if k in kept},
        archive=link.archive.without(outside),
        guided=replace(
            guided,
            matches={a: m for a, m in guided.matches.items() if a not in inside},
            departed={a: s for a, s in guided.departed.items() if a not in inside},
        ),
    )


def _forgotten(state: State) -> State:
    """Return the state without any term that no article of the window has."""
    df = np.zeros(len(state.vocabulary), dtype=np.int32)
    df[: len(state.documents.df)] = state.documents.df
    padded = replace(state, documents=Documents(state.documents.panes, df))
    alive = df > 0
    for article in state.link.articles.values():
        alive[article.terms] = True
    vocabulary, moved = state.vocabulary.keep(alive)
    return padded.renumbered(moved, vocabulary)
