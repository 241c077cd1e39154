"""Addresses of databases, and the modes of their files."""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
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


logger = logging.getLogger(__name__)

_OWN = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_BESIDE = ("", "-wal", "-shm")


def make_own(path: Path) -> None:
    """Make an empty file that its owner alone may read; one that is there is kept."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, _OWN))


def keep_own(path: Path) -> None:
    """Make a database its owner's alone, whether it is there already or not.

    SQLite gives the files beside it the same mode. What cannot be changed, because
    it is another's or the disk has no modes, is left as it is.
    """
    path = path.resolve()  # SQLite puts its other files beside the file itself
    if not path.exists():
        with suppress(OSError):  # SQLite says in words why it cannot be made
            make_own(path)
        return
    for ending in _BESIDE:
        _tighten(path.with_name(path.name + ending))


def _tighten(path: Path) -> None:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if not mode & _OTHERS:
            return
        path.chmod(mode & ~_OTHERS)
    except FileNotFoundError:
        return
    except OSError as error:
        logger.warning(
            "%s can be read by others, and that cannot be changed: %s", path, error
        )
        return
    logger.warning(
        "%s could be read by others (mode %o); now by its owner alone", path, mode
    )
