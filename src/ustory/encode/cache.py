"""Remembers sentence vectors on disk, so that no sentence is encoded twice."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np

from ustory.core.arrays import SentenceVectors
from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder

_LOG = logging.getLogger(__name__)
_APPLICATION = 0x75737479  # "usty": tells our databases from other people's
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_AT_ONCE = 500  # keys per query, below every build's limit on parameters


class CachedEncoder:
    """An encoder with a file of what it said before.

    A vector is found by the encoder's name and the sentence's SHA-256. Over
    `max_rows`, the oldest go. The file may be shared by processes. When it is
    damaged it is set aside and begun anew; when it cannot be used for another
    reason, sentences are encoded as if there were no cache. Both are logged.

    It pays for itself before a slow encoder; `wordllama` is faster than a disk.
    """

    def __init__(self, encoder: Encoder, path: Path, max_rows: int = 1_000_000) -> None:
        if max_rows < 1:
            raise ConfigError(
                f"a cache needs room for a row, got max_rows = {max_rows}; "
                "leave the cache out to do without"
            )
        self._encoder = encoder
        self._path = path
        self._max_rows = max_rows
        self._begin()

    def _begin(self) -> None:
        """Make the file, or refuse a path where there can be none."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._forgiving(strict=True), self._open():
                pass
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                f"cannot keep a cache in {self._path}: {error}; "
                "give a file in a folder that can be written to"
            ) from error

    @property
    def name(self) -> str:
        """The name of the encoder behind the cache."""
        return self._encoder.name

    @property
    def dim(self) -> int:
        """Length of each sentence vector."""
        return self._encoder.dim

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages that the encoder behind the cache says it knows."""
        return getattr(self._encoder, "languages", None)

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        """Return one unit-length float16 row per sentence, in order."""
        keys = [self._key(sentence) for sentence in sentences]
        known = self._read(list(dict.fromkeys(keys)))
        missing = {
            key: sentence
            for key, sentence in zip(keys, sentences, strict=True)
            if key not in known
        }
        if missing:
            rows = self._encoder.encode(list(missing.values()))
            fresh = dict(zip(missing, rows, strict=True))
            self._write(fresh)
            known.update(fresh)
        table = np.zeros((len(keys), self.dim), dtype=np.float16)
        for place, key in enumerate(keys):
            table[place] = known[key]
        return table

    def _key(self, sentence: str) -> bytes:
        text = f"{self.name}\0{sentence}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).digest()

    def _read(self, keys: list[bytes]) -> dict[bytes, SentenceVectors]:
        found: list[tuple[bytes, bytes]] = []
        with self._forgiving(), self._open() as database:
            for start in range(0, len(keys), _AT_ONCE):
                part = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(part))
                rows = database.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part
                )
                found.extend(rows)
        return {
            key: np.frombuffer(row, "<f2") for key, row in found if self._sound(row)
        }

    def _sound(self, row: bytes) -> bool:
        """Tell whether a row can be the encoder's: disks and models change."""
        if len(row) != 2 * self.dim:
            return False
        length = np.linalg.norm(np.frombuffer(row, "<f2").astype(np.float64))
        return bool(abs(length - 1.0) < 0.01)

    def _write(self, rows: dict[bytes, SentenceVectors]) -> None:
        with self._forgiving(), self._open() as database:
            database.executemany(
                "INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)",
                ((key, row.astype("<f2").tobytes()) for key, row in rows.items()),
            )
            # row numbers grow with time
            database.execute(
                "DELETE FROM vectors WHERE number <= "
                "(SELECT max(number) FROM vectors) - ?",
                (self._max_rows,),
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction.

        A connection does not outlive it, so the encoder can be used by any
        thread and after a fork.
        """
        with closing(sqlite3.connect(self._path, timeout=30)) as database:
            (application,) = database.execute("PRAGMA application_id").fetchone()
            (tables,) = database.execute(
                "SELECT count(*) FROM sqlite_master"
            ).fetchone()
            if tables and application != _APPLICATION:
                raise ConfigError(
                    f"{self._path} is a database of another program; "
                    "give the cache a file of its own"
                )
            # what a power cut can cost is only work that can be done again
            database.execute("PRAGMA synchronous = OFF")
            with database:
                if not tables:
                    _create(database)
                yield database

    @contextmanager
    def _forgiving(self, strict: bool = False) -> Iterator[None]:
        """Set a damaged file aside; go on without the cache when else it fails."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _DAMAGED:
                self._set_aside(error)
            elif strict:
                raise
            else:
                _LOG.warning("going on without the cache %s: %s", self._path, error)

    def _set_aside(self, error: sqlite3.Error) -> None:
        """Rename the damaged file: it may be something else than a cache."""
        aside = self._path.with_name(f"{self._path.name}.damaged")
        # another process may have been faster
        with suppress(FileNotFoundError):
            self._path.replace(aside)
        # else it would be played back into the new file
        self._path.with_name(f"{self._path.name}-journal").unlink(missing_ok=True)
        _LOG.warning(
            "the cache %s was damaged (%s); it is now %s, and a new one is begun",
            self._path,
            error,
            aside,
        )


def _create(database: sqlite3.Connection) -> None:
    database.execute(f"PRAGMA application_id = {_APPLICATION}")
    database.execute(
        "CREATE TABLE IF NOT EXISTS vectors "
        "(number INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, vector BLOB NOT NULL)"
    )
