"""Pages and searches of a served archive are timed, over real HTTP."""

from __future__ import annotations

import shutil
from pathlib import Path

from ustory_bench.service.asking import Asked
from ustory_bench.service.filling import fill_at
from ustory_bench.service.pages import compare, page_addresses, row_of
from ustory_bench.service.query_drawing import (
    candidate_ranks,
    draw_queries,
    made_postings,
)
from ustory_bench.service.search import searched
from ustory_bench.service.synthetic import Synthetic

MADE = Synthetic(3_000, most_live=100, window=200)


def test_every_page_and_every_band_is_timed(tmp_path: Path) -> None:
    url = str(tmp_path / "archive.db")
    fill_at(url, MADE, lambda line: None)
    other = shutil.copy(url, tmp_path / "other.db")
    rows = compare([url, str(other)], [MADE, MADE], rounds=1)
    assert [row["page"] for row in rows] == list(page_addresses(url, MADE))
    assert all(row["large_p95"] >= row["large_p50"] > 0 for row in rows)
    drawn = draw_queries(made_postings(MADE, candidate_ranks()), each=4)
    found = searched(url, drawn)
    assert [row["band"] for row in found] == list(dict.fromkeys(q.band for q in drawn))
    assert all(row["queries"] == 4 and row["p95"] > 0 for row in found)
    assert not [row for row in found if row["totals"] not in ("none", "0 wrong")]


def test_a_page_that_is_slow_does_not_hold() -> None:
    quick, slow = Asked(20.0, 20.0, 1), Asked(350.0, 20.0, 1)
    usual = Asked(180.0, 20.0, 1)
    assert row_of("now", [quick] * 60, [usual] * 60)["holds"]
    assert not row_of("now", [quick] * 60, [slow] * 60)["holds"]
    assert not row_of("now", [slow] * 60, [quick] * 60)["holds"]
    assert row_of("now", [quick] * 60, [*[quick] * 58, slow, slow])["holds"]
