"""Values as columns of numpy arrays, led by their type annotations; no pickle."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import pairwise
from typing import Any, Protocol, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ustory.core.rules import InconsistentError, Rule, Table, must
from ustory.core.spans import EPOCH, microseconds

Columns: TypeAlias = dict[str, NDArray[Any]]
"""Arrays by dotted name. Reading removes columns, so what is left was not read."""

_INTEGERS = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
DTYPES = frozenset({*_INTEGERS, "float16", "float32", "float64", "bool"})
"""Types of columns, and of arrays of a state."""


class Codec(Protocol):
    """Writes many values of one type as a few columns, and reads them back."""

    def write(self, values: Sequence[Any], name: str, columns: Columns) -> None:
        """Add the columns `name` and `name.*`."""
        ...

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        """Take those columns out and return the `count` values."""
        ...


@cache
def codec_of(hint: Any) -> Codec:  # noqa: ANN401 - a type annotation
    """Return what writes and reads values annotated as `hint`."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        known = tuple(each for each in inside if each is not type(None))
        one = codec_of(known[0]) if len(known) == 1 else _UnionCodec(known)
        return _OptionalCodec(one) if len(known) < len(inside) else one
    if origin is tuple and inside[1:] == (...,):
        return _TupleCodec(codec_of(inside[0]))
    if origin is Mapping:
        return _MappingCodec(*map(codec_of, inside))
    # NDArray[...] is np.ndarray[...] to some numpy releases, an alias to others
    if origin in (np.ndarray, NDArray, get_origin(NDArray[Any])):
        return _ARRAYS
    if is_dataclass(hint) or hasattr(hint, "COLUMNS"):
        return _ClassCodec(hint)
    raise TypeError(f"no columns for {hint}; add them to engine/snapshot/columns.py")


class _NumberCodec:
    def __init__(self, dtype: str) -> None:
        self._dtype = dtype

    def write(self, values: Sequence[Any], name: str, columns: Columns) -> None:
        columns[name] = np.array(values, dtype=self._dtype)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        return list(_column(name, count, self._dtype, columns).tolist())


