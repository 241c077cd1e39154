"""JSON values come out of a file one by one, however the file is cut into pieces."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import InputError
from ustory.sources.files import json_values as values_module
from ustory.sources.files.json_values import read_values

Write = Callable[[str, bytes], str]

leaves = st.none() | st.booleans() | st.integers() | st.text()
objects = st.dictionaries(
    st.text(max_size=5),
    st.recursive(leaves, lambda inner: st.lists(inner, max_size=3), max_leaves=6),
    max_size=4,
)


def values(path: str) -> list[object]:
    return [value for _, value in read_values(path, "article")]


@given(objects_=st.lists(objects, max_size=6), ascii_only=st.booleans())
def test_a_list_and_lines_give_the_same_values(
    objects_: list[dict[str, Any]],
    ascii_only: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("values") / "x.json"

    for text in (
        json.dumps(objects_, ensure_ascii=ascii_only),
        json.dumps(objects_, ensure_ascii=ascii_only, indent=2),
        "\n".join(json.dumps(each) for each in objects_),
    ):
        # A lone surrogate cannot be written but as an escape.
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
        assert values(str(path)) == objects_


def test_two_files_joined_by_cat_are_one_file(write: Write) -> None:
    path = write("x.json", b'[{"a": 1}]\n[{"a": 2}, {"a": 3}]{"a": 4}')

    assert values(path) == [{"a": n} for n in (1, 2, 3, 4)]


def test_numbers_go_on_from_one_list_to_the_next(write: Write) -> None:
    path = write("x.json", b"[{}, {}][{}]")

    assert [number for number, _ in read_values(path, "article")] == [1, 2, 3]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_it_does_not_matter_where_pieces_end(
    size: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [{"a": 'Zo\u00eb \U0001f600 \\ " \n', "b": [True, None, -1.5e3]}, {"c": {}}]
    text = json.dumps(found).encode() + json.dumps(found, ensure_ascii=False).encode()
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    monkeypatch.setattr(values_module, "read_chunks", lambda _: iter(pieces))
    monkeypatch.setattr(values_module, "_MIN_CHARACTERS", 1)

    assert values(write("x.json", b"")) == found * 2


def test_packed_files_and_byte_order_marks_are_read(write: Write) -> None:
    path = write("x.json.gz", gzip.compress(b'\xef\xbb\xbf [{"a": 1}]'))

    assert values(path) == [{"a": 1}]


def test_one_value_whose_bytes_are_not_utf8_spoils_no_other(write: Write) -> None:
    first, bad, last = values(write("x.json", b'[{"a": 1}, {"b": "\xff"}, {"c": 3}]'))

    assert (first, last) == ({"a": 1}, {"c": 3})
    assert isinstance(bad, InputError)
    assert bad.kind == "not-utf8"
    assert str(bad).endswith(": article 2: the bytes are not UTF-8")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'[{"a": 1}, {"b": ', "article 2 is not whole JSON (Expecting value)"),
        (b'[{"a": "text', "article 1 is not whole JSON (Unterminated string"),
        (b'[{"a": 1}', "its list has no end after article 1; fetch it again"),
        (b'[{"a": 1},', "its list has no end after article 1"),
        (b"id,date\n1,2024-03-07 and more", "article 1 is not whole JSON"),
        (b'{"a": 1}\n{"a" 2, "long enough to go on"}\n', "article 2 is not whole JSON"),
        (b"[" * 100_000, "is not whole JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "article 1 is not whole JSON"),
    ],
)
def test_json_that_breaks_off_is_told_and_never_skipped(
    data: bytes, reason: str, write: Write
) -> None:
    path = write("x.json", data)

    with pytest.raises(InputError) as caught:
        values(path)

    assert caught.value.kind == "broken-json"
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_value_over_the_limit_is_refused(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values_module, "MAX_VALUE_LENGTH", 100_000)
    path = write("x.json", b'{"a": "%s"}' % (b"a" * 200_000))

    with pytest.raises(InputError, match="story 1: it may have 100,000 characters"):
        list(read_values(path, "story"))
