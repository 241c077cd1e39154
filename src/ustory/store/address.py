"""Where a database is: a path, `sqlite:///path` or `postgresql://…`."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from ustory.core.errors import ConfigError, StateError
from ustory.core.extras import check_extra

_RULE = "a database is a path, sqlite:///PATH or postgresql://USER@HOST/NAME"


def parse_address(url: str) -> URL:
    """Return the address with its driver; what cannot be used is refused in words."""
    if not url.strip():
        raise ConfigError(f"{_RULE}; got an empty one")
    if "://" not in url:
        return URL.create("sqlite", database=url)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise ConfigError(f"{_RULE}; what was given cannot be read") from error
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        return _file(parsed)
    if kind in ("postgresql", "postgres"):
        check_extra("psycopg", "psycopg, which PostgreSQL needs,", "postgres")
        return parsed.set(drivername="postgresql+psycopg")
    raise ConfigError(f"{_RULE}; got one of {kind}")


def file_of(url: URL) -> Path | None:
    """Return the file of a SQLite database, None for PostgreSQL."""
    sqlite = url.get_backend_name() == "sqlite"
    return Path(url.database) if sqlite and url.database else None


def spoken(url: URL) -> str:
    """Return the address as it may be shown: without its password."""
    file = file_of(url)
    if file is not None:
        return str(file)
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


def refuse_emptied(file: Path) -> None:
    """Refuse a SQLite file without a byte that was an archive before.

    SQLite would begin it anew. What is left beside it tells: the log of a database
    (`-wal`, `-shm`), or the claim of a service (`-serving`), which a file that was
    never more than empty does not have.
    """
    here = file.resolve()
    if not here.is_file() or here.stat().st_size:
        return
    left = [here.with_name(here.name + end) for end in ("-wal", "-shm", "-serving")]
    found = [str(each) for each in left if each.exists()]
    if found:
        raise StateError(
            f"the database {file} is empty, but it was an archive before: there is "
            f"{', '.join(found)}; put a backup in its place with `ustory db restore "
            "BACKUP --database` and a new name, or remove all of these to begin anew"
        )


def _file(url: URL) -> URL:
    if not url.database or url.database == ":memory:":
        raise ConfigError(f"{_RULE}; one in memory would be lost: give it a file")
    return url.set(drivername="sqlite")
