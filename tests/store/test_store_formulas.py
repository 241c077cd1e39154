"""No cell of a CSV file is a formula, whichever way it was exported."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.builders import article_row, revision_row, story_row
from ustory.store import Store
from ustory.store.articles import add_revisions, insert_articles
from ustory.store.export import csv_rows, defused, export
from ustory.store.results import write_stories

HOSTILE = ('=HYPERLINK("http://evil.example","x")', "+cmd|' /C calc'!A0", "-2+3",
           "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1+1")  # fmt: skip
STARTS = tuple("=+-@\t\r\n＝＋－＠")


@given(st.text())
def test_no_text_begins_as_a_formula_does(text: str) -> None:
    assert not defused(text).startswith(STARTS)
    assert defused(text).endswith(text)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_both_exports_defuse_the_same_cells(hostile: str) -> None:
    [_, row] = csv.reader(
        io.StringIO(b"".join(csv_rows({"title": str}, [{"title": hostile}])).decode())
    )
    assert row == [defused(hostile)] == [f"'{hostile}"]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_an_exported_archive_holds_no_formula(store: Store, hostile: str) -> None:
    row = article_row(1, title=hostile, source=hostile, story="s000001")
    with store.write() as connection:
        insert_articles(connection, [row])
        add_revisions(connection, [revision_row(row, hostile)])
        write_stories(connection, [story_row(1, headline=hostile)], [])
    for what in ("articles", "stories"):
        text = b"".join(export(store.read, what, "csv")).decode()
        cells = [cell for line in csv.reader(io.StringIO(text)) for cell in line]
        assert f"'{hostile}" in cells
        assert not [cell for cell in cells if cell.startswith(STARTS)]
