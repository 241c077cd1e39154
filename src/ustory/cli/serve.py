"""`ustory serve`: feeds in, stories out, until it is stopped."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from ustory.cli.plan import executor_options, opened_executor, read_flags
from ustory.core.errors import ConfigError
from ustory.core.spans import parse_span

if TYPE_CHECKING:
    from ustory.store import Store
    from ustory.web.assembly import Plan
    from ustory.web.service import Rules

DATABASE = "ustory.db"
"""The archive, unless --database names another."""
database_option = click.option(
    "--database",
    default=DATABASE,
    show_default=True,
    metavar="URL",
    help="A file, or postgresql://…",
)
"""The option of commands that maintain an archive."""
_FLAGS = ("window", "slide", "encoder")


@click.command()
@click.argument("sources", metavar="[SOURCE]...", nargs=-1)
@click.option("--demo", is_flag=True, help="Play the demo stream, sped up.")
@click.option(
    "--languages", is_flag=True, help="With --demo: the stream in six languages."
)
@click.option(
    "--pace",
    type=click.FloatRange(min=0),
    default=50.0,
    show_default=True,
    metavar="SECONDS",
    help="With --demo: how long a day takes, from the ninth on (or the third).",
)
@click.option(
    "--database",
    metavar="URL",
    help=f"A file or postgresql://…  [default: {DATABASE}; temporary with --demo]",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen here.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="And here; 0 is any free port.",
)
@click.option("--window", metavar="SPAN", help="Size of the window.  [default: 7d]")
@click.option(
    "--slide",
    metavar="SPAN",
    help="How often it moves.  [default: 15m; 1d by the dates of articles]",
)
@click.option("--encoder", metavar="NAME", help="See `ustory encoders`.")
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any setting; may be repeated.",
)
@click.option(
    "--key",
    "keys",
    multiple=True,
    envvar="USTORY_API_KEYS",
    metavar="KEY",
    help="An API key; may be repeated. Better in USTORY_API_KEYS, with blanks between.",
)
@click.option("--private", is_flag=True, help="Reading needs a key, too.")
@click.option(
    "--host-name",
    "host_names",
    multiple=True,
    metavar="NAME",
    help="A name it may be called by, besides localhost and where it listens.",
)
@click.option(
    "--public-url",
    default="",
    metavar="URL",
    help="Where readers find it: links in feeds begin with it.",
)
@click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar="NETWORK",
    help="A proxy whose X-Forwarded-For is believed, such as 127.0.0.1.",
)
@click.option("--keep-text", metavar="SPAN", help="Let full texts go after that.")
@click.option("--keep", metavar="SPAN", help="Let whole articles go after that.")
@click.option(
    "--allow-private",
    multiple=True,
    metavar="NETWORK",
    help="A network that feeds and webhooks may be in, such as 10.0.0.0/8.",
)
@click.option(
    "--contact", default="", metavar="URL", help="Who you are, for publishers."
)
@click.option(
    "--every",
    default="15m",
    show_default=True,
    metavar="SPAN",
    help="How often feeds are fetched.",
)
@click.option(
    "--full-text/--no-full-text",
    default=True,
    help="Fetch the page if a feed only has a summary.",
)
@click.option(
    "--as-of-articles",
    is_flag=True,
    help="Go by the dates of articles, not by the clock. Old files do so unasked.",
)
@click.option(
    "--max-waiting",
    type=click.IntRange(min=1),
    default=20_000,
    show_default=True,
    metavar="N",
    help="Articles that may wait for their slide; more are refused with 429.",
)
@click.option(
    "--log-format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How the log on standard error is written: for people, or for programs.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    envvar="USTORY_LIMITS",
    metavar="NAME=VALUE",
    help="A limit, such as connections=500; may be repeated. All are in the docs.",
)
@executor_options
def serve(sources: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click's
    """Read SOURCE... for ever and serve the stories in them.

    SOURCE is an OPML list of feeds, the address of a feed, a file or a folder of
    JSON Lines that grow, WARC files, `-`, or kafka://HOST/TOPIC. Articles can be sent
    to the API as well. Ctrl-C stops it; the next start continues from there. A file
    whose dates are all older than the window is replayed by these dates.
    """
    from ustory.web.logs import set_up_logs  # noqa: PLC0415 - light, but of serve

    if options["languages"] and not options["demo"]:
        raise ConfigError("--languages goes with --demo; give both, or neither")
    set_up_logs(options["log_format"])
    try:
        gc.disable()  # what is imported stays: to look for garbage only takes time
        with _place(options["database"], demo=options["demo"]) as database:
            _open(database, sources, options)
    finally:
        gc.enable()


def _open(database: str, sources: tuple[str, ...], options: dict[str, Any]) -> None:
    from ustory.service.claim import claimed  # noqa: PLC0415 - heavy, optional
    from ustory.store import Store  # noqa: PLC0415 - heavy, optional

    store = Store.open(database)
    if store.backed_up is not None:
        click.echo(f"{store.url} was backed up in {store.backed_up}, then upgraded")
    try:
        with claimed(store), opened_executor(options) as options["executor"]:
            _serve(store, sources, options)
    finally:
        store.close()


def _serve(store: Store, sources: tuple[str, ...], options: dict[str, Any]) -> None:
    from ustory.encode import load_encoder  # noqa: PLC0415 - heavy
    from ustory.service.claim import watched  # noqa: PLC0415 - heavy, optional
    from ustory.service.clock import wall_time  # noqa: PLC0415 - heavy, optional
    from ustory.web.app import create_app  # noqa: PLC0415 - heavy, optional
    from ustory.web.assembly import assemble, time_basis  # noqa: PLC0415 - heavy, optional
    from ustory.web.keys import Keys, keys_of  # noqa: PLC0415 - heavy, optional
    from ustory.web.server import (  # noqa: PLC0415 - heavy, optional
        address_of,
        listen,
        make_server,
    )

    keys, made = keys_of(store, options["keys"], wall_time())
    assert isinstance(keys, Keys)
    plan = _plan(sources, options, _rules(keys, options))
    basis = time_basis(store, plan)
    if basis.words:
        click.echo(basis.words)
    plan = replace(plan, by_articles=basis.by_articles)
    with listen(options["host"], options["port"]) as listener:
        service = assemble(store, plan, load_encoder)
        service.serve_at(address_of(listener))
        service.prepare()
        gc.freeze()
        gc.enable()

        def ready() -> None:
            click.echo(f"ustory serves {store.url} at {address_of(listener)}")
            if made is not None:
                click.echo(f"API key for writing, shown this once: {made}")
            click.echo("Ctrl-C stops it.")

        server = make_server(
            create_app(service),
            service.close_streams,
            ready,
            limits=plan.rules.limits,
            proxies=plan.rules.proxies,
        )
        with watched(store, server.stop) as claim:
            server.run(sockets=[listener])
        claim.check()
    click.echo(_farewell(options))


def _farewell(options: dict[str, Any]) -> str:
    if options["demo"] and options["database"] is None:
        return "stopped; the database of the demo was temporary and is removed"
    return "stopped; the next start goes on from here"


def _rules(keys: Any, options: dict[str, Any]) -> Rules:  # noqa: ANN401 - imported late
    from ustory.sources.http.guard import parse_networks  # noqa: PLC0415 - optional
    from ustory.web.limits import Limits  # noqa: PLC0415 - heavy, optional
    from ustory.web.security import Hosts, checked_url  # noqa: PLC0415 - optional
    from ustory.web.service import Rules  # noqa: PLC0415 - heavy, optional

    public = checked_url(options["public_url"])
    return Rules(
        keys=keys,
        private=options["private"],
        limits=Limits().with_(options["limits"]),
        hosts=Hosts.of(options["host"], options["host_names"], public),
        public_url=public,
        proxies=parse_networks(options["proxies"]),
        allow=parse_networks(options["allow_private"]),
    )


def _plan(sources: tuple[str, ...], options: dict[str, Any], rules: Rules) -> Plan:
    from ustory.service.settings import Retention  # noqa: PLC0415 - heavy, optional
    from ustory.web.assembly import Plan  # noqa: PLC0415 - heavy, optional

    flags = read_flags({name: options[name] for name in _FLAGS}, options["pairs"])
    every = duration("--every", options["every"])
    assert every is not None
    return Plan(
        sources=sources,
        demo=options["demo"],
        languages=options["languages"],
        pace=options["pace"],
        changes=flags,
        rules=rules,
        retention=Retention(
            texts=duration("--keep-text", options["keep_text"]),
            articles=duration("--keep", options["keep"]),
        ),
        contact=options["contact"],
        every=every,
        full_text=options["full_text"],
        by_articles=options["as_of_articles"],
        waiting=options["max_waiting"],
        executor=options["executor"],
    )


def duration(flag: str, text: str | None) -> timedelta | None:
    """Return the duration given with a flag, None if it was not given."""
    if text is None:
        return None
    span = parse_span(text)
    if not isinstance(span, timedelta):
        raise ConfigError(f"{flag} takes a duration like 15m or 30d; got {text!r}")
    return span


@contextmanager
def _place(database: str | None, *, demo: bool) -> Iterator[str]:
    """Yield the named database, or a temporary one for the demo."""
    if database is not None or not demo:
        yield database or DATABASE
        return
    with TemporaryDirectory(prefix="ustory-demo-") as folder:
        yield str(Path(folder) / "demo.db")
