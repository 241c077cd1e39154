"""How states of older formats are read: a small function from each format to the next.

Every format that was ever released can be read for ever. If you change the meaning of a
column, rename it or remove it, raise `FORMAT` and add a function here. A new field with
a default needs neither: it gets its default if its columns are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from ustory.core.arrays import Vector
from ustory.engine.snapshot.columns import Columns, codec_of
from ustory.links.evidence.time import NODES

Head: TypeAlias = dict[str, Any]
"""The second line of a sealed state, without the index of its columns."""

Upgrade: TypeAlias = Callable[[Head, Columns], tuple[Head, Columns]]
"""Returns the head and the columns of a state as the next format has them."""


def writer(format_: int, head: Head) -> Any:  # noqa: ANN401 - whatever a file says
    """Return what a state says of who wrote it; format 2 is of release 0.1.0."""
    return {"method": 1, "version": "0.1.0"} if format_ == 2 else head["written"]


def _with_writer(head: Head, columns: Columns) -> tuple[Head, Columns]:
    """Format 2 did not say who wrote it."""
    return {**head, "written": writer(2, head)}, columns


_LINKS = "state.link.links."
_DECISION = "state.records.value.decision."


def _with_evidence(head: Head, columns: Columns) -> tuple[Head, Columns]:
    """Format 3 had columns for words and meaning where there is evidence by name.

    It also had one class of decisions: in mode `links` its cosine and divergence were
    the log-odds by meaning and by words.
    """
    odds = {name: _array(f"{_LINKS}{name}", columns) for name in ("words", "meaning")}
    hint: Any = Mapping[str, Vector]
    said = {name: each for name, each in odds.items() if each.any()}
    codec_of(hint).write([said], f"{_LINKS}evidence", columns)
    is_link = head["settings"]["mode"] == "links"
    old = {
        name.removeprefix(_DECISION): columns.pop(name)
        for name in list(columns)
        if name.startswith(_DECISION) and name != f"{_DECISION}known"
    }
    count = len(old["similarity"])
    columns[f"{_DECISION}kind"] = np.full(count, 0 if is_link else 1, dtype=np.uint8)
    if not count:
        return head, columns
    if is_link:
        kind, new = "LinkDecision", _link_fields(old)
    else:
        kind = "ThemeDecision"
        new = {n: old[n] for n in old if not n.startswith("links.")}
    return head, columns | {f"{_DECISION}{kind}.{name}": new[name] for name in new}


def _array(name: str, columns: Columns) -> Vector:
    """Take out the one array of a field, whatever its dtype is."""
    hint: Any = Vector
    (found,) = codec_of(hint).read(1, name, columns)
    return np.asarray(found)


def _link_fields(old: Columns) -> Columns:
    """Return the columns of link decisions; neutral evidence is not named."""
    both = {"words": old.pop("divergence"), "meaning": old.pop("cosine")}
    del old["confidence"]  # the same number
    new = {**old, "probability": old["similarity"]}
    del new["similarity"]
    rows = zip(*(column.tolist() for column in both.values()), strict=True)
    evidence = [{n: v for n, v in zip(both, row, strict=True) if v} for row in rows]
    codec_of(Mapping[str, float]).write(evidence, "evidence", new)
    return new


_GAPS = "state.link.gaps."
_OLD_NODES = (0, 4, 5, 6, 7, 8, 9, 10)
"""Which of today's nodes the eight of format 4 are, multiples of W/7."""


def _with_finer_gaps(head: Head, columns: Columns) -> tuple[Head, Columns]:
    """Format 4 counted gaps of sure and vague pairs, and none below W/7."""
    hint: Any = Vector
    for old, new in (("sure", "same"), ("vague", "other")):
        counts = np.zeros(NODES)
        counts[list(_OLD_NODES)] = _array(f"{_GAPS}{old}", columns)
        codec_of(hint).write([counts], f"{_GAPS}{new}", columns)
    del columns["state.link.mates"]
    return head, columns


UPGRADES: Mapping[int, Upgrade] = MappingProxyType(
    {2: _with_writer, 3: _with_evidence, 4: _with_finer_gaps}
)
"""From each older format to the next."""

FORMAT = max(UPGRADES) + 1
"""What is written now."""

OLDEST = min(UPGRADES)
"""Format 1 was never released."""


def upgraded(format_: int, head: Head, columns: Columns) -> tuple[Head, Columns]:
    """Return the head and the columns of a state of any format as `FORMAT` has them."""
    for older in range(format_, FORMAT):
        head, columns = UPGRADES[older](head, columns)
    return head, columns
