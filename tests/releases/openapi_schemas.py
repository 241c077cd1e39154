"""Whether all values of one schema are values of another.

`inner` is the schema that must fit into `outer`: of a request the old one into the
new one, of an answer the new one into the old one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = Mapping[str, Any]
_AT_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_AT_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_SAME = ("pattern", "format", "not", "prefixItems", "uniqueItems", "multipleOf")
"""Rules that fit only if they are equal."""
_WORDS = frozenset({"title", "description", "examples", "example", "default"})
"""What says nothing about values."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The documents that two schemas belong to, and pairs that are being compared."""

    inner: Schema
    outer: Schema
    answers: bool
    """Whether these are answers, to which fields may be added."""
    seen: frozenset[tuple[str, str]] = field(default=frozenset())


def misfits(pair: Pair, inner: Schema, outer: Schema, where: str) -> Iterator[str]:
    """Yield why a value of `inner` may be no value of `outer`."""
    refs = (str(inner.get("$ref")), str(outer.get("$ref")))
    if "None" not in refs:
        if refs in pair.seen:
            return  # a schema that holds itself
        pair = Pair(pair.inner, pair.outer, pair.answers, pair.seen | {refs})
    usual, now = inner.get("default"), outer.get("default")
    if not pair.answers and "default" in inner and usual != now:
        yield f"{where} is {now!r} by default, not {usual!r}"
    outers = _branches(outer, pair.outer)
    for one in _branches(inner, pair.inner):
        tried = [list(_branch_misfits(pair, one, other, where)) for other in outers]
        if all(tried):
            yield from _best(one, outers, tried, where)


def _best(
    one: Schema, outers: list[Schema], tried: list[list[str]], where: str
) -> list[str]:
    """Return what to say of a branch that fits nowhere: of its like, or of its type."""
    like = [
        problems
        for other, problems in zip(outers, tried, strict=True)
        if other.get("type") == one.get("type")
    ]
    if like:
        return min(like, key=len)
    kinds = " or ".join(str(other.get("type", "anything")) for other in outers)
    return [f"{where} may be {one.get('type', 'anything')}, not only {kinds}"]


def _branches(schema: Schema, document: Schema) -> list[Schema]:
    """Return the alternatives of a schema, without references and lists of types."""
    schema = _resolved(schema, document)
    given = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    base = {k: v for k, v in schema.items() if k not in ("anyOf", "oneOf", "allOf")}
    if given is None:
        kinds = base.get("type")
        if isinstance(kinds, list):
            return [{**base, "type": kind} for kind in kinds]
        return [base]
    inside = [each for one in given for each in _branches(one, document)]
    if "allOf" in schema:
        merged: Schema = base
        for each in inside:
            merged = _merged(merged, each)
        return [merged]
    return [_merged(base, each) for each in inside]


def _merged(base: Schema, more: Schema) -> Schema:
    fields_ = dict(base.get("properties", {}))
    for name, schema in more.get("properties", {}).items():
        fields_[name] = {**fields_.get(name, {}), **schema}
    both = {**base, **more}
    if fields_:
        both["properties"] = fields_
    needed = {*base.get("required", ()), *more.get("required", ())}
    return {**both, "required": sorted(needed)} if needed else both


def _resolved(schema: Schema, document: Schema) -> Schema:
    while "$ref" in schema:
        rest = {k: v for k, v in schema.items() if k != "$ref"}
        found = document
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            found = found[part]
        schema = {**found, **rest}
    return schema


def _branch_misfits(
    pair: Pair, inner: Schema, outer: Schema, where: str
) -> Iterator[str]:
    if not outer.keys() - _WORDS:
        return  # anything
    kinds = (inner.get("type"), outer.get("type"))
    if kinds[1] is not None and kinds[0] != kinds[1] and kinds != ("integer", "number"):
        yield f"{where} is {kinds[0] or 'anything'}, not {kinds[1]}"
        return
    yield from _value_misfits(inner, outer, where)
    yield from _limit_misfits(inner, outer, where)
    if "items" in outer:
        yield from misfits(pair, inner.get("items", {}), outer["items"], f"{where}[]")
    yield from _object_misfits(pair, inner, outer, where)


def _value_misfits(inner: Schema, outer: Schema, where: str) -> Iterator[str]:
    allowed = _values(outer)
    if allowed is None:
        return
    given = _values(inner)
    if given is None:
        yield f"{where} may be more than {allowed}"
        return
    more = [value for value in given if value not in allowed]
    if more:
        yield f"{where} may be {more}, not only {allowed}"


def _limit_misfits(inner: Schema, outer: Schema, where: str) -> Iterator[str]:
    for name in _AT_MOST:
        if name in outer and not (name in inner and inner[name] <= outer[name]):
            yield f"{where} has {name} {inner.get(name)}, above {outer[name]}"
    for name in _AT_LEAST:
        if name in outer and not (name in inner and inner[name] >= outer[name]):
            yield f"{where} has {name} {inner.get(name)}, below {outer[name]}"
    for name in _SAME:
        if name in outer and inner.get(name) != outer[name]:
            yield f"{where} has {name} {inner.get(name)!r}, not {outer[name]!r}"


def _values(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    found: list[Any] | None = schema.get("enum")
    return found


def _object_misfits(
    pair: Pair, inner: Schema, outer: Schema, where: str
) -> Iterator[str]:
    mine, other = inner.get("properties", {}), outer.get("properties", {})
    # of an answer the outer schema is the old one, of a request the inner one
    old, new = (other, mine) if pair.answers else (mine, other)
    for name in old.keys() - new.keys():
        yield f"{where}.{name} is gone"
    for name in sorted(set(outer.get("required", ())) - set(inner.get("required", ()))):
        if name in mine:
            said = "may be missing" if pair.answers else "is required now"
            yield f"{where}.{name} {said}"
        elif not pair.answers:
            yield f"{where}.{name} is required now"
    for name in sorted(mine.keys() & other.keys()):
        yield from misfits(pair, mine[name], other[name], f"{where}.{name}")
    yield from _more_misfits(pair, inner, outer, where)


def _more_misfits(
    pair: Pair, inner: Schema, outer: Schema, where: str
) -> Iterator[str]:
    mine = inner.get("additionalProperties", True)
    other = outer.get("additionalProperties", True)
    if other is False and mine is not False and not pair.answers:
        yield f"{where} takes no other fields any more"
    if isinstance(other, Mapping):
        schema = mine if isinstance(mine, Mapping) else {}
        yield from misfits(pair, schema, other, f"{where}.*")
