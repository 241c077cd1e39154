"""Detection is measured on texts of known languages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.text.many_languages import REPORTS

from ustory_bench.quality.detection import main, read, titles_and_texts


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Return a file in which each report is beside one of another language."""
    rows = [
        {"lang": lang, "title": title, "text": text}
        for lang, (reports, _) in REPORTS.items()
        for title, text in reports
    ]
    wrong = {"lang": "fi", "title": "A title that is not in Finnish at all", "text": ""}
    file = tmp_path / "pairs.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8") as out:
        for a, b in zip([*rows, wrong], [*rows[1:], rows[0], rows[0]], strict=True):
            out.write(json.dumps({"a": a, "b": b, "same": False}) + "\n")
    return file


def test_what_is_right_is_counted_once_for_each_text(pairs: Path) -> None:
    texts = titles_and_texts([pairs], "title")
    found = read(texts)
    assert found.texts == len(texts) == 3 * len(REPORTS) + 1
    assert found.right == pytest.approx(1 - 1 / found.texts, abs=2 / found.texts)
    assert found.right < 1
    assert found.right_if_sure < 1


def test_a_line_for_titles_and_one_for_texts(
    pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(pairs)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["read", "title", "text"]
