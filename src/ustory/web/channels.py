"""Stories, the articles of one, and matches of a watchlist, as feeds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ustory.store.tables import Watchlist
from ustory.web.models.stories import ArticleOut, StoryOut
from ustory.web.models.watchlists import MatchedOut
from ustory.web.syndication import Channel, Entry


def stories_channel(
    stories: Sequence[StoryOut], base: str, path: str, now: datetime
) -> Channel:
    """Return a feed of stories."""
    return Channel(
        id="urn:ustory:stories",
        title="Stories",
        itself=f"{base.rstrip('/')}{path}",
        home=base,
        updated=max((story.last_seen for story in stories), default=now),
        entries=[story_entry(story, base) for story in stories],
    )


def story_channel(
    story: StoryOut, articles: Sequence[ArticleOut], base: str, path: str
) -> Channel:
    """Return a feed of one story's articles."""
    return Channel(
        id=f"urn:ustory:story:{story.id}",
        title=story.headline or story.id,
        itself=f"{base.rstrip('/')}{path}",
        home=_address(base, story.id),
        updated=story.last_seen,
        entries=[_article_entry(article) for article in articles],
    )


def watch_channel(
    watchlist: Watchlist, matches: Sequence[MatchedOut], base: str, now: datetime
) -> Channel:
    """Return a feed of what a watchlist found."""
    path = f"/api/watchlists/{watchlist.id}/matches"
    entries = [_match_entry(watchlist, match, base) for match in matches]
    return Channel(
        id=f"urn:ustory:watchlist:{watchlist.id}",
        title=watchlist.name,
        itself=f"{base.rstrip('/')}{path}.atom",
        home=f"{base.rstrip('/')}{path}",
        updated=max((match.at for match in matches), default=now),
        entries=entries,
    )


def story_entry(story: StoryOut, base: str) -> Entry:
    """Return a story as a line of a feed."""
    told = f"{story.articles} articles, {story.sources} independent sources"
    return Entry(
        id=f"urn:ustory:story:{story.id}",
        title=story.headline,
        link=_address(base, story.id),
        updated=story.last_seen,
        published=story.born_at,
        summary=f"{', '.join(story.keywords)} ({told})",
        tags=tuple(story.keywords),
    )


def _match_entry(watchlist: Watchlist, match: MatchedOut, base: str) -> Entry:
    story = match.story
    return Entry(
        id=f"urn:ustory:match:{watchlist.id}:{match.id}",
        title=story.headline if story else "a story that is not kept any more",
        link=_address(base, story.id) if story else None,
        updated=match.at,
        published=match.at,
        summary=", ".join(story.keywords) if story else "",
        tags=tuple(story.keywords) if story else (),
    )


def _article_entry(article: ArticleOut) -> Entry:
    return Entry(
        id=f"urn:ustory:article:{article.id}",
        title=article.title,
        link=article.url,
        updated=article.published_at,
        published=article.published_at,
        summary=article.source or "",
        authors=tuple(article.authors) or ((article.source,) if article.source else ()),
    )


def _address(base: str, story: str) -> str:
    return f"{base.rstrip('/')}/api/stories/{story}"
