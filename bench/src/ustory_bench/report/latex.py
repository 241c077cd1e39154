r"""Tables as LaTeX with booktabs, ready for \input in a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from ustory_bench.report.blocks import Section, Table, TableRow, Value
from ustory_bench.report.files import write_text
from ustory_bench.report.latex_text import escaped
from ustory_bench.report.names import safe_name
from ustory_bench.report.values import interval_of, is_text_column, text_of
from ustory_bench.report.wellformed import check_sections, check_table

PACKAGES = r"""\usepackage[T1]{fontenc}
\usepackage{amssymb}
\usepackage{booktabs}
\usepackage{graphicx}
"""
"""What the tables need of the document they are put in."""
_AT_MOST = r"\ifdim\width>\linewidth\linewidth\else\width\fi"
"""A table that is wider than the page is made smaller, others are left alone."""
_NARROW = 5
"""Tables with more columns run over both columns of a paper."""
_LONG = 60
"""The name of a block that is longer is broken into lines."""
_SHORT = 28
"""A column with longer texts than this breaks them into lines."""


def write_tables(sections: Sequence[Section], folder: Path) -> None:
    r"""Write each table to a file named after its id, and `_all.tex` with all.

    `_all.tex` compiles as it is; a paper takes one with \input.
    """
    check_sections(sections)
    blocks = [block for section in sections for block in section.blocks]
    tables = [block for block in blocks if isinstance(block, Table)]
    for table in tables:
        write_text(folder / f"{safe_name(table.id)}.tex", table_of(table))
    inputs = "\n".join(
        rf"\input{{{safe_name(table.id)}}}\clearpage" for table in tables
    )
    write_text(
        folder / "_all.tex",
        "\\documentclass{article}\n\\usepackage[margin=15mm]{geometry}\n"
        f"{PACKAGES}\\begin{{document}}\n{inputs}\n\\end{{document}}\n",
    )


def table_of(table: Table) -> str:
    """Return the table as papers print it: groups above, blocks under their names.

    Best values are bold, marks raised, intervals in small type on a line of their
    own under the values.
    """
    check_table(table)
    place = "table*" if len(table.columns) > _NARROW else "table"
    needs = "".join(f"% needs {line}\n" for line in PACKAGES.splitlines())
    lines = [
        rf"\begin{{{place}}}[t]",
        r"\centering\small\setlength{\tabcolsep}{4pt}\setlength{\abovetopsep}{3pt}",
        rf"\caption{{{escaped(table.title)}}}",
        rf"\label{{tab:{safe_name(table.id)}}}",
        rf"\resizebox{{{_AT_MOST}}}{{!}}{{%",
        rf"\begin{{tabular}}{{{_columns(table)}}}",
        r"\toprule",
        *_head(table),
        r"\midrule",
        *_body(table),
        r"\bottomrule",
        r"\end{tabular}}",
        *_note(table),
        rf"\end{{{place}}}",
    ]
    return needs + "\n".join(lines) + "\n"


def _columns(table: Table) -> str:
    """Return the kinds of columns; long texts share what the others leave."""
    long = [_longest(table, i) > _SHORT for i in range(len(table.columns))]
    named = max((len(row.name) for row in table.rows), default=0) > _SHORT
    share = (0.45 if named else 0.7) / max(1, sum(long))
    kinds = [
        rf"p{{{share:.2f}\linewidth}}" if wide else "lc"[not is_text_column(table, i)]
        for i, wide in enumerate(long)
    ]
    return "".join((r"p{0.25\linewidth}" if named else "l", *kinds))


def _longest(table: Table, column: int) -> int:
    if not is_text_column(table, column):
        return 0
    return max(len(text_of(row.cells[column])) for row in table.rows)


def _head(table: Table) -> Iterator[str]:
    if table.groups:
        names = [
            rf"\multicolumn{{{width}}}{{c}}{{{escaped(name)}}}"
            for name, width in table.groups
        ]
        yield _line(["", *names])
        yield "".join(_rules(table))
    yield _line(["", *map(escaped, table.columns)])


def _rules(table: Table) -> Iterator[str]:
    ends = [1]
    for _, width in table.groups:
        ends.append(ends[-1] + width)
    for (name, _), (start, end) in zip(table.groups, pairwise(ends), strict=True):
        if name:
            yield rf"\cmidrule(lr){{{start + 1}-{end}}}"


def _body(table: Table) -> Iterator[str]:
    width = len(table.columns) + 1
    blocks = groupby(table.rows, key=lambda row: row.block)
    for number, (block, rows) in enumerate(blocks):
        if number:
            yield r"\midrule"
        if block:
            kind = r"p{0.9\linewidth}" if len(block) > _LONG else "l"
            name = rf"\textit{{{escaped(block)}}}"
            yield rf"\multicolumn{{{width}}}{{{kind}}}{{{name}}} \\"
        for row in rows:
            yield from _row(row)


def _row(row: TableRow) -> Iterator[str]:
    indent = r"\quad " if row.block else ""
    values = _line([indent + escaped(row.name), *map(_cell, row.cells)])
    intervals = [interval_of(cell) for cell in row.cells]
    if not any(intervals):
        yield values
    else:
        yield values + "[-2pt]"
        # inside braces a bracket is a bracket
        plain = [escaped(t).replace("{[}", "[").replace("{]}", "]") for t in intervals]
        small = [rf"{{\tiny {text}}}" if text else "" for text in plain]
        yield _line(["", *small])


def _cell(cell: Value) -> str:
    text = escaped(text_of(cell))
    shown = rf"\textbf{{{text}}}" if cell.best else text
    # no width of its own, so that marked and unmarked digits stand in line
    mark = rf"\rlap{{\textsuperscript{{{escaped(cell.mark)}}}}}" if cell.mark else ""
    return shown + mark


def _note(table: Table) -> Iterator[str]:
    if table.note:
        text = rf"\footnotesize {escaped(table.note)}"
        yield rf"\par\smallskip\parbox{{\linewidth}}{{{text}}}"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
