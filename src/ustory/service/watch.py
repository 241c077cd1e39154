"""Watchlists: the stories that somebody asked for, found as they change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import error_text
from ustory.core.spans import EPOCH
from ustory.core.story import Story
from ustory.engine.match import Matcher
from ustory.engine.poison import STOP_REQUESTS
from ustory.service.slide_runner import SlideRunner
from ustory.service.to_json import plain
from ustory.store import Connection
from ustory.store.tables import Delivery, Match, StoryRow, Watchlist
from ustory.store.watchlists import add_matches, all_watchlists, put_deliveries
from ustory.stories.rows import SlideStories
from ustory.text.sentences import MAX_SENTENCE

LIKELY = 0.5
"""Probability from which a story is that of an example."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The stories that watchlists match after a slide, not written yet."""

    stories: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    """By watchlist: each story, and the article that matched where one did."""
    seen: frozenset[tuple[object, ...]] = frozenset()
    """The watchlists that were looked at, by what they ask for."""
    failed: tuple[str, ...] = ()
    """Those that could not be looked for, and why; no other waits for them."""


class Watcher:
    """Looks for the stories of watchlists. Mutable: it knows which it has seen.

    A watchlist that is new looks at all stories of the window, later only at those
    that change. A keyword of several words is looked for as a phrase; one keyword
    is enough, in a story's headline, its keywords or the title of a new article.
    """

    def __init__(self, runner: SlideRunner) -> None:
        self._runner = runner
        self._seen: frozenset[tuple[object, ...]] = frozenset()
        self._terms = lru_cache(maxsize=50_000)(runner.terms)
        self._example = lru_cache(maxsize=1_000)(self._prepare)

    def look(self, lists: Sequence[Watchlist], slide: SlideStories) -> Findings:
        """Return what the watchlists match after a slide; nothing is changed."""
        after = slide.state
        found: dict[str, dict[str, str | None]] = {}
        failed: list[str] = []
        examples = [each for each in lists if each.example]
        matcher = self._matcher(slide) if examples and after.stories else None
        for each in lists:
            new = _asked(each) not in self._seen
            stories = slide.members if new else slide.changed
            try:
                found[each.id] = self._by_keywords(each, stories, slide, new)
                if matcher is not None and each.example and (new or slide.changed):
                    for story in self._by_example(each.example, matcher, slide):
                        found[each.id].setdefault(story, None)
            except STOP_REQUESTS:
                raise
            except BaseException as error:  # noqa: BLE001 - a panic is no Exception
                failed.append(f"{each.id} ({error_text(error)})")
        return Findings(found, frozenset(map(_asked, lists)), tuple(failed))

    def write(
        self,
        connection: Connection,
        findings: Findings,
        rows: Mapping[str, StoryRow],
        slide: int,
        now: datetime,
    ) -> None:
        """Write down the matches that are new, and the messages that are due."""
        lists = {each.id: each for each in all_watchlists(connection, active=True)}
        matches = [
            Match(id=0, watchlist=name, story=story, slide=slide, at=now, article=by)
            for name, stories in sorted(findings.stories.items())
            if name in lists
            for story, by in sorted(stories.items())
        ]
        if not matches:
            return
        new = add_matches(connection, matches)
        put_deliveries(
            connection,
            [
                _delivery(lists[match.watchlist], match, rows.get(match.story))
                for match in new
                if lists[match.watchlist].webhook
            ],
        )

    def committed(self, findings: Findings) -> None:
        """Remember which watchlists have looked at the window."""
        self._seen = findings.seen

    def _by_keywords(
        self,
        asked: Watchlist,
        stories: Iterable[str],
        slide: SlideStories,
        new: bool,
    ) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        if not asked.keywords:
            return found
        arrived = slide.placed
        for story in stories:
            told = slide.changed.get(story)
            for record in slide.members.get(story, ()):
                if (new or record.id in arrived) and self._any(asked, record.title):
                    found[story] = record.id
                    break
            else:
                if any(self._any(asked, text) for text in _shown(told)):
                    found[story] = None
        return found

    def _any(self, asked: Watchlist, text: str) -> bool:
        has = self._terms(text[:MAX_SENTENCE])  # titles are kept: they must be short
        return any(
            bool(wanted) and wanted <= has
            for wanted in map(self._terms, asked.keywords)
        )

    def _by_example(
        self, example: str, matcher: Matcher, slide: SlideStories
    ) -> list[str]:
        prepared = self._example(example)
        if prepared is None:
            return []
        article = replace(prepared.article, published_at=slide.end)
        matches = matcher.match(replace(prepared, article=article))
        return [m.story for m in matches if m.joins or m.probability >= LIKELY]

    def _matcher(self, slide: SlideStories) -> Matcher:
        runner = self._runner
        return Matcher.of(slide.state, runner.settings, runner.encoder)

    def _prepare(self, text: str) -> PreparedArticle | None:
        article = Article(id="example", published_at=EPOCH, text=text)
        ready = self._runner.prepared([article])
        return ready[0] if ready else None


def _asked(each: Watchlist) -> tuple[object, ...]:
    return each.id, each.keywords, each.example


def _shown(story: Story | None) -> tuple[str, ...]:
    """Return the texts that show a story, apart: no phrase spans two of them."""
    return () if story is None else (story.headline, *story.keywords)


def _delivery(asked: Watchlist, match: Match, row: StoryRow | None) -> Delivery:
    """Return the message about a match; its id makes sending it twice harmless."""
    story: dict[str, object] = {"id": match.story}
    if row is not None:
        story |= {
            "headline": row.headline,
            "keywords": plain(row.keywords),
            "articles": row.articles,
            "sources": row.sources,
            "first_seen": plain(row.first_seen),
            "last_seen": plain(row.last_seen),
        }
    assert asked.webhook is not None
    return Delivery(
        id=f"{asked.id}.{match.story}",
        watchlist=asked.id,
        match=match.id,
        url=asked.webhook,
        next_at=match.at,
        body={
            "kind": "match",
            "watchlist": {"id": asked.id, "name": asked.name},
            "story": story,
            "article": match.article,
            "slide": match.slide,
            "at": plain(match.at),
        },
    )
