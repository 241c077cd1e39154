"""Feeds for tests, written as publishers write them."""

from __future__ import annotations

from html import escape

PUBLISHED = "Thu, 07 Mar 2024 12:00:00 GMT"


def item(
    title: str,
    link: str = "",
    text: str = "",
    date: str = PUBLISHED,
    content: str = "",
) -> str:
    """Return an item of RSS; title and text are escaped, as HTML in feeds is."""
    parts = [f"<title>{escape(title)}</title>"]
    parts += [f"<link>{escape(link)}</link>"] if link else []
    parts += [f"<description>{escape(text)}</description>"] if text else []
    parts += [f"<pubDate>{escape(date)}</pubDate>"] if date else []
    parts += [f"<content:encoded><![CDATA[{content}]]></content:encoded>"] * bool(
        content
    )
    return f"<item>{''.join(parts)}</item>"


def rss(*items: str, title: str = "News", head: str = "") -> bytes:
    """Return a document of RSS 2.0."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{head}<rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/">'
        f"<channel><title>{escape(title)}</title><language>en-GB</language>"
        f"{''.join(items)}</channel></rss>"
    ).encode()
