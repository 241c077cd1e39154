from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ustory.core.settings import Settings
from ustory.core.story import Event, EventKind
from ustory.engine.state import State
from ustory.stories import record
from ustory.stories.record import SavedRecords, StoryRecord, StoryRecords

NOW = datetime(2024, 3, 4, tzinfo=UTC)


def story(number: int) -> StoryRecord:
    return StoryRecord(
        id=f"s{number:06d}", articles=number, first_seen=NOW, last_seen=NOW
    )


def test_of_the_stories_that_ended_only_the_largest_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record, "MAX_EXPIRED_STORIES", 5)
    saved = SavedRecords(live=tuple(map(story, range(100))))
    kept = StoryRecords(Settings(), State(end=NOW), saved)
    held = 0
    for number in range(99):
        event = Event(kind=EventKind.EXPIRED, story=story(number).id, at=NOW)
        [ended] = kept.update(State(end=NOW), [event])
        assert not ended.live
        held = max(held, len(kept._expired))

    assert held <= 10
    assert [each.articles for each in kept.largest()] == [99, 98, 97, 96, 95, 94]
    assert kept.in_run == 100
