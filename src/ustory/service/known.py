"""Which article of the archive one that comes in is, if it is any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from ustory.core.article import Article
from ustory.service.content import LONGEST_KEY, address_of, fingerprint
from ustory.sources.origins import is_claimed, may_edit
from ustory.sources.records.identity import canonical_url, derived_id, page_of
from ustory.store import Connection
from ustory.store.articles import find_known, fingerprints_of
from ustory.store.tables import ArticleRow


@dataclass(slots=True)
class KnownArticle:
    """What identity needs to know of an article that is there. Mutable."""

    id: str
    seq: int
    slide: int
    address: str | None
    origin: str
    """Who brought it."""
    whole: str | None = None
    """Its address with the fragment, which older releases did not store."""
    claimed: bool = False
    """Whether its source is only what a feed of another site says it is."""
    contents: set[str] = field(default_factory=set)
    """Fingerprints of all texts it ever had."""
    revisions: int = 1
    story: str | None = None

    def edited_by(self, origin: str) -> bool:
        """Say whether an origin may change the article."""
        return may_edit(origin, self.origin, self.address)


class KnownArticles:
    """The articles that a batch may meet: of the archive, and of itself. Mutable."""

    def __init__(
        self, connection: Connection, articles: Sequence[Article], origin: str
    ) -> None:
        self._origin = origin
        self._ids: dict[str, KnownArticle] = {}
        self._addresses: dict[str, KnownArticle] = {}
        self._contents: dict[str, KnownArticle] = {}
        addresses = [a for a in map(address_of, articles) if a is not None]
        addresses += [page for page in map(page_of, addresses) if page is not None]
        named = [name for each in articles for name in ids_of(each, origin)]
        derived = [derived_id(a.url, a.source, a.title, a.text) for a in articles]
        found = find_known(
            connection, addresses, list(map(fingerprint, articles)), named + derived
        )
        for rows in (found.addresses, found.ids, found.fingerprints):
            for row in rows.values():
                if row.id not in self._ids:
                    self.add(_entry(row))
        self._remember(connection)

    def find(self, article: Article) -> KnownArticle | None:
        """Return the article that this one is: by address, id, then content.

        Two addresses make two articles whatever their ids are, unless one source
        says the very same under both. An id means something to the origin that gave
        it, and to no other.
        """
        address = address_of(article)
        entry = None if address is None else self._at(address)
        if entry is not None:
            return entry
        for name in ids_of(article, self._origin):
            entry = self._ids.get(name)
            if entry is None or entry.origin != self._origin:
                continue
            if entry.address is None or address is None:
                return entry
        entry = self._contents.get(fingerprint(article))
        return entry if entry is not None and self._agree(entry, article) else None

    def _at(self, address: str) -> KnownArticle | None:
        """Return the article of an address, also where it was stored as its page."""
        entry = self._addresses.get(address)
        if entry is None:
            stored = self._addresses.get(page_of(address) or "")
            entry = stored if stored is not None and stored.whole == address else None
        return entry

    def _agree(self, entry: KnownArticle, article: Article) -> bool:
        """Say whether one content is one article.

        A source that is only claimed is not the same source: else a feed that has a
        text first would keep its publisher's own article out.
        """
        claimed = entry.claimed or is_claimed(article.source, self._origin)
        return entry.origin == self._origin or not claimed

    def add(self, entry: KnownArticle) -> None:
        """Take in an article that is there from now on."""
        self._ids[entry.id] = entry
        if entry.address is not None:
            self._addresses.setdefault(entry.address, entry)
        for content in entry.contents:
            self._contents.setdefault(content, entry)

    def free_id(self, article: Article, seq: int) -> str:
        """Return the id of a new article: its own, unless another has it."""
        derived = derived_id(article.url, article.source, article.title, article.text)
        own, scoped = ids_of(article, self._origin)
        other = self._ids.get(own)
        if other is not None and other.origin != self._origin:
            derived = scoped  # found again under it when it is edited
        for name in (own, derived):
            if name not in self._ids:
                return name
        return f"{derived}.{seq}"

    def _remember(self, connection: Connection) -> None:
        """Read the earlier contents of articles that were edited."""
        edited = [e.id for e in self._ids.values() if e.revisions > 1]
        for article, content in fingerprints_of(connection, edited):
            self._ids[article].contents.add(content)


def ids_of(article: Article, origin: str) -> tuple[str, str]:
    """Return the ids that an article of an origin may have in the archive."""
    whole = f"{origin}\0{article.id}".encode()
    return article.id, f"o:{blake2b(whole, digest_size=8).hexdigest()}"


def addresses_of(row: ArticleRow) -> list[str]:
    """Return the addresses at which an article of the archive comes in again.

    Older releases stored the page alone of an address with a fragment; the page and
    its other fragments are other articles.
    """
    whole = canonical_url(row.url) if row.url else None
    if whole is None or len(whole.encode()) > LONGEST_KEY:
        return [] if row.address is None else [row.address]
    if row.address is None or page_of(whole) == row.address:
        return [whole]
    return sorted({whole, row.address})


def _entry(row: ArticleRow) -> KnownArticle:
    return KnownArticle(
        id=row.id,
        seq=row.seq,
        slide=row.slide,
        address=row.address,
        origin=row.origin,
        whole=canonical_url(row.url) if row.url else None,
        claimed=is_claimed(row.source, row.origin),
        contents={row.fingerprint},
        revisions=row.edits + 1,
        story=row.story,
    )
