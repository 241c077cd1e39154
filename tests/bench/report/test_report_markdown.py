"""Markdown tables read back as what they were made of."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.bench.report import samples

from ustory_bench.report.blocks import Table, TableRow, Value
from ustory_bench.report.markdown import escaped, table_of, write_tables
from ustory_bench.report.names import printable


def cells_of(line: str) -> list[str]:
    inner = line.removeprefix("| ").removesuffix(" |")
    return [cell.strip() for cell in re.split(r"(?<!\\) \| ", inner)]


def read(cell: str) -> str:
    return re.sub(r"\\(.)", r"\1", cell.replace("<!-- -->", ""))


def test_a_table_reads_as_it_should() -> None:
    lines = table_of(samples.table()).splitlines()
    assert lines[0] == "|  | one B³-F1 | one AMI | two B³-F1 | two AMI |"
    assert lines[1] == "| --- | ---: | ---: | ---: | ---: |"
    assert lines[2] == "| *Baselines* |  |  |  |  |"
    assert lines[3] == "| slow | 0.500 | – | 0.250 | 16,136 |"
    assert (
        lines[-1]
        == r"| ours | **0.918**\* \[0.900, 0.930\] | △ 44.4 % | 0.750 | 2018 |"
    )


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4), st.text(max_size=20))
def test_any_text_comes_back_from_its_cell(texts: list[str], name: str) -> None:
    table = Table(
        id="t",
        title="t",
        columns=["c"] * len(texts),
        rows=[TableRow(name=name, cells=[Value(value=text) for text in texts])],
    )
    found = [read(cell) for cell in cells_of(table_of(table).splitlines()[2])]
    assert found == [printable(text).strip() for text in (name, *texts)]


def test_links_names_and_tags_stay_text() -> None:
    text = escaped("see https://evil.example @all <b>x</b> www.evil.example [a](b)")
    assert "https:" not in text
    assert "www." not in text
    assert "@all" not in text
    assert not re.search(r"(?<!\\)[<\[](?!!-- -->)", text)
    assert escaped("1. first") == r"1\. first"
    assert escaped("- item") == r"\- item"
    assert escaped("0.918") == "0.918"


def test_the_file_has_all_tables_under_their_sections(tmp_path: Path) -> None:
    path = tmp_path / "tables.md"
    write_tables([*samples.sections(), samples.section("bare")], path)
    text = path.read_text(encoding="utf-8")
    assert re.findall("^#+ .*", text, re.MULTILINE) == [
        "## Story discovery",
        "### Accuracy",
        "## Story discovery",
        "### Sentences",
    ]
    assert "Mean over windows." in text
