"""Watchlists: which stories match them after a slide."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError, error_text
from ustory.core.spans import EPOCH
from ustory.core.story import Story
from ustory.engine.match import Matcher
from ustory.engine.poison import STOP_REQUESTS
from ustory.service.match_messages import match_message
from ustory.service.slide_runner import SlideRunner
from ustory.store import Connection
from ustory.store.article_hits import found_stories
from ustory.store.listing import all_live
from ustory.store.tables import Match, StoryRow, Watchlist
from ustory.store.watchlists import add_matches, all_watchlists, put_deliveries
from ustory.stories.rows import SlideStories
from ustory.text.sentences import MAX_SENTENCE

logger = logging.getLogger(__name__)

MIN_PROBABILITY = 0.5
"""Probability from which a story counts as that of an example."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The stories that watchlists match after a slide, not written yet."""

    stories: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    """By watchlist: each story, and the article that matched, if one did."""
    seen: frozenset[tuple[object, ...]] = frozenset()
    """The watchlists that were searched for, by id, keywords and example."""
    failed: tuple[str, ...] = ()
    """Watchlists that failed, and why; the others are not affected."""


class Watcher:
    """Finds the stories of watchlists. Mutable: it remembers those it has searched for.

    A new watchlist is matched with all stories of the window, later only with those
    that change. A keyword of several words is a phrase; one keyword is enough, in a
    story's headline, its keywords or the title of a new article. A search matches the
    live stories that it finds once the slide is written.
    """

    def __init__(self, runner: SlideRunner) -> None:
        self.site = ""
        """What addresses in messages begin with, such as `https://news.example`."""
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
            new = _key(each) not in self._seen
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
        return Findings(found, frozenset(map(_key, lists)), tuple(failed))

    def write(
        self,
        connection: Connection,
        findings: Findings,
        rows: Mapping[str, StoryRow],
        slide: int,
        now: datetime,
    ) -> None:
        """Write the new matches, and the messages that are due."""
        lists = {each.id: each for each in all_watchlists(connection, active=True)}
        matches = [
            Match(id=0, watchlist=name, story=story, slide=slide, at=now, article=by)
            for name, stories in sorted(findings.stories.items())
            if name in lists
            for story, by in sorted(stories.items())
        ]
        live = {row.id for row in rows.values() if row.status == "live"}
        matches += [
            Match(id=0, watchlist=each.id, story=story, slide=slide, at=now, article=by)
            for each in sorted(lists.values(), key=lambda one: one.id)
            if each.search
            for story, by in _searched(connection, each.search, live).items()
            if story not in findings.stories.get(each.id, {})
        ]
        if not matches:
            return
        new = add_matches(connection, matches)
        put_deliveries(
            connection,
            [
                match_message(
                    lists[match.watchlist], match, rows.get(match.story), self.site
                )
                for match in new
                if lists[match.watchlist].webhook
            ],
        )

    def search_now(self, connection: Connection, slide: int, now: datetime) -> None:
        """Match the searches of all watchlists with the live stories there are.

        A search needs no slide: what it finds is stored already.
        """
        rows = {row.id: row for row in all_live(connection)}
        self.write(connection, Findings(), rows, slide, now)

    def committed(self, findings: Findings) -> None:
        """Remember which watchlists were matched with the whole window."""
        self._seen = findings.seen

    def _by_keywords(
        self,
        watchlist: Watchlist,
        stories: Iterable[str],
        slide: SlideStories,
        new: bool,
    ) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        if not watchlist.keywords:
            return found
        arrived = slide.placed
        for story in stories:
            changed = slide.changed.get(story)
            for record in slide.members.get(story, ()):
                if (new or record.id in arrived) and self._any(watchlist, record.title):
                    found[story] = record.id
                    break
            else:
                if any(self._any(watchlist, text) for text in _shown(changed)):
                    found[story] = None
        return found

    def _any(self, watchlist: Watchlist, text: str) -> bool:
        has = self._terms(text[:MAX_SENTENCE])  # titles are kept: they must be short
        return any(
            bool(wanted) and wanted <= has
            for wanted in map(self._terms, watchlist.keywords)
        )

    def _by_example(
        self, example: str, matcher: Matcher, slide: SlideStories
    ) -> list[str]:
        prepared = self._example(example)
        if prepared is None:
            return []
        article = replace(prepared.article, published_at=slide.end)
        matches = matcher.match(replace(prepared, article=article))
        return [m.story for m in matches if m.joins or m.probability >= MIN_PROBABILITY]

    def _matcher(self, slide: SlideStories) -> Matcher:
        runner = self._runner
        return Matcher.of(slide.state, runner.settings, runner.encoder)

    def _prepare(self, text: str) -> PreparedArticle | None:
        article = Article(id="example", published_at=EPOCH, text=text)
        ready = self._runner.prepared([article])
        return ready[0] if ready else None


def _key(each: Watchlist) -> tuple[object, ...]:
    return each.id, each.keywords, each.example


def _shown(story: Story | None) -> tuple[str, ...]:
    """Return the texts that show a story, apart: no phrase spans two of them."""
    return () if story is None else (story.headline, *story.keywords)


def _searched(
    connection: Connection, search: str, live: Collection[str]
) -> Mapping[str, str | None]:
    """Return what a search finds; nothing if this release cannot read it."""
    try:
        return found_stories(connection, search, live)
    except ConfigError as error:  # another release took it in
        logger.warning("a watched search cannot be read: %s", error)
        return {}
