"""The comparison of two API documents finds each kind of break, and no addition."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.releases.openapi_changes import breaks

Json = dict[str, Any]
ARTICLE = {
    "type": "object",
    "required": ["id", "words"],
    "properties": {
        "id": {"type": "string", "format": "date-time"},
        "words": {"type": "integer"},
        "story": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "how": {"enum": ["moved", "seeded"], "type": "string"},
        "copies": {"type": "array", "items": {"$ref": "#/components/schemas/Article"}},
    },
}
SENT = {
    "type": "object",
    "required": ["title"],
    "properties": {
        "title": {"type": "string", "maxLength": 100},
        "lang": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": "en"},
        "kinds": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 5},
    },
}
LIMIT = {
    "in": "query",
    "name": "limit",
    "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
}
BASE: Json = {
    "components": {"schemas": {"Article": ARTICLE, "Sent": SENT}},
    "paths": {
        "/a": {
            "get": {
                "parameters": [LIMIT],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {
                                "schema": {"$ref": "#/components/schemas/Article"}
                            }
                        }
                    },
                    "404": {"content": {"application/json": {"schema": {}}}},
                    "308": {"headers": {"Location": {}}},
                },
            },
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Sent"}
                        }
                    }
                },
                "responses": {"204": {}},
            },
        }
    },
}
Change = Callable[[Json], object]


def _get(new: Json) -> Json:
    found: Json = new["paths"]["/a"]["get"]
    return found


def _post(new: Json) -> Json:
    found: Json = new["paths"]["/a"]["post"]
    return found


def _schema(new: Json, name: str) -> Json:
    found: Json = new["components"]["schemas"][name]
    return found


def _field(new: Json, name: str, field: str) -> Json:
    found: Json = _schema(new, name)["properties"][field]
    return found


def _limit(new: Json) -> Json:
    found: Json = _get(new)["parameters"][0]
    return found


NEEDED = {"in": "query", "name": "q", "required": True, "schema": {"type": "string"}}
BREAKS: dict[str, tuple[Change, str]] = {
    "a path is gone": (lambda n: n["paths"].pop("/a"), "GET /a: is gone"),
    "a method is gone": (lambda n: n["paths"]["/a"].pop("post"), "POST /a: is gone"),
    "a parameter is gone": (
        lambda n: _get(n)["parameters"].clear(), "query limit is gone"),
    "a new parameter is required": (
        lambda n: _get(n)["parameters"].append(NEEDED), "query q is required now"),
    "a parameter is required now": (
        lambda n: _limit(n).update(required=True), "query limit is required now"),
    "a parameter has another type": (
        lambda n: _limit(n)["schema"].update(type="string"),
        "query limit may be integer, not only string"),
    "a limit is lower": (
        lambda n: _limit(n)["schema"].update(maximum=100),
        "query limit has maximum 200, above 100"),
    "a default is another": (
        lambda n: _limit(n)["schema"].update(default=10),
        "query limit is 10 by default, not 50"),
    "a value is accepted no more": (
        lambda n: _field(n, "Sent", "kinds").update(items={"enum": ["a"]}),
        "body.kinds[] may be ['b'], not only ['a']"),
    "a text must be shorter": (
        lambda n: _field(n, "Sent", "title").update(maxLength=50),
        "body.title has maxLength 100, above 50"),
    "a text must have a form": (
        lambda n: _field(n, "Sent", "title").update(pattern="^a"),
        "body.title has pattern None, not '^a'"),
    "null is accepted no more": (
        lambda n: _field(n, "Sent", "lang").update(anyOf=[{"type": "string"}]),
        "body.lang may be null, not only string"),
    "a field of a request is required now": (
        lambda n: _schema(n, "Sent").update(required=["title", "lang"]),
        "body.lang is required now"),
    "a field of a request is gone": (
        lambda n: _schema(n, "Sent")["properties"].pop("lang"), "body.lang is gone"),
    "other fields are refused": (
        lambda n: _schema(n, "Sent").update(additionalProperties=False),
        "body takes no other fields any more"),
    "a body is required now": (
        lambda n: _post(n)["requestBody"].update(required=True),
        "a body is required now"),
    "a media type is taken no more": (
        lambda n: _post(n)["requestBody"].update(content={}),
        "a body cannot be application/json any more"),
    "a key is needed": (
        lambda n: _get(n).update(security=[{"key": ["read"]}]), "it needs another key"),
    "an answer is gone": (
        lambda n: _get(n)["responses"].pop("200"), "it answers 200 no more"),
    "a header is gone": (
        lambda n: _get(n)["responses"]["308"].clear(),
        "308 has no header Location any more"),
    "an answer has another media type": (
        lambda n: _get(n)["responses"]["200"].update(content={"text/csv": {}}),
        "200 is not application/json any more"),
    "a field of an answer is gone": (
        lambda n: _schema(n, "Article")["properties"].pop("story"),
        "200.story is gone"),
    "a field of an answer may be missing": (
        lambda n: _schema(n, "Article").update(required=["id"]),
        "200.words may be missing"),
    "a field of an answer has another type": (
        lambda n: _field(n, "Article", "words").update(type="number"),
        "200.words may be number, not only integer"),
    "a field of an answer may be null": (
        lambda n: _field(n, "Article", "words").update(type=["integer", "null"]),
        "200.words may be null, not only integer"),
    "an answer has a value that nobody was told of": (
        lambda n: _field(n, "Article", "how")["enum"].append("split"),
        "200.how may be ['split'], not only ['moved', 'seeded']"),
    "an answer has any value": (
        lambda n: _field(n, "Article", "how").pop("enum"), "200.how may be more than"),
    "a text of an answer has no form any more": (
        lambda n: _field(n, "Article", "id").pop("format"),
        "200.id has format None, not 'date-time'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BREAKS)
def test_a_break_is_found(name: str) -> None:
    change, words = BREAKS[name]
    new = copy.deepcopy(BASE)
    change(new)

    assert any(words in found for found in breaks(BASE, new)), breaks(BASE, new)


OPTIONAL = {"in": "query", "name": "q", "schema": {"type": "string"}}
ADDITIONS: dict[str, Change] = {
    "a path": lambda n: n["paths"].update({"/b": {"get": {"responses": {}}}}),
    "a method": lambda n: n["paths"]["/a"].update(delete={"responses": {}}),
    "an optional parameter": lambda n: _get(n)["parameters"].append(OPTIONAL),
    "a field of an answer": lambda n: _schema(n, "Article")["properties"].update(
        more={"type": "string"}
    ),
    "a field that is always there": lambda n: _schema(n, "Article").update(
        required=["id", "words", "story"]
    ),
    "an optional field of a request": lambda n: _schema(n, "Sent")["properties"].update(
        more={"type": "string"}
    ),
    "a value of a request": lambda n: _field(n, "Sent", "kinds").update(
        items={"enum": ["a", "b", "c"]}
    ),
    "a higher limit": lambda n: _limit(n)["schema"].update(maximum=500),
    "an answer without a value": lambda n: _field(n, "Article", "how").update(
        enum=["moved"]
    ),
    "an answer that is never null": lambda n: _field(n, "Article", "story").update(
        anyOf=[{"type": "string"}]
    ),
    "a status of an error": lambda n: _get(n)["responses"].update({"400": {}}),
    "an error less": lambda n: _get(n)["responses"].pop("404"),
    "other words": lambda n: _schema(n, "Article").update(description="x", title="y"),
    "another name of a schema": lambda n: (
        n["components"]["schemas"].update(Text=_schema(n, "Sent")),
        _post(n)["requestBody"]["content"].update(
            {"application/json": {"schema": {"$ref": "#/components/schemas/Text"}}}
        ),
    ),
}


@pytest.mark.parametrize("name", ADDITIONS)
def test_an_addition_is_no_break(name: str) -> None:
    new = copy.deepcopy(BASE)
    ADDITIONS[name](new)

    assert new != BASE
    assert breaks(BASE, new) == []


def test_alternatives_beside_fields_are_compared_as_one() -> None:
    old, new = copy.deepcopy(BASE), copy.deepcopy(BASE)
    either = [{"required": ["lang"]}, {"required": ["kinds"]}]
    _schema(new, "Sent").update(anyOf=either)

    assert breaks(new, new) == []
    assert breaks(new, old) == []
    assert any("is required now" in found for found in breaks(old, new))


def test_a_path_for_each_value_is_as_good_as_one_for_all() -> None:
    kind = {
        "in": "path",
        "name": "kind",
        "required": True,
        "schema": {"enum": ["b", "c"], "type": "string"},
    }
    one = {"parameters": [kind, LIMIT], "responses": {"200": {}}}
    each = {"parameters": [LIMIT], "responses": {"200": {}}}
    old = {"paths": {"/x/{kind}": {"get": one}}}

    assert breaks(old, {"paths": {"/x/b": {"get": each}, "/x/c": {"get": each}}}) == []
    assert breaks(old, {"paths": {"/x/b": {"get": each}}}) == ["GET /x/c: is gone"]
