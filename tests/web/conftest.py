"""A service over the demo stream, filled once and copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from ustory.service.clock import StreamClock
from ustory.service.intake import Intake
from ustory.service.loop import Loop
from ustory.service.settings import live_settings
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source
from ustory.store import Store
from ustory.testing.parts import TinyEncoder
from ustory.web.app import create_app
from ustory.web.keys import Keys
from ustory.web.limits import Limits, Rate
from ustory.web.service import Rules, Service

KEY = "the key of the tests"
WRITER = {"Authorization": f"Bearer {KEY}"}
_PLENTY = Rate(burst=1_000_000, per_second=1_000_000)
GENEROUS = Limits(reads=_PLENTY, writes=_PLENTY, probes=_PLENTY, heartbeat=0.2)


def open_service(
    database: Path | str,
    rules: Rules | None = None,
    mode: str = "links",
    slide: str = "1d",
) -> Service:
    """Return a service over a database, with the smallest encoder there is."""
    store, clock = Store.open(str(database)), StreamClock()
    settings = live_settings(slide=slide, mode=mode)
    loop = Loop(store, settings, TinyEncoder(), clock)
    intake = Intake(store, loop.calendar, clock)
    return Service(loop, intake, rules or Rules(keys=Keys.of([KEY]), limits=GENEROUS))


def get(client: TestClient, path: str, **asked: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the JSON of an answer that is none but good."""
    answer = client.get(path, params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with the stories of the demo stream."""
    database = tmp_path_factory.mktemp("serve") / "filled.db"
    service = open_service(database)
    fill(service)
    service.store.close()
    return database


def fill(service: Service) -> None:
    """Tell the whole demo stream."""
    service.loop.start()
    articles = [each.article for each in open_source(str(demo_stream())).read()]
    for start in range(0, len(articles), 20):
        service.intake.accept(articles[start : start + 20], "demo")
    service.loop.finish()


@pytest.fixture(scope="session")
def reader(
    filled: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    """Return a client that all tests share which change nothing."""
    service = open_service(copied(filled, tmp_path_factory.mktemp("reader")))
    with TestClient(create_app(service)) as client:
        yield client
    service.store.close()


@pytest.fixture(scope="session")
def after_a_merger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Return a client of the demo stream in slides in which stories are merged."""
    database = tmp_path_factory.mktemp("merger") / "filled.db"
    service = open_service(database, slide="2h")
    fill(service)
    with TestClient(create_app(service)) as client:
        yield client
    service.store.close()


def the_service(client: TestClient) -> Service:
    """Return the service behind a client."""
    service: Service = client.app.state.service  # type: ignore[attr-defined]
    return service


def copied(filled: Path, folder: Path) -> Path:
    """Return a copy of a database, with all its files."""
    for part in filled.parent.glob(f"{filled.name}*"):
        shutil.copy(part, folder / part.name)
    return folder / filled.name


@pytest.fixture
def database(filled: Path, tmp_path: Path) -> Path:
    """Return a copy of the filled database that a test may change."""
    return copied(filled, tmp_path)


@pytest.fixture
def service(database: Path) -> Iterator[Service]:
    """Return a service that a test may change; it is not started."""
    service = open_service(database)
    yield service
    service.store.close()


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    """Return a client of a running service."""
    with TestClient(create_app(service), base_url="http://testserver") as client:
        yield client
