"""Poison from outside: an answer in the one shape, and articles set aside by hand."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from tests.web.conftest import WRITER, get, open_service, the_service
from ustory.cli.main import cli
from ustory.core.article import Article
from ustory.service.current_problems import CurrentProblems
from ustory.store import Store
from ustory.text.fast import FastPipeline
from ustory.web.app import create_app
from ustory.web.service import Service, Supervised

NEW = {"title": "Ferries wait in Kestrel Bay", "text": "The storm closed the harbour."}
BAD = {"title": "Vitamins", "text": "This is poison."}


class Panic(BaseException):
    """What a compiled package throws: no Exception."""


@pytest.fixture
def poisoned(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """Return a client of a service whose pipeline panics at poison."""
    split = FastPipeline.split

    def panicky(self: FastPipeline, article: Article) -> tuple[str, ...]:
        if "poison" in article.text:
            raise Panic("byte index 12 is not a boundary")
        return split(self, article)

    monkeypatch.setattr(FastPipeline, "split", panicky)
    return client


def test_a_no_break_space_before_a_stop_is_matched_and_taken_in(
    client: TestClient,
) -> None:
    text = {"title": "Health", "text": "Take vitamin C\u00a0. It rained in Kestrel."}

    assert client.post("/api/match", json=text).status_code == 200
    (receipt,) = client.post("/api/articles", json=text, headers=WRITER).json()[
        "receipts"
    ]
    assert receipt["outcome"] == "new"
    the_service(client).loop.finish()
    assert client.get("/readyz").status_code == 200


def test_an_article_that_cannot_be_read_gets_its_receipt(poisoned: TestClient) -> None:
    answer = poisoned.post("/api/articles", json=BAD, headers=WRITER)

    assert answer.status_code == 200
    (receipt,) = answer.json()["receipts"]
    assert (receipt["outcome"], receipt["story"]) == ("new", None)
    again = poisoned.post("/api/articles", json=BAD, headers=WRITER).json()
    assert again["receipts"][0]["outcome"] == "known"


def test_a_text_that_cannot_be_matched_is_answered_in_the_one_shape(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(self: FastPipeline, article: Article) -> tuple[str, ...]:
        raise Panic("secret inside")

    service = open_service(database)
    with TestClient(create_app(service), raise_server_exceptions=False) as client:
        monkeypatch.setattr(FastPipeline, "split", panic)
        answer = client.post("/api/match", json=NEW)

    assert answer.status_code == 500
    assert answer.json()["error"]["kind"] == "internal"
    assert "secret" not in answer.text
    service.store.close()


def test_a_text_to_match_has_a_limit_of_its_own(client: TestClient) -> None:
    most = the_service(client).rules.limits.match

    fits = client.post("/api/match", json={"title": "x", "text": "«" * (most - 1)})
    too_long = client.post("/api/match", json={"title": "xx", "text": "«" * (most - 1)})

    assert most == 100_000
    assert fits.status_code == 200
    assert too_long.status_code == 413
    assert too_long.json()["error"]["kind"] == "too_large"
    assert "100,000" in too_long.json()["error"]["message"]


def test_a_watchlist_is_refused_whose_example_cannot_be_read(
    poisoned: TestClient,
) -> None:
    asked = {"name": "Vitamins", "example": "All about poison."}

    answer = poisoned.post("/api/watchlists", json=asked, headers=WRITER)

    assert answer.status_code == 422
    assert "the example cannot be read" in answer.json()["error"]["message"]
    assert get(poisoned, "/api/watchlists")["watchlists"] == []
    good = {**asked, "example": "A storm closed the harbour."}
    assert (
        poisoned.post("/api/watchlists", json=good, headers=WRITER).status_code == 201
    )


def test_an_article_is_set_aside_shown_and_taken_back(client: TestClient) -> None:
    sent = client.post("/api/articles", json=NEW, headers=WRITER).json()
    name = sent["receipts"][0]["article"]
    path = f"/api/articles/{name}/set-aside"
    assert get(client, f"/api/articles/{name}")["set_aside"] is None

    why = {"why": "Withdrawn by <its> publisher"}
    assert client.post(path, json=why).status_code == 401
    answer = client.post(path, json=why, headers=WRITER)

    assert answer.status_code == 200
    assert answer.json()["left_out"] is True
    shown = get(client, f"/api/articles/{name}")["set_aside"]
    assert (shown["reason"], shown["by"]) == (why["why"], "api:given")
    assert get(client, "/api/operations")["set_aside"] == [shown]
    for page in (f"/articles/{name}", "/operations"):
        assert "Withdrawn by &lt;its&gt; publisher" in client.get(page).text
    assert client.delete(path, headers=WRITER).status_code == 204
    assert client.delete(path, headers=WRITER).status_code == 404
    assert get(client, f"/api/articles/{name}")["set_aside"] is None


def test_an_article_left_out_of_a_done_slide_cannot_be_taken_back(
    client: TestClient,
) -> None:
    sent = client.post("/api/articles", json=NEW, headers=WRITER).json()
    name = sent["receipts"][0]["article"]
    path = f"/api/articles/{name}/set-aside"
    client.post(path, json={"why": "Withdrawn"}, headers=WRITER)
    the_service(client).loop.finish()

    answer = client.delete(path, headers=WRITER)

    assert answer.status_code == 409
    assert "computed without" in answer.json()["error"]["message"]
    found = get(client, f"/api/articles/{name}/explanation")
    assert found["how"] == "set-aside"
    assert found["reasons"] == ["It is in no story: it is set aside."]
    assert "it is set aside" in client.get(f"/articles/{name}").text
    assert client.post(
        "/api/articles/nobody/set-aside", json={"why": "x"}, headers=WRITER
    ).status_code == 404  # fmt: skip


def test_numbers_and_operations_say_that_the_loop_is_dead(client: TestClient) -> None:
    service = the_service(client)
    assert "ustory_loop_ok 1.0" in client.get("/metrics").text
    service._stop.set()
    service._threads["loop"].join(10)

    assert "ustory_loop_ok 0.0" in client.get("/metrics").text
    found = get(client, "/api/operations")
    assert found["status"] == "not ready"
    assert "does not run" in found["now"]["loop"]


def test_a_loop_that_dies_is_begun_again_and_said_to_fail_meanwhile(
    service: Service,
) -> None:
    died, go_on = Event(), Event()
    run = service.loop.run

    def dying(stop: Event) -> None:
        if not died.is_set():
            died.set()
            raise Panic("the loop is gone")
        go_on.wait(30)
        run(stop)

    service._workers["loop"] = dying
    with TestClient(create_app(service)) as client:
        assert died.wait(30)
        failing = client.get("/readyz")
        numbers = client.get("/metrics").text
        now = get(client, "/api/operations")["now"]
        go_on.set()
        for _ in range(300):
            if client.get("/readyz").status_code == 200:
                break
            Event().wait(0.1)
        recovered = client.get("/readyz")
        problems = get(client, "/api/operations")["problems"]

    assert failing.status_code == 503
    assert "ustory_loop_ok 0.0" in numbers
    assert "Panic: the loop is gone" in now["loop"]
    assert recovered.status_code == 200
    assert any("the loop is gone" in each["message"] for each in problems)


def test_work_is_begun_again_after_pauses_that_grow_until_it_ends(
    service: Service,
) -> None:
    problems = CurrentProblems(service.store, service.clock)
    waited: list[float] = []
    begun: list[int] = []

    class Stop(Event):
        """An event that is waited for without waiting."""

        def wait(self, timeout: float | None = None) -> bool:
            """Note how long to wait."""
            waited.append(timeout or 0.0)
            return False

    def work(stop: Event) -> None:
        begun.append(1)
        if len(begun) < 9:
            raise Panic("again")

    Supervised("feeds", work, problems)(Stop())

    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert problems.now() == {}


def test_an_article_is_set_aside_by_a_command(database: Path) -> None:
    run = CliRunner().invoke
    at = ["--database", str(database)]

    done = run(cli, ["db", "set-aside", "a-0001", "--why", "It was wrong", *at])
    check = run(cli, ["db", "check", *at])
    back = run(cli, ["db", "set-aside", "a-0001", "--take-back", *at])

    assert done.output == "a-0001 is set aside, but its slide is done already\n"
    assert "set aside: a-0001 in slide 1: It was wrong" in check.output
    assert check.exit_code == 0
    assert back.output == "a-0001 is taken back\n"
    store = Store.open(str(database))
    store.close()
    for wrong in (["nobody", "--why", "x"], ["a-0001"], ["nobody", "--take-back"]):
        failed = run(cli, ["db", "set-aside", *wrong, *at])
        assert failed.exit_code != 0
        assert "Traceback" not in failed.output
