"""What of an OpenAPI document breaks the clients of an earlier one.

What a client may send must still be accepted, and what it is sent must still be what
it was told of. Additions are no break: paths, methods, optional parameters, optional
fields of requests, fields of answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.releases.openapi_schemas import Pair, misfits

Json = Mapping[str, Any]
METHODS = ("get", "put", "post", "delete", "patch", "head", "options")


def breaks(old: Json, new: Json) -> list[str]:
    """Return what a client of the old document may stumble over, each in a line."""
    documents = Documents(old, new)
    found: list[str] = []
    for path, method, operation in _operations(old, new["paths"]):
        name = f"{method.upper()} {path}"
        there = new["paths"].get(path, {}).get(method)
        if there is None:
            found.append(f"{name}: is gone")
            continue
        problems = documents.operation(operation, there)
        found += [f"{name}: {problem}" for problem in problems]
    return list(dict.fromkeys(found))


def _operations(document: Json, paths: Json) -> Iterator[tuple[str, str, Json]]:
    """Yield path, method and operation; a path that is gone by each of its values.

    So `/export/{kind}`, where the kinds are listed, may become a path for each.
    """
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations and path in paths:
                yield path, method, operations[method]
            elif method in operations:
                yield from _written_out(path, method, operations[method])


def _written_out(
    path: str, method: str, operation: Json
) -> Iterator[tuple[str, str, Json]]:
    given = operation.get("parameters", [])
    for each in given:
        values = each["schema"].get("enum", [])
        if each["in"] == "path" and values:
            rest = {**operation, "parameters": [p for p in given if p is not each]}
            for value in values:
                address = path.replace(f"{{{each['name']}}}", str(value))
                yield from _written_out(address, method, rest)
            return
    yield path, method, operation


@dataclass(frozen=True, slots=True)
class Documents:
    """Two documents, the older first."""

    old: Json
    new: Json

    def operation(self, old: Json, new: Json) -> Iterator[str]:
        """Yield what of an operation breaks its callers."""
        if new.get("security", []) and new.get("security") != old.get("security", []):
            yield "it needs another key"
        yield from self._parameters(old, new)
        yield from self._body(old.get("requestBody"), new.get("requestBody"))
        yield from self._answers(old["responses"], new["responses"])

    def _parameters(self, old: Json, new: Json) -> Iterator[str]:
        before, after = _by_name(old), _by_name(new)
        for place, name in before.keys() - after.keys():
            yield f"{place} {name} is gone"
        for (place, name), one in after.items():
            earlier = before.get((place, name))
            if one.get("required") and not (earlier and earlier.get("required")):
                yield f"{place} {name} is required now"
            if earlier is not None:
                yield from self._sent(
                    f"{place} {name}", earlier["schema"], one["schema"]
                )

    def _body(self, old: Json | None, new: Json | None) -> Iterator[str]:
        if old is None or new is None:
            if old is not None:
                yield "the body is gone"
            elif new is not None and new.get("required"):
                yield "a body is required now"
            return
        if new.get("required") and not old.get("required"):
            yield "a body is required now"
        for media, one in old["content"].items():
            if media not in new["content"]:
                yield f"a body cannot be {media} any more"
                continue
            there = new["content"][media]
            yield from self._sent(
                "body", one.get("schema", {}), there.get("schema", {})
            )

    def _answers(self, old: Json, new: Json) -> Iterator[str]:
        for status, one in old.items():
            there = new.get(status)
            if there is None:
                if int(status) < 400:  # an error less is no break
                    yield f"it answers {status} no more"
                continue
            for header in one.get("headers", {}).keys() - there.get("headers", {}):
                yield f"{status} has no header {header} any more"
            for media, content in one.get("content", {}).items():
                after = there.get("content", {}).get(media)
                if after is None:
                    yield f"{status} is not {media} any more"
                    continue
                yield from self._given(
                    status, content.get("schema", {}), after.get("schema", {})
                )

    def _sent(self, where: str, old: Json, new: Json) -> Iterator[str]:
        """Yield what clients may send and the new schema does not take."""
        pair = Pair(self.old, self.new, answers=False)
        yield from misfits(pair, old, new, where)

    def _given(self, where: str, old: Json, new: Json) -> Iterator[str]:
        """Yield what clients may be sent and the old schema did not have."""
        pair = Pair(self.new, self.old, answers=True)
        yield from misfits(pair, new, old, where)


def _by_name(operation: Json) -> dict[tuple[str, str], Json]:
    given = operation.get("parameters", [])
    return {(each["in"], each["name"]): each for each in given}
