"""Bringing a database to the newest schema, with the migrations beside this file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from ustory.core.errors import StateError


class Opened(Protocol):
    """What is migrated."""

    @property
    def url(self) -> str:
        """The address, for people."""
        ...

    def read(self) -> AbstractContextManager[Connection]:
        """Read."""
        ...

    def write(self) -> AbstractContextManager[Connection]:
        """Write."""
        ...


def migrate(store: Opened) -> None:
    """Give the database the newest schema; one that is newer still is refused.

    Each database is brought forward in one transaction, by one process at a time.
    """
    script = _script()
    newest = script.get_current_head()
    with store.read() as connection:
        current = revision(connection)
    if current == newest:
        return
    with store.write() as connection:
        current = revision(connection)
        known = {one.revision for one in script.walk_revisions()}
        if current is not None and current not in known:
            raise StateError(
                f"the database {store.url} has schema {current}, which is newer than "
                f"this ustory knows ({newest}); use the ustory that wrote it, or a "
                "newer one"
            )
        _upgrade(connection, script)


def revision(connection: Connection) -> str | None:
    """Return the schema the database has, None where it has none yet."""
    return MigrationContext.configure(connection).get_current_revision()


def newest_revision() -> str | None:
    """Return the schema this release writes."""
    return _script().get_current_head()


def _script() -> ScriptDirectory:
    return ScriptDirectory(str(Path(__file__).parent / "migrations"))


def _upgrade(connection: Connection, script: ScriptDirectory) -> None:
    def steps(current: Any, context: MigrationContext) -> Iterator[Any]:  # noqa: ANN401 - Alembic's own
        del context
        return script._upgrade_revs("head", current)  # type: ignore[return-value]

    with EnvironmentContext(Config(), script, fn=steps) as environment:
        environment.configure(connection=connection, transactional_ddl=False)
        environment.run_migrations()
