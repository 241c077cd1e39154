"""The stories of the window as people read them: headline, keywords, members, heat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import fsum, isqrt

import numpy as np

from ustory.core.arrays import Matrix
from ustory.core.settings import Settings
from ustory.core.story import Story, StoryLanguage
from ustory.engine.state import Record, State
from ustory.links.article import LinkedArticle
from ustory.links.copies import independent
from ustory.links.outlets import outlet_name
from ustory.links.state import LinkState
from ustory.paper.assignment.similarity import TIE
from ustory.paper.embedding.story import story_representations
from ustory.paper.themes.stories import story_themes
from ustory.stories.story_languages import by_language, counted, language_of_records
from ustory.window.summary import StorySummary, add_articles

HALF_LIFE = timedelta(hours=12)
"""An article warms its story half as much for every half day of its age."""
LOUD = 3
"""Articles of one outlet that warm a story in full. The n-th warmest counts LOUD / n:
so it takes e times as many to be heard LOUD more."""

_MIN_SHARED_WORDS = 3
"""Words of a title that others must use, too: a single one fits many stories."""
_MIN_SOURCES, _MANY_SOURCES = 3, 5
"""With fewer than three sources no title stands out against the others. From five on,
some title nearly always uses only words that others use, too; with fewer sources, up
to half of the words of a good title may be its own."""


def live_stories(
    state: State, settings: Settings, described: Container[str] | None = None
) -> list[Story]:
    """Return the stories that have articles in the window, the largest first.

    Stories with equally many articles are sorted by their latest one. Only articles
    in the window count: `first_seen` becomes later when articles leave it. In each of
    its languages a story is described if it is among the `described`; None means all.
    """
    summaries = list(state.stories.values())
    if not summaries:
        return []
    days = dict(state.days)
    themes, _ = story_themes(summaries, days, state.vocabulary, settings)
    vectors = _vectors(summaries, state, settings)
    members = members_of(state)
    parts = _languages(summaries, members, described)
    words = _keywords_in(parts, state, settings)
    stories = []
    for row, summary in enumerate(summaries):
        records = members[summary.story]
        terms = [term for term in themes.terms[row].tolist() if term >= 0]
        whole = StoryLanguage(
            lang=language_of_records(records, state.link) or "",
            articles=len(records),
            headline=headline_of(records, vectors[row], state.link),
            keywords=tuple(map(state.vocabulary.term, terms)),
        )
        languages = {
            lang: StoryLanguage(
                lang=lang,
                articles=len(own),
                headline=headline_article(own, vectors[row], state.link).title,
                keywords=words.get((summary.story, lang), whole.keywords),
            )
            for lang, own in parts.get(summary.story, {}).items()
        }
        main = languages.get(whole.lang, whole)
        counts: Counter[str | None] = Counter(r.lang or None for r in records)
        stories.append(
            Story(
                id=summary.story,
                headline=main.headline,
                keywords=main.keywords,
                articles=tuple(record.id for record in records),
                first_seen=min(r.published_at for r in _originals(state, records)),
                last_seen=records[-1].published_at,
                total=summary.total,
                sources=independent(_linked(records, state.link), state.link.copies),
                lang=main.lang or None,
                languages=counted(counts, list(languages.values()), main),
                vector=vectors[row],
            )
        )
    return sorted(
        stories, key=lambda s: (-len(s.articles), -s.last_seen.timestamp(), s.id)
    )


def _languages(
    summaries: Sequence[StorySummary],
    members: Mapping[str, Sequence[Record]],
    described: Container[str] | None,
) -> dict[str, dict[str, list[Record]]]:
    """Return the articles of stories by language, where they have more than one."""
    found = {}
    for summary in summaries:
        if described is None or summary.story in described:
            own = by_language(members[summary.story])
            if len(own) > 1:
                found[summary.story] = own
    return found


def _keywords_in(
    parts: Mapping[str, Mapping[str, Sequence[Record]]],
    state: State,
    settings: Settings,
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the keywords of stories in each language, chosen among all stories.

    In the paper's mode the words of articles are not kept, and there are none.
    """
    groups = {
        (story, lang): _linked(own, state.link)
        for story, languages in parts.items()
        for lang, own in languages.items()
    }
    kept = {name: own for name, own in groups.items() if own}
    if not kept:
        return {}
    summed = add_articles(
        [StorySummary(story) for story, _ in kept],
        list(kept.values()),
        [np.zeros((len(own), 1), dtype=np.float32) for own in kept.values()],
    )
    every = [*state.stories.values(), *summed]
    themes, _ = story_themes(every, dict(state.days), state.vocabulary, settings)
    rows = themes.terms[len(state.stories) :].tolist()
    return {
        name: tuple(state.vocabulary.term(term) for term in row if term >= 0)
        for name, row in zip(kept, rows, strict=True)
    }


