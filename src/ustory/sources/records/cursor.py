"""Names of sources, and cursors: a record's number and a digest of its article."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from ustory.core.article import Article
from ustory.core.errors import ConfigError

STDIN = "-"
"""The path that means standard input."""

STDIN_NAME = "stdin"
"""What errors and cursors call it."""


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


def display_name(path: str) -> str:
    """Return what errors and cursors call this path."""
    return STDIN_NAME if path == STDIN else file_name(Path(path))


def file_name(path: Path, folder: Path | None = None) -> str:
    """Return the one name of a file: relative to `folder` if inside it, else absolute.

    `folder` is the current one unless given. However a path is typed, a run that is
    resumed must know the file again.
    """
    # What a pipe resolves to is another name in every process.
    odd = path.exists() and not path.is_file()
    place = path.absolute() if odd else path.resolve()
    home = (folder or Path()).resolve()
    return str(place.relative_to(home) if place.is_relative_to(home) else place)
