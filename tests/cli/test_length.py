from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ustory.cli.saved import estimated_lines


def test_small_files_are_counted_exactly(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n" * 1000)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b"{}\n" * 500))

    assert estimated_lines([str(tmp_path / "a.jsonl")]) == 1000
    assert estimated_lines([str(path) for path in tmp_path.iterdir()]) == 1500


@pytest.mark.parametrize("packed", [False, True])
def test_large_files_are_estimated(packed: bool, tmp_path: Path) -> None:
    lines = [json.dumps({"n": n, "hash": hash((n, 1))}) for n in range(100_000)]
    data = "\n".join(lines).encode()
    (tmp_path / "a").write_bytes(gzip.compress(data, 1) if packed else data)

    found = estimated_lines([str(tmp_path / "a")])

    assert found == pytest.approx(100_000, rel=0.05)


@pytest.mark.parametrize("path", ["-", "missing", "."])
def test_what_has_no_length_makes_the_whole_unknown(path: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("{}\n")

    assert estimated_lines([str(tmp_path / "a"), path]) is None


def test_parquet_knows_its_rows(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"id": list(range(70))}), path)

    assert estimated_lines([str(path)]) == 70
