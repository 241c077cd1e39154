"""Where a database is: a path, `sqlite:///path` or `postgresql://…`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from ustory.core.errors import ConfigError, MissingExtraError

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
        if find_spec("psycopg") is None:
            raise MissingExtraError("psycopg, which PostgreSQL needs,", "postgres")
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


def _file(url: URL) -> URL:
    if not url.database or url.database == ":memory:":
        raise ConfigError(f"{_RULE}; one in memory would be lost: give it a file")
    return url.set(drivername="sqlite")
