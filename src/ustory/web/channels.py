"""Stories, the articles of one, and matches of a watchlist, as feeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from ustory.core.wording import many
from ustory.store.tables import Watchlist
from ustory.web.models.stories import ArticleOut, StoryOut
from ustory.web.models.watchlists import MatchedOut
from ustory.web.pages.formatting import article_path, story_path
from ustory.web.pages.reader_language import named_counts
from ustory.web.syndication import Channel, Entry

Leads = Mapping[str, str]
"""First sentences, by story or by article; those without a text are left out."""


@dataclass(frozen=True, slots=True)
class FeedPlace:
    """Where a feed is read, and the page that shows the same."""

    base: str
    """What all addresses begin with."""
    path: str
    """The path of the feed, with the query it was asked for with."""
    page: str
    """That of the page."""

    @property
    def itself(self) -> str:
        """The address of the feed."""
        return self.address(self.path)

    @property
    def home(self) -> str:
        """The address of the page."""
        return self.address(self.page)

    def address(self, path: str) -> str:
        """Return a whole address."""
        return f"{self.base.rstrip('/')}{path}"


def stories_channel(
    stories: Sequence[StoryOut],
    leads: Leads,
    place: FeedPlace,
    now: datetime,
    chosen: Mapping[str, str],
) -> Channel:
    """Return a feed of stories; `chosen` are the filters, for its title."""
    entries = [story_entry(story, leads.get(story.id, ""), place) for story in stories]
    filters = ", ".join(f"{name} {value}" for name, value in sorted(chosen.items()))
    return Channel(
        id=_feed_id(chosen),
        title=f"Stories: {filters}" if filters else "Stories",
        itself=place.itself,
        home=place.home,
        updated=max((entry.updated for entry in entries), default=now),
        entries=entries,
    )


def _feed_id(chosen: Mapping[str, str]) -> str:
    """Return an id for each choice of filters: readers keep feeds apart by it."""
    plain = "urn:ustory:stories"
    return f"{plain}:{urlencode(sorted(chosen.items()))}" if chosen else plain


def story_channel(
    story: StoryOut, articles: Sequence[ArticleOut], leads: Leads, place: FeedPlace
) -> Channel:
    """Return a feed of one story's articles."""
    entries = [_article_entry(each, leads.get(each.id, ""), place) for each in articles]
    dates = [story.last_seen, *(entry.updated for entry in entries)]
    return Channel(
        id=f"urn:ustory:story:{story.id}",
        title=story.headline or story.id,
        itself=place.itself,
        home=place.home,
        updated=max(dates),
        entries=entries,
    )


def watch_channel(
    watchlist: Watchlist,
    matches: Sequence[MatchedOut],
    leads: Leads,
    place: FeedPlace,
    now: datetime,
) -> Channel:
    """Return a feed of what a watchlist found."""
    return Channel(
        id=f"urn:ustory:watchlist:{watchlist.id}",
        title=watchlist.name,
        itself=place.itself,
        home=place.home,
        updated=max((match.at for match in matches), default=now),
        entries=[_match_entry(watchlist, each, leads, place) for each in matches],
    )


def story_entry(story: StoryOut, lead: str, place: FeedPlace) -> Entry:
    """Return a story as a line of a feed."""
    return Entry(
        id=f"urn:ustory:story:{story.id}",
        title=story.headline,
        link=place.address(story_path(story.id)),
        # a story is born at the end of a slide, after its articles were published
        updated=max(story.last_seen, story.born_at),
        published=story.born_at,
        summary=lead or _keywords(story),
        content=_story_text(story, lead),
        authors=tuple(story.top_sources),
        tags=tuple(story.keywords),
        language=story.headline_lang or "",
    )


def _match_entry(
    watchlist: Watchlist, match: MatchedOut, leads: Leads, place: FeedPlace
) -> Entry:
    story = match.story
    name = f"urn:ustory:match:{watchlist.id}:{match.id}"
    if story is None:
        gone = "a story that is not kept any more"
        return Entry(
            id=name, title=gone, link=None, updated=match.at, published=match.at
        )
    lead = leads.get(story.id, "")
    return Entry(
        id=name,
        title=story.headline,
        link=place.address(story_path(story.id)),
        updated=match.at,
        published=match.at,
        summary=lead or _keywords(story),
        content=_story_text(story, lead),
        authors=tuple(story.top_sources),
        tags=tuple(story.keywords),
        language=story.headline_lang or "",
    )


def _article_entry(article: ArticleOut, lead: str, place: FeedPlace) -> Entry:
    by = article.source or ""
    return Entry(
        id=f"urn:ustory:article:{article.id}",
        title=article.title,
        link=article.url or place.address(article_path(article.id)),
        updated=article.published_at,
        published=article.published_at,
        summary=lead or by,
        content="\n\n".join(filter(None, (lead, by))),
        authors=tuple(article.authors) or ((by,) if by else ()),
        language=article.lang or "",
    )


def _story_text(story: StoryOut, lead: str) -> str:
    """Return what a reader sees of a story: lead, counts, outlets, keywords."""
    sources = many(story.sources, "independent source")
    counts = f"{many(story.articles, 'article')}, {sources} now"
    outlets = f"Outlets: {', '.join(story.top_sources)}" if story.top_sources else ""
    parts = (lead, counts, _languages(story), outlets, _keywords(story))
    return "\n\n".join(filter(None, parts))


def _languages(story: StoryOut) -> str:
    """Return the languages of a story with counts, where it has more than one."""
    found = named_counts(story.languages)
    told = ", ".join(f"{name} {count}" for name, count in found)
    return f"Languages: {told}" if len(found) > 1 else ""


def _keywords(story: StoryOut) -> str:
    return f"Keywords: {', '.join(story.keywords)}" if story.keywords else ""