def members_of(state: State) -> dict[str, list[Record]]:
    """Return the articles of each live story, by time of publication, then by id."""
    members: dict[str, list[Record]] = {story: [] for story in state.stories}
    for record in sorted(state.records.values(), key=lambda r: (r.published_at, r.id)):
        if record.decision is not None and record.decision.story in members:
            members[record.decision.story].append(record)
    return members


def new_headlines(
    made_of: Mapping[str, Sequence[Record]], state: State, settings: Settings
) -> dict[str, str]:
    """Return the headlines of stories that the last slide made of these articles."""
    if not made_of:
        return {}
    summaries = [state.stories[story] for story in made_of]
    vectors = _vectors(summaries, state, settings)
    found = {}
    for (story, records), vector in zip(made_of.items(), vectors, strict=True):
        ordered = sorted(records, key=lambda r: (r.published_at, r.id))
        found[story] = headline_of(ordered, vector, state.link)
    return found


def headline_of(records: Sequence[Record], vector: Matrix, link: LinkState) -> str:
    """Return the headline of a story: in the language in which most outlets write."""
    parts = by_language(records)
    if len(parts) > 1:
        records = parts[language_of_records(records, link) or ""]
    return headline_article(records, vector, link).title


def headline_article(
    records: Sequence[Record], vector: Matrix, link: LinkState
) -> Record:
    """Return the article whose title is the headline of a story.

    A text can be near to a story although its title is about something else. So the
    most central article is chosen among those whose titles fit (`fitting`). Copies are
    left out, if there is anything else: whoever prints a text again may put any title
    over it.
    `records` are in order of publication. In the paper's mode, where the words of
    titles are not kept, it is the most central article.
    """
    inside = _linked(records, link)
    if len(inside) < len(records):
        return central(records, vector)
    own = [article.serial not in link.copies for article in inside]
    if any(own):
        records = [r for r, each in zip(records, own, strict=True) if each]
        inside = [a for a, each in zip(inside, own, strict=True) if each]
    fit = fitting(inside)
    return central([r for r, fits in zip(records, fit, strict=True) if fits], vector)


def central(records: Sequence[Record], vector: Matrix) -> Record:
    """Return the article nearest to the story's `vector`, by cosine.

    `records` are in order of publication, and the earliest wins a tie.
    """
    rows = np.array([record.vector for record in records], dtype=np.float64)
    lengths = np.maximum(np.linalg.norm(rows, axis=1), np.finfo(np.float64).tiny)
    near = rows @ vector.astype(np.float64) / lengths
    margin = TIE * float(np.linalg.norm(vector))
    return records[int(np.flatnonzero(near >= near.max() - margin)[0])]


