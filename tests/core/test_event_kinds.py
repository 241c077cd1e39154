"""Every consumer of events handles every kind, and no consumer knows another."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from tests.docs.pages import ROOT

import ustory.web
from ustory.core.settings import Settings
from ustory.core.story import Event, EventKind, other_story
from ustory.engine.state import Record, State
from ustory.stories.record import SavedRecords, StoryRecord, StoryRecords
from ustory.stories.rows import touched_stories
from ustory.testing.checks import _check_event
from ustory.web.pages import news, story_history
from ustory.web.pages.render import environment

NOW = datetime(2024, 3, 4, tzinfo=UTC)
SCRIPTS = sorted((Path(ustory.web.__file__).parent / "static" / "js").glob("*.js"))
UNKNOWN = cast(EventKind, "reborn")


def event(kind: EventKind) -> Event:
    details: dict[str, str | float] = {"into": "other", "from": "other", "days": 3.0}
    return Event(kind=kind, story="own", at=NOW, articles=("a",), details=details)


def records() -> tuple[StoryRecords, State]:
    live = [
        StoryRecord(id=name, articles=2, first_seen=NOW, last_seen=NOW)
        for name in ("own", "other")
    ]
    record = Record(id="a", title="A", sentences=(), published_at=NOW, pane=0)
    state = State(end=NOW, records={"a": record})
    return StoryRecords(Settings(), state, SavedRecords(live=tuple(live))), state


@pytest.mark.parametrize("kind", EventKind)
def test_the_ledger_of_a_run_takes_every_kind(kind: EventKind) -> None:
    kept, state = records()
    ended = [record.id for record in kept.update(state, [event(kind)])]
    assert ended == (["own"] if kind in (EventKind.EXPIRED, EventKind.MERGED) else [])


def test_the_ledger_of_a_run_refuses_a_kind_that_nobody_defined() -> None:
    kept, state = records()
    with pytest.raises(AssertionError, match="reborn"):
        kept.update(state, [event(UNKNOWN)])


@pytest.mark.parametrize("kind", EventKind)
def test_the_check_of_discoverers_takes_every_kind_of_a_run(kind: EventKind) -> None:
    if kind in (EventKind.METHOD_CHANGED, EventKind.WITHDRAWN):
        with pytest.raises(AssertionError, match="archives"):
            _check_event(event(kind), set(), set())
    else:
        _check_event(event(kind), set(), set())


def test_the_check_of_discoverers_refuses_a_kind_that_nobody_defined() -> None:
    with pytest.raises(AssertionError, match="reborn"):
        _check_event(event(UNKNOWN), set(), set())


@pytest.mark.parametrize("table", [story_history._OWN, news.VERBS])
def test_the_texts_of_pages_have_every_kind(table: dict[str, Any]) -> None:
    assert set(table) == set(EventKind)


def test_pages_listen_to_every_kind() -> None:
    assert environment().globals["event_kinds"] == " ".join(EventKind)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_name_no_kind_that_nobody_defined(script: Path) -> None:
    text = script.read_text()
    named = re.findall(r'\.kind === "(\w+)"', text)
    if "WORDS[event.kind]" in text:
        table = re.search(r"const WORDS = \{(.*?)\};", text, re.DOTALL)
        assert table is not None
        named += re.findall(r"^ *(\w+):", table[1], re.MULTILINE)
    assert set(named) <= set(EventKind)


def test_the_documentation_lists_every_kind() -> None:
    page = (ROOT / "docs/reference/data-format.md").read_text()
    section = page.split("## Events out")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(EventKind)


@pytest.mark.parametrize("kind", EventKind)
def test_the_other_story_of_an_event_is_known_by_its_kind(kind: EventKind) -> None:
    other = {EventKind.MERGED, EventKind.SPLIT, EventKind.MOVED}
    found = other_story(kind, event(kind).details)
    assert found == ("other" if kind in other else None)
    touched = touched_stories([event(kind)])
    assert touched == ({"own", "other"} if kind in other else {"own"})
