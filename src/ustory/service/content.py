"""What an article says, as one hash; and fields that every index can hold."""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b, sha256

from ustory.core.article import Article
from ustory.core.unicode import normalized
from ustory.sources.records.fields import MAX_ARTICLE_BYTES
from ustory.sources.records.identity import canonical_url
from ustory.store.columns import clean

LONGEST_KEY = 1_000
"""Bytes of an id, an address or a source; PostgreSQL indexes no more than 2,700."""


def tidied(article: Article) -> Article:
    """Return the article as the database will give it back."""
    source = None if article.source is None else clean(article.source)
    return replace(
        article,
        id=_key(clean(article.id)),
        title=clean(article.title),
        text=clean(article.text),
        url=None if article.url is None else clean(article.url),
        source=None if source is None else _cut(source),
        lang=None if article.lang is None else _cut(clean(article.lang)),
        authors=tuple(map(clean, article.authors)),
    )


def refusal(article: Article) -> str | None:
    """Return why an article cannot be taken in, None where it can."""
    if article.published_at.utcoffset() is None:
        return (
            f"a publication date needs a time zone, and "
            f"{article.published_at.isoformat()} has none; give it one, UTC for example"
        )
    if not (article.title.strip() or article.text.strip()):
        return "an article needs a title or a text; this one has neither"
    size = len(clean(article.title).encode()) + len(clean(article.text).encode())
    if size > MAX_ARTICLE_BYTES:
        return (
            f"title and text may have {MAX_ARTICLE_BYTES:,} bytes together; these have "
            f"{size:,}: shorten the text"
        )
    return None


def address_of(article: Article) -> str | None:
    """Return the canonical address, None without one or where it is far too long."""
    address = canonical_url(article.url) if article.url else None
    if address is None or len(address.encode()) > LONGEST_KEY:
        return None
    return address


def fingerprint(article: Article) -> str:
    """Return a hash of source, title and text; spaces make no difference.

    >>> from ustory.core.spans import EPOCH
    >>> one = Article(id="1", published_at=EPOCH, title="A  storm ", text="It rains.")
    >>> fingerprint(one) == fingerprint(replace(one, id="2", title="A storm"))
    True
    """
    parts = (article.source or "", article.title, article.text)
    content = "\0".join(" ".join(normalized("NFC", part).split()) for part in parts)
    return sha256(content.encode()).hexdigest()


def _key(text: str) -> str:
    if len(text.encode()) <= LONGEST_KEY:
        return text
    return f"i:{blake2b(text.encode(), digest_size=16).hexdigest()}"


def _cut(text: str) -> str:
    return text.encode()[:LONGEST_KEY].decode("utf-8", "ignore")