def fitting(articles: Sequence[LinkedArticle]) -> list[bool]:
    """Return for each article of a story whether its title may be the headline.

    No title has fewer words that too few sources use in a title or lead: two, or the
    square root of all, if that is more. So the larger a story is, the more sources it
    takes to put words into its headline. All articles of a source count as one.
    """
    sources = _sources(articles)
    used: dict[str, set[int]] = {source: set() for source in sources}
    for source, article in zip(sources, articles, strict=True):
        used[source].update(article.terms[article.lead].tolist())
    if len(used) < _MIN_SOURCES:
        return [True] * len(articles)
    users = Counter(word for words in used.values() for word in words)
    enough = max(2, isqrt(len(used)))
    shared, own = [], []
    for article in articles:
        words = [users[word] >= enough for word in _title_words(article)]
        shared.append(sum(words))
        missing = max(_MIN_SHARED_WORDS - sum(words), 0)
        own.append(len(words) - sum(words) + missing)
    if len(used) >= _MANY_SOURCES:
        return [count == min(own) for count in own]
    fit = [count <= others for count, others in zip(own, shared, strict=True)]
    return fit if any(fit) else [others == max(shared) for others in shared]


def heat_of(records: Iterable[Record], link: LinkState, at: datetime) -> float:
    """Return how hot a story is: its articles, each halved for every half day.

    A source that prints one text several times counts once, and the more articles it
    has, the less each further one counts (`LOUD`). Articles without a source count in
    full. `records` are in order of publication.
    """
    counted: set[tuple[int, str]] = set()
    warmth: list[float] = []
    of_source: dict[str, list[float]] = {}
    for record in records:
        warm = 2.0 ** -((at - record.published_at) / HALF_LIFE)
        article = link.articles.get(record.id)
        source = outlet_name(article.source) if article is not None else ""
        if article is None or not source:
            warmth.append(warm)
            continue
        text = link.copies.get(article.serial, article.serial)
        if (text, source) not in counted:
            counted.add((text, source))
            of_source.setdefault(source, []).append(warm)
    for each in of_source.values():
        ranked = enumerate(sorted(each, reverse=True), 1)
        warmth += [warm * min(1.0, LOUD / rank) for rank, warm in ranked]
    return round(fsum(warmth), 6)


def window_start(state: State, settings: Settings) -> datetime | None:
    """Return the start of the window, if it is one of time and has begun."""
    if state.end is None or not isinstance(settings.window, timedelta):
        return None
    return state.end - settings.window


def first_seen(
    story: Story, earlier: Iterable[datetime], since: datetime | None
) -> datetime:
    """Return when a story was first seen, over its whole life.

    `earlier` are dates that were known before; those in the window, which begins
    `since`, do not count: the article that had such a date has left the story.
    """
    kept = [moment for moment in earlier if since is None or moment < since]
    return min([story.first_seen, *kept])


def _vectors(
    summaries: Sequence[StorySummary], state: State, settings: Settings
) -> Matrix:
    days = dict(state.days)
    newest = max(days)
    return story_representations(summaries, days, [newest], settings)[newest]


def _linked(records: Iterable[Record], link: LinkState) -> list[LinkedArticle]:
    return [link.articles[r.id] for r in records if r.id in link.articles]


def _originals(state: State, records: Sequence[Record]) -> Sequence[Record]:
    """Return the articles that are no copies: those of a later slide may be backdated.

    If all are copies, as when the original is in another story, all are returned.
    """
    known: Mapping[str, LinkedArticle] = state.link.articles
    copies = state.link.copies
    own = [r for r in records if r.id not in known or known[r.id].serial not in copies]
    return own or records


def _sources(articles: Sequence[LinkedArticle]) -> list[str]:
    """Return the source of each article; all unnamed ones are one source.

    If hardly any source is named, each unnamed article is a source of its own: else
    one named source would have to be told from a single other.
    """
    named = [outlet_name(article.source) for article in articles]
    if len(set(named) - {""}) >= _MIN_SOURCES:
        return named
    return [
        name or f"\0{article.id}" for name, article in zip(named, articles, strict=True)
    ]


def _title_words(article: LinkedArticle) -> list[int]:
    words = article.lead[article.in_title[article.lead]]
    found: list[int] = article.terms[words].tolist()
    return found
