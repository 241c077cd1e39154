"""A source of another package is one file and one entry point, for both commands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner

from ustory.cli.main import cli
from ustory.core import registry
from ustory.core.errors import ConfigError
from ustory.core.protocols import Arrival, Source
from ustory.sources.open import GROUP, Fit, ReadOptions, kind_of, open_source
from ustory.sources.records.problems import Place
from ustory.store import Store
from ustory.store.articles import articles_by_id
from ustory.testing import check_source
from ustory.testing.parts import TinyEncoder
from ustory.web.assembly import Plan, assemble

START = datetime(2024, 3, 4, tzinfo=UTC)
ADDRESS = "mastodon://news.example/tags/storm"


class Mastodon:
    """Posts under a tag, oldest first; the cursor is the number of a post."""

    live = False

    def __init__(self, address: str, options: ReadOptions) -> None:
        self.name = address
        self._options = options

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the posts behind the cursor `after`."""
        for number in range(int(after or -1) + 1, 4):
            moment = START + timedelta(hours=number)
            post = {"id": f"p{number}", "date": moment, "title": f"Storm {number}"}
            place = Place(self.name, 0, f"post {number}")
            article = self._options.to_article(post, place, self._options.clock())
            yield Arrival(article, str(number))


class MastodonKind:
    """Recognises addresses that begin with `mastodon://`."""

    extra = None

    def fit(self, where: str) -> Fit:
        """Recognise the scheme."""
        return Fit.NAME if where.startswith("mastodon://") else Fit.NO

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the posts."""
        return Mastodon(where, options)


MASTODON = MastodonKind()


def register(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Register the kind above under these names, beside all others."""
    group = f"ustory.{GROUP}"
    added = [EntryPoint(name, f"{__name__}:MASTODON", group) for name in names]

    def with_ours(**chosen: str) -> list[EntryPoint]:
        name = chosen.get("name")
        ours = added if chosen["group"] == group else []
        return [*entry_points(**chosen), *(e for e in ours if name in (None, e.name))]

    monkeypatch.setattr(registry, "entry_points", with_ours)
    registry.names.cache_clear()
    registry.find.cache_clear()


@pytest.fixture(autouse=True)
def fresh_registry() -> Iterator[None]:
    """Forget what a test has registered."""
    yield
    registry.names.cache_clear()
    registry.find.cache_clear()


def test_a_registered_source_is_read_by_discover(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    register(monkeypatch, "mastodon")
    out = tmp_path / "assignments.jsonl"

    result = CliRunner().invoke(
        cli, ["discover", ADDRESS, "--encoder", "tiny", "--assignments", str(out)]
    )

    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert {row["article"] for row in rows} >= {"p0", "p1", "p2", "p3"}


def test_a_registered_source_is_read_by_the_service(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    register(monkeypatch, "mastodon")
    store = Store.open(str(tmp_path / "a.db"))
    plan = Plan(sources=(ADDRESS,), by_articles=True)
    service = assemble(store, plan, lambda name: TinyEncoder())
    wanted = ["p0", "p1", "p2", "p3"]

    async def read() -> list[str]:
        await service.start()
        try:
            for _ in range(600):
                with store.read() as connection:
                    found = articles_by_id(connection, wanted)
                if len(found) == len(wanted):
                    break
                await asyncio.sleep(0.05)
        finally:
            await service.stop()
        return sorted(found)

    assert asyncio.run(read()) == wanted
    store.close()


def test_it_keeps_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "mastodon")

    check_source(lambda: open_source(ADDRESS))


def test_two_kinds_that_recognise_one_name_are_not_chosen_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    register(monkeypatch, "fediverse", "mastodon")

    with pytest.raises(ConfigError, match="as fediverse and as mastodon; choose one"):
        kind_of(ADDRESS)
    assert open_source(ADDRESS, kind="mastodon").name == ADDRESS


@pytest.mark.parametrize("name", registry.names(GROUP))
def test_each_kind_of_source_is_whole(name: str) -> None:
    kind = registry.find(GROUP, name)

    assert kind.extra is None or isinstance(kind.extra, str)
    assert isinstance(kind.fit("nowhere/at-all"), Fit)
    assert callable(kind.open)
