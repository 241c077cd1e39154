"""CSV files have every digit, and run nothing in a spreadsheet."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.bench.report import samples

from ustory_bench.report.blocks import Figure, Table, TableRow, Value
from ustory_bench.report.downloads import csv_link
from ustory_bench.report.figure_csv import rows_of as figure_rows
from ustory_bench.report.names import printable
from ustory_bench.report.table_csv import csv_text, field_of, rows_of, write_tables


def test_intervals_and_marks_have_columns_where_there_are_some() -> None:
    heading, *rows = rows_of(samples.table())
    ends = ["one B³-F1", "one B³-F1 low", "one B³-F1 high", "one B³-F1 mark"]
    assert heading == ["block", "row", *ends, "one AMI", "two B³-F1", "two AMI"]
    assert rows[0] == ["Baselines", "slow", "0.5", "", "", "", "", "0.25", "16136"]
    assert rows[2][2:6] == ["0.91758", "0.9", "0.93", "*"]


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.text())
def test_numbers_come_back_to_the_last_digit(numbers: list[float], name: str) -> None:
    cells = [Value(value=number) for number in numbers]
    rows = [TableRow(name=name, cells=cells, block=name)]
    table = Table(id="t", title="t", columns=["c"] * len(numbers), rows=rows)
    [_, found] = list(csv.reader(StringIO(csv_text(rows_of(table)))))
    assert [float(text) for text in found[2:]] == numbers
    assert found[1].removeprefix("'") == printable(name).removeprefix("'")


@given(st.sampled_from("=+-@"), st.text(min_size=1))
def test_no_text_is_a_formula(sign: str, text: str) -> None:
    found = field_of(f"{sign}A{text}")
    assert found.startswith(f"'{sign}")


def test_each_table_has_a_file_that_stays_in_its_folder(tmp_path: Path) -> None:
    hostile = samples.table(table_id="../../etc/passwd")
    write_tables([*samples.sections(), samples.section("x", hostile)], tmp_path / "csv")
    names = sorted(path.name for path in (tmp_path / "csv").iterdir())
    assert names[0] == "accuracy.csv"
    assert names[1].startswith("etc-passwd-")
    assert names[2] == "sentences.csv"
    assert [path.name for path in tmp_path.iterdir()] == ["csv"]


def test_points_of_a_figure_are_rows() -> None:
    assert figure_rows(samples.figure()) == [
        ["trace", "x", "y", "error_y.array"],
        ["ours", "1", "0.5", "0.1"],
        ["ours", "2", "", "0.1"],
        ["ours", "3", "0.75", "0.2"],
        ["b", "a", "1", ""],
        ["b", "b", "", ""],
    ]


def test_cells_of_a_heat_map_are_rows_and_texts_are_plain() -> None:
    heat = Figure(
        id="h",
        title="h",
        caption="",
        traces=[
            {"type": "heatmap", "x": ["<b>p</b>", "a &lt; b"], "z": [[1, 2], [3, 4]]}
        ],
        layout={},
        alt="x",
    )
    assert figure_rows(heat)[1:] == [
        ["trace 1", "p", "0", "1"],
        ["trace 1", "a < b", "0", "2"],
        ["trace 1", "p", "1", "3"],
        ["trace 1", "a < b", "1", "4"],
    ]


def test_boxes_that_are_given_by_their_quartiles_are_rows() -> None:
    spread = {"lowerfence": [0.1], "q1": [0.2], "median": [0.3], "q3": [0.4]}
    box = {"type": "box", "name": "b", "x": ["word"], "upperfence": [0.5], **spread}
    figure = Figure(
        id="b",
        title="b",
        caption="",
        traces=[{**box, "mean": [0.35]}],
        layout={},
        alt="x",
    )
    assert figure_rows(figure) == [
        ["trace", "x", "lowerfence", "q1", "median", "q3", "upperfence", "mean"],
        ["b", "word", "0.1", "0.2", "0.3", "0.4", "0.5", "0.35"],
    ]


def test_a_link_that_no_browser_would_follow_is_not_made() -> None:
    assert "download" in csv_link([["a"] * 10], "a", "a")
    assert "results.json has them" in csv_link([["a" * 1000] * 2000], "a", "a")
