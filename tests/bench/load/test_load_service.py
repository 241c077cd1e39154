"""A load against a real service on this machine: everything arrives, and is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.service.running import demo_articles
from tests.web.conftest import GENEROUS, KEY, open_service
from tests.web.running import running

from ustory.core.errors import ConfigError, UStoryError
from ustory.service.intake import Intake, IntakeLimits
from ustory.web.keys import Keys
from ustory.web.service import Rules, Service
from ustory_bench.load.figures import LoadReport
from ustory_bench.load.pace import Pace
from ustory_bench.load.service import Target, check_address, load_service


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return a service over a new database, by the dates of articles."""
    made = open_service(tmp_path / "load.db")
    yield made
    made.store.close()


def posted(address: str, pace: Pace, **given: object) -> LoadReport:
    target = Target(address=address, key=KEY, **given)  # type: ignore[arg-type]
    return load_service(target, demo_articles(), pace, lambda pace: None)


def test_all_articles_are_taken_in_and_told(service: Service) -> None:
    with running(service) as address:
        report = posted(address, Pace(None), own_dates=True)
    assert report.outcomes == {"new": len(demo_articles())}
    assert report.articles == len(demo_articles())
    assert report.told is not None
    assert report.told.count + report.untold == len(demo_articles())
    assert 0 < report.untold < 30  # of the last day, which is not over
    assert report.slides is not None
    assert report.slides.count == service.loop.slide
    assert report.window == service.loop.status().inside
    assert report.memory_mib > 10
    assert report.steps["encoding"] >= 0


def test_a_second_time_everything_is_known(service: Service) -> None:
    with running(service) as address:
        posted(address, Pace(None), own_dates=True)
        again = posted(address, Pace(None), own_dates=True)
    assert again.outcomes == {"known": len(demo_articles())}
    assert (again.told, again.untold) == (None, 0)


def test_a_service_that_is_full_is_asked_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.intake = Intake(
        service.store,
        service.loop.calendar,
        service.clock,
        IntakeLimits(waiting=60),
    )
    monkeypatch.setattr("ustory_bench.load.service.BATCH", 20)
    monkeypatch.setattr("ustory_bench.load.client._LONGEST_PAUSE", 0.05)
    with running(service) as address:
        report = posted(address, Pace(None), own_dates=True)
    assert report.outcomes == {"new": len(demo_articles())}


def test_a_key_that_is_not_known_is_refused_in_words(service: Service) -> None:
    with running(service) as address, pytest.raises(ConfigError, match="needs an API"):
        load_service(
            Target(address=address, key="no such key"),
            demo_articles(),
            Pace(None),
            lambda pace: None,
        )


def test_reading_may_need_the_key_as_well(tmp_path: Path) -> None:
    rules = Rules(keys=Keys.of([KEY]), limits=GENEROUS, private=True)
    service = open_service(tmp_path / "private.db", rules)
    with running(service) as address:
        report = posted(address, Pace(500.0), own_dates=True)
    service.store.close()
    assert report.outcomes == {"new": len(demo_articles())}
    assert report.lag is not None


@pytest.mark.parametrize("text", ["foo", "ftp://host", "http://a b", ""])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--against takes `engine`, or the address"):
        check_address(text)


def test_where_nobody_listens_is_said() -> None:
    with pytest.raises(UStoryError, match="it cannot be reached"):
        posted("http://127.0.0.1:9", Pace(None))


class _Other(BaseHTTPRequestHandler):
    """Something else that speaks HTTP."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"hello": "world"}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


def test_another_server_is_not_taken_for_ours() -> None:
    server = HTTPServer(("127.0.0.1", 0), _Other)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        with pytest.raises(UStoryError, match="it is no `ustory serve`"):
            posted(f"http://127.0.0.1:{server.server_port}", Pace(None))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
