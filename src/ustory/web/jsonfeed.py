"""A feed as JSON Feed 1.1."""

from __future__ import annotations

from typing import Any

from ustory.core.article import web_link
from ustory.core.wording import utc_text
from ustory.web.entries import Channel, Entry

MEDIA_TYPE = "application/feed+json"
VERSION = "https://jsonfeed.org/version/1.1"


def json_feed(channel: Channel) -> dict[str, Any]:
    """Return the feed as JSON values."""
    return {
        "version": VERSION,
        "title": channel.title,
        "home_page_url": channel.home,
        "feed_url": channel.itself,
        "items": [_item(entry) for entry in channel.entries],
    }


def _item(entry: Entry) -> dict[str, Any]:
    link = web_link(entry.link)
    return {
        "id": entry.id,
        **({"url": link} if link else {}),
        "title": entry.title,
        # plain text: nobody is asked to render what a publisher wrote
        "content_text": entry.summary or entry.title,
        "date_published": utc_text(entry.published),
        "date_modified": utc_text(entry.updated),
        "authors": [{"name": name} for name in entry.authors],
        "tags": list(entry.tags),
    }
