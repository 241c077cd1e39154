"""The house is in order: no file is too long, misplaced or tied to one machine."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.docs.pages import ROOT, name_of, project_files, table_rows

SOURCES = [path for path in project_files() if path.suffix == ".py"]
_FOLDERS_OF_CODE = (ROOT / "src", ROOT / "bench" / "src")
PACKAGE = [
    path for path in SOURCES if any(each in path.parents for each in _FOLDERS_OF_CODE)
]


def _pyproject(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


PYPROJECT = _pyproject(ROOT)
BENCH = _pyproject(ROOT / "bench")
_PIN = re.compile(r"^([a-z0-9.-]+)==([^\s;]+)", re.M)

# written apart, so that this file does not hold what it looks for
_FOLDERS = "|".join(("home", "root", "Users", "work", "opt", "mnt"))
MACHINE_PATH = re.compile(rf"(?<![\w.~>)/-])/(?:{_FOLDERS})/|\b[A-Z]:\\\\?Us" r"ers")
INDEX_HOST = re.compile(
    "py" r"pi\.org|python" r"hosted\.org|--(?:extra-)?in" r"dex-url|--find" "-links"
)


def _pins(name: str) -> set[tuple[str, str]]:
    """Return package and version; a package may have one for each Python."""
    text = (ROOT / "constraints" / f"{name}.txt").read_text(encoding="utf-8")
    return set(_PIN.findall(text))


def _requirements() -> dict[str, list[str]]:
    """Return what both distributions need, by the constraints that must hold it."""
    ours = [*PYPROJECT["project"]["dependencies"]]
    of_bench = [
        text
        for text in BENCH["project"]["dependencies"]
        if Requirement(text).name != "ustory"
    ]
    return {
        "base": [*ours, *PYPROJECT["build-system"]["requires"]],
        "dev": [*ours, *of_bench, *PYPROJECT["dependency-groups"]["dev"]],
    }


@pytest.mark.parametrize("what", [MACHINE_PATH, INDEX_HOST], ids=["path", "index"])
def test_no_file_is_tied_to_one_machine(what: re.Pattern[str]) -> None:
    texts = {
        name_of(p): p.read_bytes().decode("utf-8", "ignore") for p in project_files()
    }
    found = {name: what.search(text) for name, text in texts.items()}

    assert {name: place[0] for name, place in found.items() if place} == {}


def test_there_is_no_lock_file_with_addresses_in_it() -> None:
    assert [name_of(path) for path in project_files() if path.name == "uv.lock"] == []


def test_no_source_file_is_longer_than_400_lines() -> None:
    lengths = {name_of(p): len(p.read_text("utf-8").splitlines()) for p in SOURCES}

    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}


def test_no_module_is_a_drawer_for_everything() -> None:
    drawers = {"utils", "util", "helpers", "helper", "misc", "common", "manager"}

    assert [name_of(path) for path in SOURCES if path.stem in drawers] == []


def test_every_module_says_in_a_sentence_what_it_is() -> None:
    first = {
        name_of(path): (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "\n")
        for path in PACKAGE
    }
    sentence = re.compile(r"\S.*[.?!:)]$", re.M)

    assert [name for name, text in first.items() if not sentence.match(text)] == []


def test_every_command_of_make_has_a_line_of_help() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.M)
    helped = re.findall(r"^([a-z-]+):.*## \S", makefile, re.M)

    assert phony.split() == helped


@pytest.mark.parametrize("name", ["base", "dev", "extras", "models", "uv"])
def test_every_pin_carries_a_hash(name: str) -> None:
    text = (ROOT / "constraints" / f"{name}.txt").read_text(encoding="utf-8")
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.M)[1:]

    assert entries
    assert [
        entry.split()[0] for entry in entries if "--hash=sha256:" not in entry
    ] == []


@pytest.mark.parametrize("name", ["base", "dev"])
def test_the_constraints_meet_what_the_project_asks_for(name: str) -> None:
    pins = _pins(name)

    for text in _requirements()[name]:
        wanted = Requirement(text)
        found = [v for package, v in pins if package == canonicalize_name(wanted.name)]
        assert found, f"{text} is not in constraints/{name}.txt: run make constraints"
        assert all(map(wanted.specifier.contains, found)), f"{text}: {found}"


def test_both_distributions_have_one_version() -> None:
    version = PYPROJECT["project"]["version"]
    needed = [Requirement(text) for text in BENCH["project"]["dependencies"]]

    assert BENCH["project"]["version"] == version
    assert [str(each.specifier) for each in needed if each.name == "ustory"] == [
        f"=={version}"
    ]


@pytest.mark.parametrize("name", ["base", "dev", "extras", "models", "uv"])
def test_the_constraints_pin_other_packages_only(name: str) -> None:
    assert {pin for pin in _pins(name) if pin[0].startswith("ustory")} == set()


def test_lint_types_doctests_and_import_rules_cover_both_distributions() -> None:
    tools = PYPROJECT["tool"]

    assert {"src", "bench/src", "tests"} <= set(tools["ruff"]["src"])
    assert {"src", "bench/src", "tests"} <= set(tools["mypy"]["files"])
    assert {"src", "bench/src"} <= set(tools["pytest"]["ini_options"]["testpaths"])
    assert set(tools["importlinter"]["root_packages"]) == {"ustory", "ustory_bench"}
    assert "exclude" not in {*tools["ruff"], *tools["mypy"]}


def test_test_tools_change_no_version_of_what_users_run() -> None:
    assert _pins("base") <= _pins("dev") <= _pins("extras")


def test_every_dependency_is_accounted_for() -> None:
    rows = {row[0] for row in table_rows(ROOT / "docs" / "dependencies.md")}
    extras = [
        text
        for each in (PYPROJECT, BENCH)
        for texts in each["project"]["optional-dependencies"].values()
        for text in texts
    ]
    asked = {
        canonicalize_name(Requirement(text).name)
        for text in [*_requirements()["base"], *_requirements()["dev"], *extras]
    }

    assert asked - rows == set()


def test_the_runtime_dependencies_are_enough() -> None:
    base = {name for name, _ in _pins("base")}
    known = packages_distributions()
    blocked = {
        module
        for module, owners in known.items()
        if not {canonicalize_name(owner) for owner in owners} & {*base, "ustory"}
    }
    assert "pytest" in blocked
    script = f"""
import importlib, pkgutil, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"{{name}} is not a runtime dependency")

sys.meta_path.insert(0, Blocked())
import ustory
for module in pkgutil.walk_packages(ustory.__path__, "ustory."):
    importlib.import_module(module.name)
from ustory.cli.main import cli
cli(["--help"], prog_name="ustory")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "discover" in done.stdout


def _classes() -> list[tuple[str, str]]:
    """Return every class of the package, with its file."""
    return [
        (node.name, name_of(path))
        for path in PACKAGE
        if (ROOT / "src") in path.parents
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]


def test_every_noun_of_the_table_is_one_class() -> None:
    rows = table_rows(ROOT / "CONTRIBUTING.md")[2:]
    nouns = [row[0] for row in rows]
    found = [name for name, _ in _classes()]

    assert len(nouns) > 20
    assert {noun: found.count(noun) for noun in nouns if found.count(noun) != 1} == {}


def test_no_two_classes_have_one_name() -> None:
    found = [name for name, _ in _classes() if not name.startswith("_")]

    assert {name for name in found if found.count(name) > 1} == set()
