"""Bringing a database to another schema, with the migrations beside this file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from ustory.core.errors import StateError
from ustory.store.reindex import rebuild_search

_SEARCH = "0016"
"""The first schema with the search of today: after older ones it must be filled."""


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


def migrate(
    store: Opened,
    around: Callable[[str], AbstractContextManager[None]] | None = None,
) -> None:
    """Give the database the newest schema; one that is newer still is refused.

    Each database is brought forward in one transaction, by one process at a time: a
    process that is killed leaves the old schema or the new one. Where there is
    anything to lose it happens within `around`, which is given the old schema.
    """
    script = _script()
    newest = script.get_current_head()
    with store.read() as connection:
        current = revision(connection)
    if current == newest:
        return
    _refuse_newer(store, script, current)
    careful = nullcontext() if around is None or current is None else around(current)
    with careful, store.write() as connection:
        current = revision(connection)
        _refuse_newer(store, script, current)
        upgrade_to(connection, "head")
        if current is not None and current < _SEARCH:
            rebuild_search(connection)


def downgrade(store: Opened, to: str) -> None:
    """Give the database an older schema again, in one transaction.

    What the older schema has no place for is gone. States in snapshots stay as they
    are: a release that cannot read them needs a backup that it wrote itself.
    """
    script = _script()
    if to not in _known(script):
        raise StateError(f"there is no schema {to}; give one of {_listed(script)}")
    with store.write() as connection:
        _refuse_newer(store, script, revision(connection))
        _run(connection, script, lambda current: script._downgrade_revs(to, current))


def upgrade_to(connection: Connection, to: str) -> None:
    """Run the migrations up to a schema within a transaction that is open."""
    script = _script()
    _run(connection, script, lambda current: script._upgrade_revs(to, current))


def empty(connection: Connection) -> None:
    """Take all tables away, within a transaction that is open."""
    script = _script()
    _run(connection, script, lambda current: script._downgrade_revs("base", current))


def is_known(schema: object) -> bool:
    """Whether this release has the migrations of a schema."""
    return schema in _known(_script())


def revision(connection: Connection) -> str | None:
    """Return the schema the database has, None where it has none yet."""
    return MigrationContext.configure(connection).get_current_revision()


def newest_revision() -> str | None:
    """Return the schema this release writes."""
    return _script().get_current_head()


def _script() -> ScriptDirectory:
    return ScriptDirectory(str(Path(__file__).parent / "migrations"))


def _known(script: ScriptDirectory) -> set[str]:
    return {one.revision for one in script.walk_revisions()}


def _listed(script: ScriptDirectory) -> str:
    return ", ".join(sorted(_known(script)))


def _refuse_newer(store: Opened, script: ScriptDirectory, current: str | None) -> None:
    if current is not None and current not in _known(script):
        raise StateError(
            f"the database {store.url} has schema {current}, which is newer than "
            f"this ustory knows ({script.get_current_head()}); use the ustory that "
            "wrote it, or a newer one"
        )


def _run(
    connection: Connection, script: ScriptDirectory, find: Callable[[Any], Any]
) -> None:
    def steps(current: Any, context: MigrationContext) -> Iterator[Any]:  # noqa: ANN401 - Alembic's own
        del context
        found: Iterator[Any] = find(current)
        return found

    with EnvironmentContext(Config(), script, fn=steps) as environment:
        environment.configure(connection=connection, transactional_ddl=False)
        environment.run_migrations()