class _TextCodec:
    """Text as UTF-8; half a surrogate pair, which JSON can carry, comes back too."""

    def write(self, values: Sequence[str], name: str, columns: Columns) -> None:
        encoded = [text.encode("utf-8", "surrogatepass") for text in values]
        _write_sizes(encoded, name, columns)
        columns[f"{name}.utf8"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        ends = _read_ends(count, name, columns)
        whole = _column(f"{name}.utf8", ends[-1], "uint8", columns).tobytes()
        if whole.isascii():  # then characters lie where their bytes do
            text = whole.decode("ascii")
            return [text[a:b] for a, b in pairwise(ends)]
        return [whole[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]


class _TimeCodec:
    """Aware times, to the microsecond; read back in UTC."""

    def write(self, values: Sequence[datetime], name: str, columns: Columns) -> None:
        since = [microseconds(moment - EPOCH) for moment in values]
        columns[name] = np.array(since, dtype=np.int64)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        since = _column(name, count, "int64", columns)
        must(
            not count or (since.min() >= _FIRST and since.max() <= _LAST),
            f"{name} has times that no calendar has",
        )
        return [EPOCH + timedelta(microseconds=n) for n in since.tolist()]


class _ArrayCodec:
    """Arrays of any shape and dtype, one after the other in a column per dtype."""

    def write(self, values: Sequence[Any], name: str, columns: Columns) -> None:
        shapes = [value.shape for value in values]
        axes = len(shapes[0]) if shapes else 0
        table = np.array(shapes, dtype=np.int64).reshape(len(shapes), axes)
        columns[f"{name}.shape"] = table
        dtypes = [value.dtype.name for value in values]
        _TEXTS.write(dtypes, f"{name}.dtype", columns)
        for dtype in sorted(set(dtypes)):
            flat = [value.ravel() for value in values if value.dtype.name == dtype]
            columns[f"{name}.{dtype}"] = _joined(flat)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        shapes = _shapes(count, name, columns)
        dtypes = _TEXTS.read(count, f"{name}.dtype", columns)
        flat = {d: _wide_enough(f"{name}.{d}", d, columns) for d in sorted(set(dtypes))}
        start = dict.fromkeys(flat, 0)
        values = []
        for dtype, shape in zip(dtypes, shapes, strict=True):
            end = start[dtype] + math.prod(shape)
            # a copy, so that one array does not keep all the others in memory
            part = flat[dtype][start[dtype] : end].astype(dtype)
            values.append(part.reshape(shape))  # raises if there is too little
            start[dtype] = end
        for dtype, end in start.items():
            must(end == len(flat[dtype]), f"{name}.{dtype} is too long")
        return values


def _shapes(count: int, name: str, columns: Columns) -> list[list[int]]:
    """Return the shape of each array; an empty array may not claim rows."""
    table = columns.pop(f"{name}.shape")
    must(
        table.dtype == np.int64 and table.ndim == 2 and len(table) == count,
        f"{name}.shape is no table of {count} rows",
    )
    must(not table.size or table.min() >= 0, f"{name}.shape is below 0")
    must(
        not table[:, 1:].size or table[:, 1:].max() <= _MAX_COLUMNS,
        f"{name} is too wide",
    )
    rows = table[:, :1].prod(axis=1) > 0
    must((table[rows] > 0).all(), f"{name} has rows without columns")
    return list(table.tolist())


def _wide_enough(name: str, dtype: str, columns: Columns) -> NDArray[Any]:
    """Return a column of numbers that are all numbers of a dtype, maybe narrower."""
    must(dtype in DTYPES, f"{name} is of no dtype that states have")
    wanted, column = np.dtype(dtype), columns.pop(name)
    must(column.ndim == 1, f"{name} is no column")
    narrow = wanted == np.float32 and column.dtype == np.float16
    if narrow or column.dtype == wanted:
        return column
    must(wanted.kind == "i" and column.dtype.kind in "iu", f"{name} is not {dtype}")
    limit = np.iinfo(wanted)
    must(
        not column.size or (column.min() >= limit.min and column.max() <= limit.max),
        f"{name} has numbers beyond {dtype}",
    )
    return column


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays of one dtype end to end, as narrow as `_narrowed` makes them.

    Sentence vectors are most of a large state: they are narrowed one by one, so that
    memory never holds them all twice.
    """
    if parts[0].dtype != np.float32:
        return _narrowed(np.concatenate(parts))
    narrow = np.empty(sum(part.size for part in parts), dtype=np.float16)
    start = 0
    with np.errstate(over="ignore"):
        for part in parts:
            place = narrow[start : start + part.size]
            place[...] = part
            if not np.array_equal(place, part):
                return np.concatenate(parts)
            start += part.size
    return narrow


def _narrowed(column: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers in the smallest dtype that holds them all.

    Counts are small, and sentence vectors are float16 numbers held as float32.
    """
    if column.dtype.kind == "i" and column.size:
        lowest, highest = int(column.min()), int(column.max())
        for size in (np.iinfo(kind) for kind in ("uint8", "int16", "int32")):
            if size.min <= lowest and highest <= size.max:
                return column.astype(size.dtype)
    if column.dtype != np.float32:
        return column
    with np.errstate(over="ignore"):
        narrow = column.astype(np.float16)
    return narrow if np.array_equal(narrow.astype(np.float32), column) else column


class _OptionalCodec:
    def __init__(self, inner: Codec) -> None:
        self._inner = inner

    def write(self, values: Sequence[Any], name: str, columns: Columns) -> None:
        known = [value for value in values if value is not None]
        columns[f"{name}.known"] = np.array([v is not None for v in values], dtype=bool)
        self._inner.write(known, name, columns)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        known = _column(f"{name}.known", count, "bool", columns).tolist()
        values = iter(self._inner.read(sum(known), name, columns))
        return [next(values) if is_known else None for is_known in known]


class _UnionCodec:
    """Values of several classes: which class each is of, and the values by class."""

    def __init__(self, classes: Sequence[type]) -> None:
        self._classes = classes
        self._codecs = {made.__name__: codec_of(made) for made in classes}

    def write(self, values: Sequence[Any], name: str, columns: Columns) -> None:
        kinds = [self._classes.index(type(value)) for value in values]
        columns[f"{name}.kind"] = np.array(kinds, dtype=np.uint8)
        for kind, (title, codec) in enumerate(self._codecs.items()):
            inside = [v for v, k in zip(values, kinds, strict=True) if k == kind]
            if inside:
                codec.write(inside, f"{name}.{title}", columns)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        kinds = _column(f"{name}.kind", count, "uint8", columns)
        must(
            not count or kinds.max() < len(self._classes),
            f"{name}.kind names a class that there is not",
        )
        sizes = np.bincount(kinds, minlength=len(self._classes)).tolist()
        inside = [
            iter(codec.read(size, f"{name}.{title}", columns) if size else ())
            for size, (title, codec) in zip(sizes, self._codecs.items(), strict=True)
        ]
        return [next(inside[kind]) for kind in kinds.tolist()]


class _TupleCodec:
    def __init__(self, item: Codec) -> None:
        self._item = item

    def write(self, values: Sequence[Any], name: str, columns: Columns) -> None:
        _write_sizes(values, name, columns)
        flat = [item for value in values for item in value]
        self._item.write(flat, f"{name}.item", columns)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        ends = _read_ends(count, name, columns)
        items = self._item.read(ends[-1], f"{name}.item", columns)
        return [tuple(items[a:b]) for a, b in pairwise(ends)]


class _MappingCodec:
    """Mappings with their order; read back as dictionaries."""

    def __init__(self, key: Codec, value: Codec) -> None:
        self._key = key
        self._value = value

    def write(self, values: Sequence[Any], name: str, columns: Columns) -> None:
        _write_sizes(values, name, columns)
        self._key.write([k for m in values for k in m], f"{name}.key", columns)
        inside = [value for mapping in values for value in mapping.values()]
        self._value.write(inside, f"{name}.value", columns)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        ends = _read_ends(count, name, columns)
        keys = self._key.read(ends[-1], f"{name}.key", columns)
        inside = self._value.read(len(keys), f"{name}.value", columns)
        found = [
            dict(zip(keys[a:b], inside[a:b], strict=True)) for a, b in pairwise(ends)
        ]
        must(sum(map(len, found)) == len(keys), f"{name} has a key twice")
        return found


class _ClassCodec:
    """Dataclasses, a column per field; a field that is added later is written too.

    A field without columns is one that the writer did not know: it gets its default.
    A class that is no dataclass lists its parts, with their types, in `COLUMNS`.
    """

    def __init__(self, made: Any) -> None:  # noqa: ANN401 - a class
        self._made = made
        self._fields = {name: codec_of(hint) for name, hint in _made_of(made).items()}
        self._defaults = _defaults_of(made)

    def write(self, values: Sequence[Any], name: str, columns: Columns) -> None:
        for field, codec in self._fields.items():
            inside = [getattr(value, field) for value in values]
            codec.write(inside, f"{name}.{field}", columns)

    def read(self, count: int, name: str, columns: Columns) -> list[Any]:
        inside = [
            codec.read(count, f"{name}.{field}", columns)
            if field not in self._defaults or _is_there(f"{name}.{field}", columns)
            else [self._defaults[field]() for _ in range(count)]
            for field, codec in self._fields.items()
        ]
        must(inside or count <= 1, f"{name} has nothing to count by")
        table = dict(zip(self._fields, inside, strict=True))
        for rule in getattr(self._made, "RULES", ()):
            _ask(rule, table, name)
        rows = zip(*inside, strict=True) if inside else [()] * count
        return [self._made(**dict(zip(self._fields, row, strict=True))) for row in rows]


def _made_of(made: Any) -> dict[str, Any]:  # noqa: ANN401 - a class
    if hasattr(made, "COLUMNS"):
        return dict(made.COLUMNS)
    hints = get_type_hints(made)
    return {field.name: hints[field.name] for field in fields(made) if field.init}


def _defaults_of(made: Any) -> dict[str, Callable[[], Any]]:  # noqa: ANN401 - a class
    """Return what makes the default of each field that has one."""
    if hasattr(made, "COLUMNS"):
        return {}
    found: dict[str, Callable[[], Any]] = {}
    for field in fields(made):
        if field.default is not MISSING:
            found[field.name] = partial(_same, field.default)
        elif field.default_factory is not MISSING:
            found[field.name] = field.default_factory
    return found


def _same(value: Any) -> Any:  # noqa: ANN401 - the default of any field
    return value


def _is_there(name: str, columns: Columns) -> bool:
    """Whether any column belongs to a field."""
    return any(c == name or c.startswith(f"{name}.") for c in columns)


def _ask(rule: Rule, table: Table, name: str) -> None:
    """Check a rule of a class; the error names the place in the state."""
    try:
        rule.ask(table)
    except InconsistentError as error:
        raise InconsistentError(f"{name}: {error}") from None


def _write_sizes(values: Sequence[Any], name: str, columns: Columns) -> None:
    sizes = np.array([len(value) for value in values], dtype=np.int64)
    columns[f"{name}.size"] = _narrowed(sizes)


def _read_ends(count: int, name: str, columns: Columns) -> list[int]:
    """Return where the values end in the column of all of them, after a 0."""
    sizes = _wide_enough(f"{name}.size", "int64", columns)
    must(len(sizes) == count, f"{name}.size must have {count} numbers")
    must(not count or sizes.min() >= 0, f"{name}.size is below 0")
    ends = np.cumsum(sizes, dtype=np.int64)
    must(not count or ends.min() >= 0, f"{name}.size is beyond all bounds")
    return [0, *ends.tolist()]


def _column(name: str, count: int, dtype: str, columns: Columns) -> NDArray[Any]:
    """Take out a column of so many numbers of one dtype."""
    column = columns.pop(name)
    must(
        column.shape == (count,) and column.dtype == dtype,
        f"{name} must be {count} numbers of {dtype}",
    )
    return column


_FIRST = microseconds(datetime.min.replace(tzinfo=UTC) - EPOCH)
_LAST = microseconds(datetime.max.replace(tzinfo=UTC) - EPOCH)
_MAX_COLUMNS = 1 << 20
"""Numbers in a row of a table; no encoder gives as many."""

_TEXTS = _TextCodec()
_ARRAYS = _ArrayCodec()
_PLAIN: dict[Any, Codec] = {
    bool: _NumberCodec("bool"),
    int: _NumberCodec("int64"),
    float: _NumberCodec("float64"),
    str: _TEXTS,
    datetime: _TimeCodec(),
}
