"""Tables are read row by row, whatever is in them."""

import csv
import gzip
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import InputError, UStoryError
from ustory.sources import Problems
from ustory.sources.files.table import CsvSource
from ustory.sources.records.cursor import line_of

Write = Callable[[str, bytes], str]

HEADER = b"id,date,title,text\n"


def ids(source: CsvSource, after: str | None = None) -> list[str]:
    return [arrival.article.id for arrival in source.read(after)]


def test_a_quoted_cell_may_hold_commas_quotes_and_lines(write: Write) -> None:
    row = b'a,2024-03-07,"One, ""two""","First.\r\n\nSecond, third."\n'
    source = CsvSource(write("n.csv", b"\xef\xbb\xbf" + HEADER + row), Problems())
    [arrival] = source.read()

    assert arrival.article.title == 'One, "two"'
    assert arrival.article.text == "First.\n\nSecond, third."


def test_cursors_are_the_lines_on_which_rows_start(write: Write) -> None:
    rows = b'a,2024-03-07,"One\ntwo"\n\n,,,\nb,2024-03-07,B\nc,2024-03-07,"C\n"\n'
    source = CsvSource(write("n.csv", HEADER + rows), Problems())

    cursors = [arrival.cursor for arrival in source.read()]
    assert [line_of(cursor) for cursor in cursors] == [2, 6, 7]
    assert ids(source, after=cursors[0]) == ["b", "c"]
    assert ids(source, after=cursors[2]) == []


def test_a_tab_separated_gzipped_file_is_a_table_too(write: Write) -> None:
    data = b"id\tdate\theadline\na\t2024-03-07\tOne, two\n"
    source = CsvSource(write("n.tsv.gz", gzip.compress(data)), Problems(), None, "\t")
    [arrival] = source.read()

    assert arrival.article.title == "One, two"


def test_header_names_may_have_spaces_and_capitals(write: Write) -> None:
    data = b" ID , Published At ,Title\na,2024-03-07,T\n"

    assert ids(CsvSource(write("n.csv", data), Problems())) == ["a"]


def test_a_cell_may_be_longer_than_the_usual_limit(write: Write) -> None:
    text = b"a" * 500_000
    source = CsvSource(write("n.csv", HEADER + b"a,2024-03-07,," + text), Problems())
    [arrival] = source.read()

    assert len(arrival.article.text) == 500_000
    assert csv.field_size_limit() >= 500_000


@pytest.mark.parametrize("policy", ["stop", "skip"])
@pytest.mark.parametrize(
    ("header", "kind"),
    [
        (b"id,\xff\n", "not-utf8"),
        (b'id,"date"x\n', "bad-field"),
        (b"a" * (5 << 20) + b"\n", "too-large"),
    ],
)
def test_a_header_that_cannot_be_read_stops_under_every_policy(
    header: bytes, kind: str, policy: str, write: Write
) -> None:
    path = write("n.csv", header + b"a,2024-03-07\n")

    with pytest.raises(InputError) as caught:
        ids(CsvSource(path, Problems(policy)))

    assert (caught.value.kind, caught.value.line) == (kind, 1)


def test_a_header_alone_is_an_empty_file(write: Write) -> None:
    problems = Problems("skip")

    assert ids(CsvSource(write("n.csv", HEADER), problems)) == []
    assert problems.counts == {"empty-file": 1}


def test_a_quote_that_is_never_closed_is_a_problem_of_its_row(write: Write) -> None:
    data = HEADER + b'a,2024-03-07,A\nb,2024-03-07,"B\nc,2024-03-07,C\n'
    problems = Problems("skip")

    assert ids(CsvSource(write("n.csv", data), problems)) == ["a"]
    assert problems.counts == {"bad-field": 1}
    assert "line 3: the row is not CSV" in problems.examples["bad-field"]


def test_an_endless_row_is_given_up_without_being_held(write: Write) -> None:
    line = b"b,2024-03-07,B" + b" " * 9_986 + b"\n"
    data = HEADER + b'x,2024-03-07,"' + line * 3_000 + b"z,2024-03-08,Z\n"
    path = write("n.csv", data)
    problems = Problems("skip")
    del data
    tracemalloc.start()
    try:
        count = sum(
            arrival.article.id == "b" for arrival in CsvSource(path, problems).read()
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert problems.counts == {"too-large": 1}
    assert count > 2_500
    assert peak < 64 << 20


pieces = st.lists(
    st.binary()
    | st.sampled_from(
        [b"\n", b'"', b",", b"\r", b"\0", b"2024-03-07", b"a,2024-03-07,b"]
    )
).map(b"".join)


@given(data=pieces, headed=st.booleans())
def test_random_bytes_are_rows_or_our_own_errors(
    data: bytes, headed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "random.csv"
    path.write_bytes(HEADER * headed + data)

    for policy in ("stop", "skip"):
        found = attempt(CsvSource(str(path), Problems(policy)))
        if isinstance(found, UStoryError):
            assert str(path) in str(found)
        else:
            assert len(found) <= data.count(b"\n") + 1


def attempt(source: CsvSource) -> list[str] | UStoryError:
    try:
        return ids(source)
    except UStoryError as error:
        return error
