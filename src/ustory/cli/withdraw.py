"""`ustory db withdraw` and `ustory db repair`: the archive changed, offline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ustory.core.errors import ConfigError
from ustory.core.wording import many

if TYPE_CHECKING:
    from ustory.service.loop import Loop
    from ustory.store import Store


def chosen_rule(given: dict[str, str | None]) -> tuple[str, str]:
    """Return the one kind of rule that was given, and its value."""
    found = [(kind, value) for kind, value in given.items() if value is not None]
    if len(found) != 1:
        raise ConfigError(
            "say what is to be withdrawn with one of --article, --source, --origin and "
            f"--text; got {len(found)} of them"
        )
    return found[0]


@contextmanager
def still_archive(store: Store) -> Iterator[Loop | None]:
    """Give the archive's loop, which does not run; None if nothing was served.

    The database is claimed meanwhile, so a service that runs is not disturbed.
    """
    from ustory.encode import load_encoder  # noqa: PLC0415 - heavy, optional
    from ustory.service.claim import claimed  # noqa: PLC0415 - heavy, optional
    from ustory.service.clock import WallClock  # noqa: PLC0415 - heavy, optional
    from ustory.service.loop import Loop  # noqa: PLC0415 - heavy, optional
    from ustory.service.settings import settings_of  # noqa: PLC0415 - heavy, optional

    with claimed(store):
        settings = settings_of(store)
        if settings is None:
            yield None
            return
        yield Loop(store, settings, load_encoder(settings.encoder), WallClock())


def withdraw_from(store: Store, kind: str, value: str) -> None:
    """Withdraw articles, and say how many, and which backups still have them."""
    from ustory.service.withdrawal import WithdrawalRule  # noqa: PLC0415 - heavy, optional
    from ustory.store.withdraw import backups_beside  # noqa: PLC0415 - heavy, optional

    rule = WithdrawalRule(kind, value)
    with still_archive(store) as loop:
        if loop is None:
            click.echo(f"{store.url} has no articles")
            return
        loop.start()
        done = loop.withdraw(rule)
    click.echo(
        f"{many(done.articles, 'article', 'articles')} withdrawn from {store.url}, of "
        f"{many(done.stories, 'story', 'stories')}"
    )
    if not done.articles:
        return
    for file in backups_beside(store):
        click.echo(f"file that may still have them: {file}")
    click.echo("Other backups and exports are not known here: delete them by hand.")


def repair_clock_of(store: Store) -> None:
    """Date an archive back, and say what was done."""
    with still_archive(store) as loop:
        done = None if loop is None else loop.repair_clock()
    if done is None or not done.slides:
        click.echo(f"{store.url} has nothing in the future")
        return
    click.echo(
        f"{many(done.slides, 'slide', 'slides')} and "
        f"{many(done.articles, 'article', 'articles')} of {store.url} were dated back"
    )
