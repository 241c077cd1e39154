"""Which article of the archive one that comes in is, if it is any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from ustory.core.article import Article
from ustory.ingest.identity import derived_id
from ustory.live.content import address_of, fingerprint
from ustory.store.articles import find_known
from ustory.store.mapping import chunks
from ustory.store.rows import ArticleRow
from ustory.store.schema import revisions


@dataclass(slots=True)
class Entry:
    """What identity needs to know of an article that is there. Mutable."""

    id: str
    seq: int
    slide: int
    address: str | None
    contents: set[str] = field(default_factory=set)
    """Fingerprints of all texts it ever had."""
    revisions: int = 1
    story: str | None = None


class Register:
    """The articles that a batch may meet: of the archive, and of itself. Mutable."""

    def __init__(self, connection: Connection, articles: Sequence[Article]) -> None:
        self._ids: dict[str, Entry] = {}
        self._addresses: dict[str, Entry] = {}
        self._contents: dict[str, Entry] = {}
        addresses = [a for a in map(address_of, articles) if a is not None]
        named = [each.id for each in articles]
        derived = [derived_id(a.url, a.source, a.title, a.text) for a in articles]
        found = find_known(
            connection, addresses, list(map(fingerprint, articles)), named + derived
        )
        for rows in (found.addresses, found.ids, found.fingerprints):
            for row in rows.values():
                if row.id not in self._ids:
                    self.add(_entry(row))
        self._remember(connection)

    def find(self, article: Article) -> Entry | None:
        """Return the article that this one is: by address, id, then content.

        Two addresses make two articles whatever their ids are, unless one source
        says the very same under both.
        """
        address = address_of(article)
        if address is not None and address in self._addresses:
            return self._addresses[address]
        entry = self._ids.get(article.id)
        if entry is not None and (entry.address is None or address is None):
            return entry
        return self._contents.get(fingerprint(article))

    def add(self, entry: Entry) -> None:
        """Take in an article that is there from now on."""
        self._ids[entry.id] = entry
        if entry.address is not None:
            self._addresses.setdefault(entry.address, entry)
        for content in entry.contents:
            self._contents.setdefault(content, entry)

    def free_id(self, article: Article, seq: int) -> str:
        """Return the id of a new article: its own, unless another has it."""
        derived = derived_id(article.url, article.source, article.title, article.text)
        for name in (article.id, derived):
            if name not in self._ids:
                return name
        return f"{derived}.{seq}"

    def _remember(self, connection: Connection) -> None:
        """Read the earlier contents of articles that were edited."""
        edited = [e.id for e in self._ids.values() if e.revisions > 1]
        for some in chunks(edited):
            query = select(revisions.c.article, revisions.c.fingerprint).where(
                revisions.c.article.in_(some)
            )
            for row in connection.execute(query):
                self._ids[row.article].contents.add(row.fingerprint)


def _entry(row: ArticleRow) -> Entry:
    return Entry(
        id=row.id,
        seq=row.seq,
        slide=row.slide,
        address=row.address,
        contents={row.fingerprint},
        revisions=row.edits + 1,
        story=row.story,
    )
