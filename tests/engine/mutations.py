"""Sealed states that were changed, with a checksum that fits: what a forger can do."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest

from ustory.core.errors import StateError
from ustory.engine.snapshot.columns import Columns
from ustory.engine.snapshot.container import MAGIC
from ustory.engine.snapshot.upgrades import FORMAT

Head: TypeAlias = dict[str, Any]


def opened(frozen: bytes) -> tuple[Head, Columns]:
    """Return the second line of a sealed state, and copies of its columns."""
    _, head, body = frozen.split(b"\n", 2)
    about = json.loads(head)
    columns: Columns = {}
    for name, (dtype, shape) in about.pop("columns").items():
        size = np.dtype(dtype).itemsize * math.prod(shape)
        columns[name] = np.frombuffer(body[:size], dtype).reshape(shape).copy()
        body = body[size:]
    return about, columns


def sealed(payload: bytes, format_: int = FORMAT) -> bytes:
    """Return a payload behind a first line that fits it."""
    digest = sha256(payload).hexdigest()
    return MAGIC + f" {format_} {digest}\n".encode() + payload


def closed(head: Head, columns: Columns, format_: int = FORMAT) -> bytes:
    """Return a sealed state of these columns, in their order."""
    index = {name: [c.dtype.str, c.shape] for name, c in columns.items()}
    first = json.dumps({"columns": index, **head}).encode()
    body = b"".join(column.tobytes() for column in columns.values())
    return sealed(first + b"\n" + body, format_)


_JUNK: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 10**30, -(10**30), 2**31, 2**63 - 1, 1e308, -1.5),
    *("", "x", "s000001", [], {}, [[[]]], {"a": {"b": []}}, [-1], [10**18], ["x"]),
)
_HEADS = (
    b'"x"', b"[]", b"{}", b"null", b"7", b'{"columns":"abc"}', b'{"columns":[]}',
    b'{"columns":{"state.end":["<i8",[30000000,0]]}}',
    b'{"columns":{"state.end":["<i8",[9223372036854775807]]}}',
    b'{"columns":{"state.end":["O",[1]]}}', b'{"columns":{"state.end":["<i8"]}}',
    b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5_000, b'{"columns":{"a":["<i8",[-1]]}}',
)  # fmt: skip


def mutated(frozen: bytes, random: Random) -> bytes:
    """Return a state with one to three changes, all drawn from `random`."""
    if random.random() < 0.02:
        return sealed(random.choice(_HEADS) + b"\n" + random.randbytes(9))
    if random.random() < 0.03:
        return _cut(frozen, random)
    head, columns = opened(frozen)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        random.choice(_CHANGES)(head, columns, random)
    data = closed(head, columns)
    if random.random() < 0.05:
        data = _other_index(data, random)
    return data


def _cut(frozen: bytes, random: Random) -> bytes:
    payload = frozen.partition(b"\n")[2]
    if random.random() < 0.3:
        return sealed(payload + random.randbytes(random.randrange(1, 9)))
    return sealed(payload[: random.randrange(len(payload))])


def _other_index(data: bytes, random: Random) -> bytes:
    """Change the dtype or the shape of a column, but not its bytes."""
    head, _, body = data.partition(b"\n")[2].partition(b"\n")
    about = json.loads(head)
    index = about["columns"]
    if not isinstance(index, dict) or not index:
        return data
    entry = index[random.choice(sorted(index))]
    if random.random() < 0.5:
        entry[0] = random.choice(("<i8", "<i4", "|u1", "<f8", "|b1", "O", "<U4", 7, ""))
    else:
        sizes = (0, 1, -1, 2**40, 2**63, 3, True, "x")
        entry[1] = [random.choice(sizes) for _ in range(random.randrange(3))]
    return sealed(json.dumps(about).encode() + b"\n" + body)


def _column(columns: Columns, random: Random) -> str:
    """Return the name of a column, one with numbers if there is luck."""
    names = sorted(columns)
    for _ in range(5):
        name = random.choice(names)
        if columns[name].size:
            return name
    return names[0]


def _flip_bits(head: Head, columns: Columns, random: Random) -> None:
    del head
    column = columns[_column(columns, random)]
    if column.size:
        raw = column.reshape(-1).view(np.uint8)
        for _ in range(random.choice((1, 1, 4))):
            raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)


def _extreme(column: np.ndarray[Any, Any], random: Random) -> Any:  # noqa: ANN401
    if column.dtype.kind == "f":
        limit = np.finfo(column.dtype).max
        chosen = (np.nan, np.inf, -np.inf, limit, -limit, 0.0, -1.0, 1e-300)
        return column.dtype.type(random.choice(chosen))
    if column.dtype.kind == "b":
        return random.random() < 0.5
    limits = np.iinfo(column.dtype)
    largest = int(column.max()) if column.size else 0
    low, high = int(limits.min), int(limits.max)
    chosen_int = (low, high, -1, 0, 1, largest, largest + 1, high // 2)
    return min(max(random.choice(chosen_int), low), high)


def _set_one(head: Head, columns: Columns, random: Random) -> None:
    del head
    column = columns[_column(columns, random)]
    if column.size:
        column.reshape(-1)[random.randrange(column.size)] = _extreme(column, random)


def _set_all(head: Head, columns: Columns, random: Random) -> None:
    del head
    column = columns[_column(columns, random)]
    column[...] = _extreme(column, random)


def _step(head: Head, columns: Columns, random: Random) -> None:
    """Add 1 to a number, and maybe take it from another: their sum is the same."""
    del head
    column = columns[_column(columns, random)].reshape(-1)
    if column.size and column.dtype.kind in "iu":
        with np.errstate(over="ignore"):
            column[random.randrange(column.size)] += 1
            if random.random() < 0.7:
                column[random.randrange(column.size)] -= 1


def _shuffle(head: Head, columns: Columns, random: Random) -> None:
    del head
    column = columns[_column(columns, random)]
    order = list(range(len(column)))
    if random.random() < 0.5:
        random.shuffle(order)
    elif order:
        a, b = random.randrange(len(order)), random.randrange(len(order))
        order[a], order[b] = order[b], order[a]
    column[...] = column[order]


def _swap(head: Head, columns: Columns, random: Random) -> None:
    del head
    one, other = _column(columns, random), _column(columns, random)
    columns[one], columns[other] = columns[other], columns[one]


def _resize(head: Head, columns: Columns, random: Random) -> None:
    del head
    name = _column(columns, random)
    column = columns[name]
    if not len(column):
        columns[name] = np.zeros((1, *column.shape[1:]), dtype=column.dtype)
    elif random.random() < 0.5:
        columns[name] = column[:-1].copy()
    else:
        columns[name] = np.concatenate([column, column[-1:]])


def _resize_family(head: Head, columns: Columns, random: Random) -> None:
    """Make the columns of all fields beside one longer or shorter by one."""
    del head
    parent = _column(columns, random).rpartition(".")[0]
    longer = random.random() < 0.5
    for name in [name for name in columns if name.startswith(f"{parent}.")]:
        column = columns[name]
        if len(column):
            more = np.concatenate([column, column[-1:]])
            columns[name] = more if longer else column[:-1].copy()


def _drop(head: Head, columns: Columns, random: Random) -> None:
    del head
    name = _column(columns, random)
    found = columns.pop(name)
    if random.random() < 0.3:
        columns[name + "x"] = found
    if random.random() < 0.3:  # the whole field, whose default then stands
        for each in [c for c in columns if c.startswith(name.rpartition(".")[0])]:
            del columns[each]
    if not columns:
        columns[name] = found


def _change_head(head: Head, columns: Columns, random: Random) -> None:
    del columns
    table: Any = head
    while True:
        key = random.choice(sorted(table)) if isinstance(table, dict) else None
        inside = table[key] if key is not None else None
        if isinstance(inside, dict) and inside and random.random() < 0.8:
            table = inside
            continue
        if key is None or random.random() < 0.15:
            table[random.choice(("mood", "columns", "written"))] = random.choice(_JUNK)
        elif random.random() < 0.15:
            del table[key]
        else:
            table[key] = random.choice(_JUNK)
        return


_CHANGES: tuple[Callable[[Head, Columns, Random], None], ...] = (
    *(_flip_bits, _flip_bits, _set_one, _set_one, _set_one, _set_all, _step, _step),
    *(_shuffle, _swap, _resize, _resize_family, _drop, _change_head),
)


@contextmanager
def refused(words: str = "news") -> Iterator[None]:
    """Expect that a state is refused in a sentence that has some words."""
    with pytest.raises(StateError, match=words) as caught:
        yield
    said = str(caught.value)
    assert said.startswith("news.state ")
    assert "start over with another state file" in said
    assert "\n" not in said
    assert len(said) < 600


def changed(frozen: bytes, name: str, change: Callable[[Any], Any]) -> bytes:
    """Return a sealed state with another column."""
    head, columns = opened(frozen)
    columns[name] = change(columns[name])
    return closed(head, columns)
