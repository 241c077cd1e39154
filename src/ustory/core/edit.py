"""Edits: what people change about stories, as numbered rows that a slide takes in.

A slide is a function of its articles, of a list of edits and of a version of the
method. No kind of edit is known yet, so the list is empty; its place is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from ustory.core.errors import ConfigError
from ustory.core.rules import FAR, Rule, Within

EDIT_KINDS: frozenset[str] = frozenset()
"""The kinds of edits that the engine obeys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change by a person. The last one about a thing wins."""

    number: int
    """Its place among all edits of an archive, from 1 on."""
    kind: str
    """One of `EDIT_KINDS`."""
    target: str
    """The id of the article or story that it is about."""
    payload: Mapping[str, str] = field(default_factory=dict)
    """Whatever else the kind needs, by name."""
    by: str
    """Who made it: the name of a key."""
    at: datetime
    why: str = ""
    RULES: ClassVar[tuple[Rule, ...]] = (Within(1, FAR, "number"),)


def refuse_unknown_edits(edits: Sequence[Edit]) -> None:
    """Raise `ConfigError` for an edit that this version cannot obey."""
    for edit in edits:
        if edit.kind not in EDIT_KINDS:
            known = ", ".join(sorted(EDIT_KINDS)) or "no kind yet"
            raise ConfigError(
                f"edit {edit.number} is of the kind {edit.kind!r}, and this version "
                f"knows {known}; leave it out, or use the release that wrote it"
            )
