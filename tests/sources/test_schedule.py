"""Tasks keep neither slot nor host where no thread can be started for them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest

from tests.sources.documents import item, rss
from tests.sources.site import Reply, serving, web
from ustory.sources.feeds import task_queues as schedule
from ustory.sources.feeds.polling import FeedPoller, FeedState
from ustory.sources.feeds.task_queues import QueuedTask, TaskQueues
from ustory.sources.http.politeness import Spacing

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)


class Unstartable(Thread):
    """A thread on a machine that has no more."""

    def start(self) -> None:
        """Fail as Python does."""
        raise RuntimeError("can't start new thread")


def test_a_task_that_cannot_be_started_frees_its_slot_and_its_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tasks: TaskQueues[str] = TaskQueues({"only": 1})
    monkeypatch.setattr(schedule, "Thread", Unstartable)
    tasks.add(QueuedTask(url="a", queue="only", work=lambda: "A", host="h"))
    failed = tasks.next_finished(5)
    assert failed is not None
    assert (failed.url, failed.result) == ("a", None)
    monkeypatch.undo()
    tasks.add(QueuedTask(url="b", queue="only", work=lambda: "B", host="h"))
    done = tasks.next_finished(5)
    assert done is not None
    assert done.result == "B"


def test_a_feed_for_which_there_is_no_thread_is_put_off_and_has_not_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving() as site:
        site.routes["/feed"] = Reply(rss(item("A", "/a", "text " * 300)))
        times = [NOW]
        feeds = FeedPoller(web(), clock=lambda: times[-1], spacing=Spacing(0.0))
        monkeypatch.setattr(schedule, "Thread", Unstartable)
        [polled] = feeds.poll([FeedState.new(f"{site.url}/feed", NOW)])
        assert "thread" in (polled.state.last_error or "")
        assert polled.state.failures == 0
        assert NOW < polled.state.next_at <= NOW + timedelta(minutes=5)
        monkeypatch.undo()
        times.append(polled.state.next_at)
        [polled] = feeds.poll([polled.state])
        assert polled.state.last_error is None
        assert [each.article.title for each in polled.items] == ["A"]
