"""A message about a match is a CloudEvent that a chat shows, and nobody can abuse."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.service.match_messages import match_message
from ustory.store.tables import Match, StoryRow, Watchlist

AT = datetime(2024, 3, 7, 12, tzinfo=UTC)
LIST = Watchlist(
    id="w1", name="Earthquakes", created_at=AT, webhook="https://hooks.example/"
)
MATCH = Match(id=3, watchlist="w1", story="s000001", slide=12, at=AT, article="a-3")
ROW = StoryRow(
    id="s000001",
    headline="Strong earthquake shakes Kestrel Bay",
    keywords=("kestrel", "bay"),
    articles=3,
    sources=2,
    first_seen=AT,
    last_seen=AT,
    born_at=AT,
    born_slide=12,
    changed_slide=12,
)
TEXT = {"type": "string", "minLength": 1}
RULES = {
    "type": "object",
    "required": ["id", "source", "specversion", "type"],
    "properties": {
        "id": TEXT,
        "source": {**TEXT, "format": "uri-reference"},
        "specversion": {"const": "1.0"},
        "type": TEXT,
        "subject": TEXT,
        "time": {**TEXT, "format": "date-time"},
        "datacontenttype": {"const": "application/json"},
        "url": {**TEXT, "format": "uri-reference"},
        "data": {"type": "object"},
    },
    "propertyNames": {"pattern": "^[a-z0-9]{1,20}$"},
    "additionalProperties": TEXT,
}
"""The JSON format of CloudEvents 1.0: attributes, and names of extensions."""
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def _event(site: str = "https://news.example", **changed: Any) -> dict[str, Any]:  # noqa: ANN401 - fields
    row = replace(ROW, **changed)
    return dict(match_message(LIST, MATCH, row, site).body)


def _check(event: dict[str, Any]) -> None:
    validator = jsonschema_rs.Draft202012Validator(RULES, validate_formats=True)
    validator.validate(json.loads(json.dumps(event)))


def test_a_message_is_a_cloudevent_with_a_sentence_and_a_link() -> None:
    event = _event()

    _check(event)
    assert event["text"] == (
        "Earthquakes: Strong earthquake shakes Kestrel Bay (3 articles, 2 independent "
        "sources) https://news.example/stories/s000001"
    )
    assert {name: event[name] for name in ("id", "source", "subject", "time")} == {
        "id": "w1.s000001",
        "source": "https://news.example/api/watchlists/w1",
        "subject": "s000001",
        "time": "2024-03-07T12:00:00Z",
    }


def test_the_data_is_the_message_of_older_hooks() -> None:
    old = match_message(replace(LIST, webhook_format="plain"), MATCH, ROW, "https://x")

    assert _event()["data"] == old.body
    assert old.body["kind"] == "match"


def test_without_an_address_of_the_service_links_are_paths() -> None:
    event = _event(site="")

    _check(event)
    assert event["url"] == "/stories/s000001"


def test_a_story_that_is_gone_is_told_by_its_id() -> None:
    event = dict(match_message(LIST, MATCH, None).body)

    _check(event)
    assert event["text"] == "Earthquakes: s000001 /stories/s000001"


@pytest.mark.parametrize(
    "headline", ["<!channel> read this", "<https://evil.example|Quake>", "@all @here"]
)
def test_a_headline_commands_no_chat(headline: str) -> None:
    assert not set("<>@") & set(_event(headline=headline)["text"])


@given(st.text(max_size=600))
def test_any_headline_gives_a_line_of_text(headline: str) -> None:
    event = _event(headline=headline)

    _check(event)
    assert FORBIDDEN.search(event["text"]) is None
    assert not set("<>@") & set(event["text"])
    assert len(event["text"]) < 500
