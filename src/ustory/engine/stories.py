"""Stories as people read them: a headline, keywords, and their articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ustory.core.arrays import Matrix
from ustory.core.settings import Settings
from ustory.core.story import Story
from ustory.engine.headlines import headlined
from ustory.engine.state import Record, State
from ustory.links.copies import independent
from ustory.paper.embedding.story import story_representations
from ustory.paper.themes.stories import story_themes
from ustory.window.summary import StorySummary


def live_stories(state: State, settings: Settings) -> list[Story]:
    """Return the stories that have articles in the window, liveliest first.

    The liveliest has the most articles in the window, then the latest one. What
    is seen is what the window holds: `first_seen` moves on as articles leave it.
    """
    summaries = list(state.stories.values())
    if not summaries:
        return []
    days = dict(state.days)
    themes, _ = story_themes(summaries, days, state.vocabulary, settings)
    newest = max(days)
    vectors = story_representations(summaries, days, [newest], settings)[newest]
    members = _members(state)
    stories = []
    for row, summary in enumerate(summaries):
        terms = [term for term in themes.terms[row].tolist() if term >= 0]
        keywords = tuple(map(state.vocabulary.term, terms))
        records = members[summary.story]
        title = headlined(records, vectors[row], state.link.articles).title
        story = _story(summary, (title, keywords), records, vectors[row])
        first = min(r.published_at for r in _originals(state, records))
        sources = _sources(state, story)
        stories.append(replace(story, first_seen=first, sources=sources))
    return sorted(
        stories, key=lambda s: (-len(s.articles), -s.last_seen.timestamp(), s.id)
    )


def _originals(state: State, records: Sequence[Record]) -> Sequence[Record]:
    """Return the articles that are no copies: those of a later slide may be backdated.

    Where all are copies, as when an original is of another story, it is all of them.
    """
    known, copies = state.link.articles, state.link.copies
    own = [r for r in records if r.id not in known or known[r.id].serial not in copies]
    return own or records


def _sources(state: State, story: Story) -> int:
    """Return how many sources reported by themselves, where that is known."""
    link = state.link
    inside = [link.articles[a] for a in story.articles if a in link.articles]
    return independent(inside, link.copies)


def _members(state: State) -> dict[str, list[Record]]:
    """Return the articles of each story, in order of publication, then of id."""
    members: dict[str, list[Record]] = {story: [] for story in state.stories}
    for record in sorted(state.records.values(), key=lambda r: (r.published_at, r.id)):
        if record.decision is not None and record.decision.story is not None:
            members[record.decision.story].append(record)
    return members


def _story(
    summary: StorySummary,
    told: tuple[str, tuple[str, ...]],
    records: Sequence[Record],
    vector: Matrix,
) -> Story:
    headline, keywords = told
    return Story(
        id=summary.story,
        headline=headline,
        keywords=keywords,
        articles=tuple(record.id for record in records),
        first_seen=records[0].published_at,
        last_seen=records[-1].published_at,
        total=summary.total,
        vector=vector,
    )
