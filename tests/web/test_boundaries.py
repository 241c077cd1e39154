"""The web asks the service for plain values: it never reads the engine's state."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ustory.web

ROOT = Path(ustory.web.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
_ENGINE = {"link", "records", "vocabulary", "unassigned", "standing", "panes"}
"""Parts of `engine.state.State`."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_of_the_web_reads_the_state_of_the_engine(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            owner, part = node.value.attr, node.attr
            assert (owner, part) != ("loop", "state"), ast.unparse(node)
            assert owner != "state" or part not in _ENGINE, ast.unparse(node)
