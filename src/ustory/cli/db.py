"""`ustory db`: look after the archive of a live service."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from ustory.cli.console import slide_bar
from ustory.cli.serve import database_option
from ustory.core.errors import ConfigError
from ustory.core.wording import many

if TYPE_CHECKING:
    from ustory.store import Store
    from ustory.store.export_filters import ExportFilter
    from ustory.store.tables import AsideRow

_FILE = click.Path(path_type=Path, dir_okay=False)
_WHAT = ("archive", "stories", "articles", "events", "assignments")
_MOST_SHOWN = 20
"""Articles set aside that a check names."""
_FORMATS = ("jsonl", "csv", "parquet")
_STATUSES = ("live", "expired", "merged")


@click.group()
def db() -> None:
    """Look after the archive of `ustory serve`: check, back up, withdraw, repair."""


@db.command()
@database_option
@click.option(
    "--replay",
    is_flag=True,
    help="Compute the slides of this epoch again, too, and compare.",
)
@click.pass_context
def check(ctx: click.Context, database: str, replay: bool) -> None:
    """Say whether the archive is whole; the exit code is 1 if it is not."""
    from ustory.service.verify import replay as rewrite  # noqa: PLC0415 - heavy
    from ustory.store.upkeep import check as look  # noqa: PLC0415 - heavy, optional

    store = opened(database)
    try:
        problems = list(look(store))
        for row in _aside(store):
            click.echo(f"set aside: {row.article} in slide {row.slide}: {row.reason}")
        if replay and not problems:
            verdict = rewrite(store)
            problems = list(verdict.problems)
            click.echo(f"{many(verdict.slides, 'slide', 'slides')} computed again")
            if verdict.note:
                click.echo(verdict.note)
        for problem in problems:
            click.echo(problem)
    finally:
        store.close()
    if problems:
        ctx.exit(1)
    click.echo(f"{store.url} is whole")


@db.command()
@click.argument("file", type=_FILE)
@database_option
def backup(file: Path, database: str) -> None:
    """Write a copy of the archive into the new FILE, while it is served."""
    from ustory.store.upkeep import backup as copy  # noqa: PLC0415 - heavy, optional

    store = opened(database)
    try:
        copy(store, file)
    finally:
        store.close()
    click.echo(f"{store.url} is backed up in {file}")


@db.command()
@click.argument("file", type=_FILE)
@database_option
@click.confirmation_option(
    "--yes", prompt="This replaces all that is in the database. Go on?"
)
def restore(file: Path, database: str) -> None:
    """Put the backup FILE in the place of all that is in the database."""
    from ustory.store import Store  # noqa: PLC0415 - heavy, optional
    from ustory.store.upkeep import restore as put_back  # noqa: PLC0415 - heavy

    store = Store.open(database)
    try:
        put_back(file, store)
    finally:
        store.close()
    click.echo(f"{store.url} is as it was in {file}")


@db.command()
@click.argument("what", type=click.Choice(_WHAT))
@click.argument("file", type=_FILE)
@database_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    default="jsonl",
    show_default=True,
    help="Of all but the archive, which has a format of its own.",
)
@click.option("--story", metavar="ID", help="Only of this story.")
@click.option("--source", metavar="NAME", help="Only of this source.")
@click.option("--lang", metavar="CODE", help="Only in this language, such as de.")
@click.option("--status", type=click.Choice(_STATUSES), help="Only such stories.")
@click.option("--keyword", metavar="WORD", help="Only stories with this keyword.")
@click.option("--since", metavar="TIME", help="Only since then, such as 2024-03-01.")
@click.option("--until", metavar="TIME", help="Only before then.")
def export(
    what: str,
    file: Path,
    database: str,
    format_: str,
    **chosen: str | None,
) -> None:
    """Write WHAT, or the part that fits every filter, into the new FILE.

    `archive` is all of it, in a form that `restore` reads into any database.
    """
    from ustory.store.export import export as pieces  # noqa: PLC0415 - heavy, optional
    from ustory.store.upkeep import archive  # noqa: PLC0415 - heavy, optional

    given = {name: value for name, value in chosen.items() if value is not None}
    if what == "archive" and given:
        raise ConfigError(f"an archive is whole; leave out --{' --'.join(given)}")
    wanted = _filter(given)
    store = opened(database)
    try:
        if what == "archive":
            archive(store, file)
        else:
            with store.read() as connection:
                found = pieces(lambda: nullcontext(connection), what, format_, wanted)
                with _new(file) as out:
                    out.writelines(found)
    finally:
        store.close()
    click.echo(f"{what} of {store.url} are in {file}")


def _filter(given: dict[str, str]) -> ExportFilter:
    from ustory.store.export_filters import ExportFilter  # noqa: PLC0415 - heavy

    chosen: dict[str, Any] = dict(given)
    for name in ("since", "until"):
        if name in given:
            chosen[name] = _moment(given[name], f"--{name}")
    return ExportFilter(**chosen)


@db.command()
@database_option
@click.option(
    "--backup/--no-backup",
    default=True,
    help="Whether a copy is written first, beside a file, else into this folder.",
)
def upgrade(database: str, backup: bool) -> None:
    """Bring the archive to the schema of this release, which `serve` does as well."""
    store = opened(database, backup=backup)
    store.close()
    if store.backed_up is not None:
        click.echo(f"{store.url} was backed up in {store.backed_up}")
    click.echo(f"{store.url} has the newest schema")


@db.command()
@database_option
@click.option(
    "--from",
    "since",
    metavar="TIME",
    help="Leave slides alone that were over by then, such as 2024-03-01.",
)
@click.option("--progress/--no-progress", default=None, help="Show a bar or none.")
def retell(database: str, since: str | None, progress: bool | None) -> None:
    """Compute the stories again with today's method, also while they are served.

    Stories keep their ids if most articles agree; the others lead to those that
    have their articles now.
    """
    from ustory.encode import load_encoder  # noqa: PLC0415 - heavy
    from ustory.service.recompute import count_slides  # noqa: PLC0415 - heavy, optional
    from ustory.service.retell import retell as again  # noqa: PLC0415 - heavy, optional
    from ustory.service.retell import slide_before  # noqa: PLC0415 - heavy, optional
    from ustory.service.settings import settings_of  # noqa: PLC0415 - heavy, optional
    from ustory.service.slide_runner import SlideRunner  # noqa: PLC0415 - heavy, optional

    moment = None if since is None else _moment(since, "--from")
    store = opened(database)
    try:
        settings = settings_of(store)
        if settings is None:
            raise ConfigError(f"{store.url} has no articles yet; serve it first")
        after = slide_before(store, moment)
        runner = SlideRunner(settings, load_encoder(settings.encoder))
        with slide_bar(count_slides(store, after), progress) as show:
            done = again(store, runner, _now, after=after, progress=show)
    finally:
        store.close()
    if done is None:
        click.echo(f"{store.url} has no slide to compute again")
        return
    click.echo(
        f"{many(done.kept, 'story keeps its id', 'stories keep their ids')}, "
        f"{done.new} new, {done.redirected} lead to another; "
        f"{many(done.moved, 'article', 'articles')} moved"
    )


def _now() -> datetime:
    return datetime.now(UTC)


def _moment(text: str, flag: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise ConfigError(
            f"{flag} takes a date or a time such as 2024-03-01 or 2024-03-01T06:00Z; "
            f"got {text!r}"
        ) from error
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


@db.command("set-aside")
@click.argument("article")
@database_option
@click.option("--why", metavar="WORDS", help="The reason; page and API show it.")
@click.option("--take-back", is_flag=True, help="Undo it, while its slide is not done.")
def put_aside(article: str, database: str, why: str | None, take_back: bool) -> None:
    """Have the slide of ARTICLE, an id, computed without it."""
    from ustory.service.set_aside import set_aside, taken_back  # noqa: PLC0415 - heavy

    if take_back is (why is not None):
        raise ConfigError("give either --why WORDS or --take-back")
    store = opened(database)
    try:
        with store.write() as connection:
            if why is None:
                found = taken_back(connection, article)
                text = "taken back"
            else:
                now = datetime.now(UTC)
                row = set_aside(connection, article, why[:300], "command", now)
                found = row is not None
                late = row is not None and not row.left_out
                text = "set aside" + (", but its slide is done already" * late)
    finally:
        store.close()
    if not found:
        raise ConfigError(f"{store.url} has no such article {article!r}; check the id")
    click.echo(f"{article} is {text}")


def _aside(store: Store) -> list[AsideRow]:
    from ustory.store.articles import all_aside  # noqa: PLC0415 - heavy, optional

    with store.read() as connection:
        return all_aside(connection, _MOST_SHOWN)


@db.command()
@database_option
@click.option("--article", metavar="ID", help="One article.")
@click.option("--source", metavar="NAME", help="All articles of a source.")
@click.option("--origin", metavar="NAME", help="All that a feed, file or key brought.")
@click.option("--text", metavar="WORDS", help="All articles that have these words.")
@click.confirmation_option("--yes", prompt="Withdrawn articles are gone. Go on?")
def withdraw(
    database: str,
    article: str | None,
    source: str | None,
    origin: str | None,
    text: str | None,
) -> None:
    """Take articles out of the archive, with all that was made of them, for good.

    While `ustory serve` runs, ask it: POST /api/withdrawals.
    """
    from ustory.cli.withdraw import chosen_rule, withdraw_from  # noqa: PLC0415 - heavy

    given = {"article": article, "source": source, "origin": origin, "text": text}
    kind, value = chosen_rule(given)
    store = opened(database)
    try:
        withdraw_from(store, kind, value)
    finally:
        store.close()


@db.command()
@database_option
@click.option("--clock", is_flag=True, help="Date back what lies in the future.")
@click.confirmation_option("--yes", prompt="Is the clock of this machine right?")
def repair(database: str, clock: bool) -> None:
    """Mend an archive that was served while the clock of the machine was ahead."""
    from ustory.cli.withdraw import repair_clock_of  # noqa: PLC0415 - heavy

    if not clock:
        raise ConfigError("say what is to be repaired: --clock")
    store = opened(database)
    try:
        repair_clock_of(store)
    finally:
        store.close()


def _new(file: Path) -> BinaryIO:
    try:
        return file.open("xb")
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written: {error}; give a new name"
        ) from error


def opened(database: str, *, backup: bool = True) -> Store:
    """Open an archive that is there; a wrong name must not make a new one."""
    from ustory.store import Store  # noqa: PLC0415 - heavy, optional
    from ustory.store.address import file_of, parse_address  # noqa: PLC0415 - heavy

    file = file_of(parse_address(database))
    if file is not None and not file.is_file():
        raise ConfigError(
            f"there is no database {file}; name the one of `ustory serve` with "
            "--database"
        )
    return Store.open(database, backup=backup)
