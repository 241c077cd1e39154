"""Links that hold what they offer: the numbers behind a table or a figure."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from ustory_bench.report.markup import Markup, element
from ustory_bench.report.names import printable
from ustory_bench.report.table_csv import csv_text

_LONGEST = 1_500_000
"""Browsers cut an address at two million characters."""


def csv_link(rows: Sequence[Sequence[str]], name: str, title: str) -> Markup:
    """Return a link that saves the rows as a CSV file, without any server."""
    address = "data:text/csv;charset=utf-8," + quote(csv_text(rows), safe=",-_.'")
    if len(address) > _LONGEST:
        told = "The numbers are too many for this page; results.json has them."
        return element("p", told, class_="numbers")
    link = element(
        "a",
        "Numbers (CSV)",
        href=address,
        download=f"{name}.csv",
        aria_label=f"Numbers of: {printable(title)} (CSV)",
    )
    return element("p", link, class_="numbers")
