"""Problems are told once, kept until they are over, and written when that works."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from threading import Barrier, BrokenBarrierError, Thread

import pytest

from tests.service.running import START, Hand, opened
from ustory.core.errors import ConfigError
from ustory.service.backpressure import Full
from ustory.service.current_problems import CurrentProblems, kind_of, words_of
from ustory.store import Connection, Store, Unavailable
from ustory.store.problems import recent_problems


def told(store: Store) -> list[tuple[str, str, str]]:
    with store.read() as connection:
        rows = recent_problems(connection)
    return [(row.origin, row.kind, row.message) for row in rows]


def test_a_trouble_that_goes_on_is_told_once(url: str) -> None:
    with opened(url) as store:
        problems = CurrentProblems(store, Hand(START))
        for _ in range(3):
            problems.begin("feed", "bad", "no answer")
            problems.flush()
        assert told(store) == [("feed", "bad", "no answer")]
        assert problems.now() == {"feed": "no answer"}
        problems.end("feed")
        problems.end("feed")
        assert problems.now() == {}
        problems.begin("feed", "bad", "no answer")
        problems.flush()
        assert len(told(store)) == 2


def test_what_could_not_be_written_is_written_later(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        problems = CurrentProblems(store, Hand(START))
        problems.log("loop", "full", "no room")

        def gone() -> None:
            raise Unavailable("gone", "the database cannot be reached")

        with monkeypatch.context() as patched:
            patched.setattr(store, "write", gone)
            problems.flush()
        assert told(store) == []
        problems.flush()
        problems.flush()
        assert told(store) == [("loop", "full", "no room")]


def test_two_threads_write_a_problem_once(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(sqlite_url) as store:
        problems = CurrentProblems(store, Hand(START))
        problems.log("stream", "bad", "line 2 is not JSON")
        both, write = Barrier(2), store.write

        def together() -> AbstractContextManager[Connection]:
            with suppress(BrokenBarrierError):  # the other waits for its turn
                both.wait(0.5)
            return write()

        monkeypatch.setattr(store, "write", together)
        threads = [Thread(target=problems.flush) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert told(store) == [("stream", "bad", "line 2 is not JSON")]


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (Unavailable("full", "no room"), "database-full", "no room"),
        (Full(3, 2, 10), "full", "3 articles wait for their slide, and the limit is 2"),
        (ConfigError("wrong"), "refused", "wrong"),
        (KeyError("x"), "bug", "an unforeseen error, KeyError: 'x'"),
    ],
)
def test_errors_have_kinds_and_words(error: Exception, kind: str, words: str) -> None:
    assert kind_of(error) == kind
    assert words_of(error).startswith(words)
