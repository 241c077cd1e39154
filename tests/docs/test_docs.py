"""The documentation says all there is, and nothing that is not."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import fields
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import click
import pytest

import ustory
from tests.docs.pages import (
    ROOT,
    anchors,
    blocks,
    links,
    name_of,
    pages,
    table_rows,
)
from tests.docs.written import WRITTEN, commands
from ustory.cli.main import cli
from ustory.core.errors import PROBLEM_KINDS
from ustory.core.registry import names
from ustory.core.settings import Settings
from ustory.core.spans import format_span
from ustory.sources.records.fields import NAMES

DOCS = ROOT / "docs"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _as_documented(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return format_span(value) if isinstance(value, timedelta) else str(value)


def test_every_setting_is_on_its_page_with_its_default() -> None:
    rows = {row[0]: row[2] for row in table_rows(DOCS / "reference" / "settings.md")}
    documented = {name: rows[name] for name in rows if name.isidentifier()}
    del documented["field"]  # the head of the table

    defaults = {f.name: _as_documented(f.default) for f in fields(Settings)}

    assert documented == defaults


@pytest.mark.parametrize("group", ["encoders", "scorings", "divergences", "pipelines"])
def test_everything_chosen_by_name_is_in_the_reference(group: str) -> None:
    text = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")
    text += (DOCS / "reference" / "encoders.md").read_text(encoding="utf-8")

    ours = PYPROJECT["project"]["entry-points"][f"ustory.{group}"]

    assert set(ours) <= set(names(group))
    assert [name for name in ours if f"`{name}`" not in text] == []


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_what_the_program_writes_is_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == WRITTEN[page](), "write it anew with: make docs"


@pytest.mark.parametrize(
    "context", list(commands(cli, "ustory")), ids=lambda context: context.command_path
)
def test_every_command_and_option_says_what_it_does(context: click.Context) -> None:
    options = [p for p in context.command.params if isinstance(p, click.Option)]

    assert context.command.help
    assert [option.opts for option in options if not option.help] == []


def test_every_field_and_kind_of_problem_is_on_the_data_page() -> None:
    rows = {row[0]: row for row in table_rows(DOCS / "reference" / "data-format.md")}

    for kind, meaning in PROBLEM_KINDS.items():
        assert rows[kind][1].startswith(meaning), kind
    for field, spellings in NAMES.items():
        others = {name for name in spellings if name.replace(" ", "_") != field}
        assert set(rows[field][2].split(", ")) == others, field


def test_every_public_name_is_on_the_python_page() -> None:
    text = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")

    assert [name for name in ustory.__all__ if f"`{name}" not in text] == []


def _extension_points() -> set[str]:
    text = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    return set(re.findall(r"`(ustory(?:_bench)?(?:\.\w+){2,})`", text))


@pytest.mark.parametrize("name", sorted(_extension_points()))
def test_every_extension_point_exists(name: str) -> None:
    module, _, part = name.rpartition(".")

    assert hasattr(import_module(module), part)


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_examples_use_stable_names_only(page: Path) -> None:
    code = [ast.parse(block.text) for block in blocks(page) if block.kind == "python"]
    nodes = [node for tree in code for node in ast.walk(tree)]
    used = {
        f"{node.module}.{name.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ustory")
        for name in node.names
    }
    public = {f"ustory.{name}" for name in ustory.__all__}

    assert used - public - _extension_points() == set()


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)} links to {link}"
        if anchor:
            assert anchor in anchors(target), f"{name_of(page)} links to {link}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = {ROOT / "README.md"}
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = {
            (page.parent / link.partition("#")[0]).resolve() for link in links(page)
        }
        waiting |= {
            to for to in targets if to.suffix == ".md" and to.exists()
        } - reached

    lost = set(pages()) - reached

    assert {
        name_of(page) for page in lost if page.parent != DOCS / "decisions"
    } == set()


def test_the_import_rule_is_drawn_as_it_is_checked() -> None:
    drawn = [b for b in blocks(ROOT / "ARCHITECTURE.md") if b.kind == "layers"]
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    (checked,) = [each["layers"] for each in contracts if each["type"] == "layers"]

    assert drawn[0].text.splitlines() == checked


def test_every_folder_has_its_place_in_the_architecture() -> None:
    rows = {row[0] for row in table_rows(ROOT / "ARCHITECTURE.md")}
    folders = {path.parent.name for path in (ROOT / "src/ustory").glob("*/__init__.py")}

    assert folders <= rows
