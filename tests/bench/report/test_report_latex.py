"""LaTeX tables have as many cells as columns, and compile whatever they are given."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.report import samples

from ustory_bench.report.blocks import Table
from ustory_bench.report.latex import table_of, write_tables
from ustory_bench.report.latex_text import escaped


def cells_of(line: str) -> int:
    spans = [int(n) for n in re.findall(r"\\multicolumn\{(\d+)\}", line)]
    return len(re.split(r"(?<!\\)&", line)) + sum(spans) - len(spans)


def rows_of(tex: str) -> list[str]:
    return [line for line in tex.splitlines() if re.search(r"\\\\(\[-2pt\])?$", line)]


def test_every_line_has_a_cell_for_each_column() -> None:
    lines = rows_of(table_of(samples.table()))
    # two headings, two names of blocks, three rows, one line of intervals
    assert len(lines) == 8
    assert {cells_of(line) for line in lines} == {5}


@given(st.text(max_size=30) | st.sampled_from(samples.ATTACKS))
def test_no_text_adds_a_cell_a_line_or_a_command(text: str) -> None:
    table = samples.full_of(text).blocks[0]
    assert isinstance(table, Table)
    lines = rows_of(table_of(table))
    assert len(lines) == 5
    assert {cells_of(line) for line in lines} == {3}


@given(st.text(alphabet="ab \\{}$&#%_^~<>|\"`'[]*-,", max_size=40))
def test_special_characters_stand_for_themselves(text: str) -> None:
    found = escaped(text)
    bare = re.sub(r"\\[A-Za-z]+\{\}|\\[{}$&#%_]|\{[\[\]*]\}|\{\}", "", found)
    assert not set(bare) & set("\\{}$&#%_^~[]*")
    assert "--" not in found
    assert ",," not in found


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("B³-F1", r"B\textsuperscript{3}-F1"),
        ("△ 44.4 %", r"\ensuremath{\triangle} 44.4 \%"),
        ("−0.5", r"\ensuremath{-}0.5"),
        ("Wałęsa", r"Wa\l{}\k{e}sa"),
        ("Gödel’s", r"G\"{o}del\textquoteright{}s"),
        ("--tune", "-{}-tune"),
        ("新", r"{\tiny U+65B0}"),
        ("H₂", r"H\textsubscript{2}"),
    ],
)
def test_letters_of_the_world_are_spelled_for_tex(text: str, tex: str) -> None:
    assert escaped(text) == tex


def test_best_values_marks_and_intervals_look_as_in_the_paper() -> None:
    tex = table_of(samples.table())
    assert r"\textbf{0.918}\rlap{\textsuperscript{{*}}}" in tex
    assert r"{\tiny [0.900, 0.930]}" in tex
    assert r"\multicolumn{2}{c}{one} & \multicolumn{2}{c}{two} \\" in tex
    assert r"\cmidrule(lr){2-3}\cmidrule(lr){4-5}" in tex
    assert tex.count(r"\midrule") == 2 + 2 - 1 - 1
    assert r"\textit{Baselines}" in tex


def test_a_table_without_groups_has_one_heading() -> None:
    tex = table_of(replace(samples.table(), groups=()))
    assert r"\cmidrule" not in tex
    assert len(rows_of(tex)) == 7


def test_each_table_has_a_file_and_one_has_all(tmp_path: Path) -> None:
    write_tables(samples.sections(), tmp_path / "latex")
    names = sorted(path.name for path in (tmp_path / "latex").iterdir())
    assert names == ["_all.tex", "accuracy.tex", "sentences.tex"]
    whole = (tmp_path / "latex" / "_all.tex").read_text(encoding="utf-8")
    assert whole.count(r"\input{") == 2


def test_the_tables_compile(tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed: tables are not compiled")
    kinds = [*range(1, 0x250), *range(0x370, 0x3D0), *range(0x2000, 0x2400)]
    lines = ["".join(map(chr, kinds[i : i + 40])) for i in range(0, len(kinds), 40)]
    texts = [*samples.ATTACKS, "[2pt] a", "* b", *lines]
    hostile = [samples.full_of(text) for text in texts]
    write_tables([*samples.sections(), *hostile], tmp_path)
    done = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "_all.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    said = done.stdout.decode(errors="replace")
    if "not found" in said and ".sty" in said:
        pytest.skip("pdflatex has no booktabs, amssymb or geometry")
    assert done.returncode == 0, said[-2000:]
    assert (tmp_path / "_all.pdf").stat().st_size > 0
