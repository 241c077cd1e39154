"""`ustory keys`: who may use a service, by name, for what and until when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from ustory.cli.console import results
from ustory.cli.serve import database_option, duration
from ustory.core.errors import ConfigError

if TYPE_CHECKING:
    from ustory.store import Store
    from ustory.store.tables import KeyRow

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_RESERVED = "given"
_SCOPES = ("read", "articles", "feeds", "watchlists", "admin")


@click.group()
def keys() -> None:
    """Add, list or revoke the API keys of `ustory serve`, also while it runs."""


@keys.command()
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(_SCOPES),
    multiple=True,
    required=True,
    help="What it is good for; may be repeated. `admin` is all of it.",
)
@click.option("--expires", metavar="SPAN", help="How long it holds, such as 90d.")
@database_option
def add(name: str, scopes: tuple[str, ...], expires: str | None, database: str) -> None:
    """Make a key called NAME, and print it this once."""
    from ustory.store.keys import key, put_key  # noqa: PLC0415 - optional
    from ustory.store.tables import KeyRow  # noqa: PLC0415 - optional
    from ustory.web.keys import digest_of, new_key  # noqa: PLC0415 - optional

    _check_name(name)
    span = duration("--expires", expires)
    now, made = datetime.now(UTC), new_key()
    row = KeyRow(
        name=name,
        digest=digest_of(made),
        scopes=tuple(sorted(set(scopes))),
        created_at=now,
        expires_at=None if span is None else _after(now, span),
    )
    with _opened(database) as store, store.write() as connection:
        there = key(connection, name)
        if there is not None and there.is_valid(now):
            raise ConfigError(
                f"there is a key {name} already; revoke it first, or choose another "
                "name"
            )
        put_key(connection, row)
    click.echo(f"key {name} ({', '.join(row.scopes)}), shown this once: {made}")


@keys.command(name="list")
@database_option
def list_(database: str) -> None:
    """List the keys: what each is good for, and whether it still holds.

    Keys of USTORY_API_KEYS and --key are not kept, and are not listed.
    """
    from rich.table import Table  # noqa: PLC0415 - slow to import

    from ustory.store.keys import all_keys  # noqa: PLC0415 - heavy, optional

    now = datetime.now(UTC)
    with _opened(database) as store, store.read() as connection:
        rows = all_keys(connection)
    table = Table("name", "scopes", "made", "holds", "last used")
    for row in rows:
        used = "never" if row.last_used_at is None else _day(row.last_used_at)
        scopes = ", ".join(row.scopes)
        table.add_row(row.name, scopes, _day(row.created_at), _holds(row, now), used)
    results().print(table if rows else "no keys are kept")


@keys.command()
@click.argument("name")
@database_option
def revoke(name: str, database: str) -> None:
    """Let the key called NAME open nothing any more; a service heeds it in seconds."""
    from ustory.store.keys import all_keys, revoke_key  # noqa: PLC0415 - optional

    with _opened(database) as store, store.write() as connection:
        if not revoke_key(connection, name, datetime.now(UTC)):
            held = [r.name for r in all_keys(connection) if r.revoked_at is None]
            raise ConfigError(
                f"there is no key {name} to revoke; there are: "
                f"{', '.join(held) or 'none'}"
            )
    click.echo(f"key {name} is revoked")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name.startswith(_RESERVED):
        raise ConfigError(
            "the name of a key has up to 40 letters, digits, dots, dashes and "
            f"underlines, and does not begin with {_RESERVED!r}; got {name!r}"
        )


def _after(now: datetime, span: timedelta) -> datetime:
    try:
        return now + span
    except OverflowError:
        raise ConfigError(
            "--expires is beyond the calendar; leave it out for a key without an end"
        ) from None


def _holds(row: KeyRow, now: datetime) -> str:
    if row.revoked_at is not None:
        return f"revoked {_day(row.revoked_at)}"
    if row.expires_at is None:
        return "for ever"
    return f"{'until' if row.is_valid(now) else 'ended'} {_day(row.expires_at)}"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


@contextmanager
def _opened(database: str) -> Iterator[Store]:
    from ustory.cli.db import opened  # noqa: PLC0415 - shares the check of the name

    store = opened(database)
    try:
        yield store
    finally:
        store.close()
