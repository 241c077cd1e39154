"""The page on security is true: every test and decision it names is there."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py::test_\w+)`", PAGE)))
ROWS = dict(re.findall(r"^\| ([CHML]\d+) \| [^|]+ \| (.+) \|$", PAGE, re.M))
COUNTS = {"C": 3, "H": 7, "M": 13, "L": 11}


@pytest.mark.parametrize("name", NAMED)
def test_every_test_that_is_named_is_there(name: str) -> None:
    file, _, test = name.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf"^(async )?def {test}\(", text, re.M)


def test_every_finding_has_its_row() -> None:
    wanted = [f"{kind}{n + 1}" for kind, most in COUNTS.items() for n in range(most)]
    assert list(ROWS) == wanted


@pytest.mark.parametrize("finding", sorted(ROWS))
def test_a_finding_names_a_test_or_a_decision_or_says_that_it_is_open(
    finding: str,
) -> None:
    said = ROWS[finding]
    assert "`tests/" in said or "(decisions/" in said or said == "**open**"


def test_the_page_and_how_to_report_lead_to_each_other() -> None:
    report = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "docs/security.md" in report
    assert "../SECURITY.md" in PAGE
