"""Cursors of our sources: the number of a record, and what stands there."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from ustory.core.article import Article
from ustory.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last record that was read of a source, as text: `57:1f3a9c04d2b7`."""

    line: int = 0
    digest: str = ""
    """Of the article on that line, to know the file again."""

    def __str__(self) -> str:
        return f"{self.line}:{self.digest}"

    @classmethod
    def of(cls, line: int, article: Article) -> Cursor:
        """Return the cursor behind an article."""
        parts = (article.id, article.published_at.isoformat(), article.title)
        content = "\0".join((*parts, article.text)).encode()
        return cls(line, blake2b(content, digest_size=6).hexdigest())

    @classmethod
    def parse(cls, name: str, after: str | None) -> Cursor:
        """Read a cursor of the source `name`; None is before the first record."""
        if after is None:
            return cls()
        line, _, digest = after.partition(":")
        if not (line_of(after) and digest):
            raise ConfigError(
                f"a cursor of {name} is a line number and a digest, like "
                f"57:1f3a9c04d2b7; got {after[:60]!r}"
            )
        return cls(int(line), digest)


def line_of(cursor: str) -> int:
    """Return the line in a cursor of ours, 0 for one that has none.

    >>> line_of("57:1f3a9c04d2b7"), line_of("etag-17")
    (57, 0)
    """
    line = cursor.partition(":")[0]
    return int(line) if line.isascii() and line.isdigit() and len(line) < 20 else 0
