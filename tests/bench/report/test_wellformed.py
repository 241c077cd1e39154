"""What cannot be shown is refused in words, before anything is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.report import samples

from ustory_bench.report import latex, markdown, page, table_csv
from ustory_bench.report.blocks import Figure, TableRow, Value
from ustory_bench.report.wellformed import (
    SectionError,
    check_figure,
    check_sections,
    check_table,
)


def test_sound_sections_pass() -> None:
    check_sections(samples.sections())
    check_sections([samples.full_of(text) for text in samples.ATTACKS])


def test_a_row_with_too_few_cells_is_named() -> None:
    rows = [*samples.table().rows, TableRow(name="short", cells=[Value(value=1)])]
    with pytest.raises(SectionError, match="4 columns; row 'short' has 1"):
        check_table(replace(samples.table(), rows=rows))


@pytest.mark.parametrize("width", [1, 3])
def test_groups_must_span_all_columns(width: int) -> None:
    groups = (("one", 2), ("two", width))
    with pytest.raises(SectionError, match=f"add up to {2 + width}"):
        check_table(replace(samples.table(), groups=groups))


def test_a_group_without_columns_is_refused() -> None:
    with pytest.raises(SectionError, match="at least one column"):
        check_table(replace(samples.table(), groups=(("one", 4), ("two", 0))))


def test_a_table_without_columns_is_refused() -> None:
    with pytest.raises(SectionError, match="has no columns"):
        check_table(replace(samples.table(), columns=(), rows=[], groups=()))


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (Value(value=1.0, digits=-1), "digits are at least 0"),
        (Value(value=1.0, interval=(2.0, 1.0)), "an interval goes from low to high"),
    ],
)
def test_a_bad_cell_is_named_by_row_and_column(cell: Value, told: str) -> None:
    rows = [TableRow(name="bad", cells=[cell] * 4)]
    with pytest.raises(SectionError, match=f"row 'bad', column 'B³-F1': {told}"):
        check_table(replace(samples.table(), rows=rows))


@pytest.mark.parametrize("second", ["accuracy", "Accuracy"])
def test_two_tables_of_one_id_are_refused(second: str) -> None:
    tables = [samples.table(), samples.table(table_id=second)]
    with pytest.raises(SectionError, match="ids of tables and figures must differ"):
        check_sections([samples.section("s", *tables)])


def test_two_sections_of_one_id_are_refused() -> None:
    with pytest.raises(SectionError, match="ids of sections must differ"):
        check_sections([samples.section("s"), samples.section("s")])


def test_a_section_and_its_table_may_have_one_id() -> None:
    check_sections([samples.section("accuracy", samples.table())])


def test_an_empty_id_or_title_is_refused() -> None:
    with pytest.raises(SectionError, match="empty id"):
        check_sections([samples.section("")])
    with pytest.raises(SectionError, match="section 's' has no title"):
        check_sections([replace(samples.section("s"), title=" ")])


@pytest.mark.parametrize(
    ("figure", "told"),
    [
        (replace(samples.figure(), alt=""), "has no alt text"),
        (replace(samples.figure(), height=0), "height is in pixels"),
        (replace(samples.figure(), layout={"a": {1, 2}}), "what JSON can hold"),
        (replace(samples.figure(), traces=[{"meta": {"colour": "red"}}]), "palette"),
        (replace(samples.figure(), traces=[{"meta": {"colour": [1, -1]}}]), "palette"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_refused(figure: Figure, told: str) -> None:
    with pytest.raises(SectionError, match=told):
        check_figure(figure)


def test_no_writer_leaves_half_a_report(tmp_path: Path) -> None:
    bad = [samples.section("s", samples.table(), replace(samples.figure(), alt=""))]
    with pytest.raises(SectionError):
        table_csv.write_tables(bad, tmp_path)
    with pytest.raises(SectionError):
        latex.write_tables(bad, tmp_path)
    with pytest.raises(SectionError):
        markdown.write_tables(bad, tmp_path / "tables.md")
    with pytest.raises(SectionError):
        page.write_page("t", {}, bad, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())
