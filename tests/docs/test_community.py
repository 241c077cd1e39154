"""The files around the code are there, and agree with the code and each other."""

from __future__ import annotations

import os
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.docs.pages import ROOT, name_of, project_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
YAML = [
    *sorted((ROOT / ".github").rglob("*.yml")),
    ROOT / ".pre-commit-config.yaml",
]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
HOOKS = ["pre-commit", "pre-push"]
EXPECTED = [
    ".ci/run",
    ".githooks/pre-commit",
    ".githooks/pre-push",
    ".github/ISSUE_TEMPLATE/bug.yml",
    ".github/ISSUE_TEMPLATE/config.yml",
    ".github/ISSUE_TEMPLATE/feature.yml",
    ".github/PULL_REQUEST_TEMPLATE.md",
    ".github/workflows/ci.yml",
    ".pre-commit-config.yaml",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "docs/how-to/deprecate.md",
    "docs/how-to/release.md",
    "docs/how-to/upgrade.md",
]


def _read(name: str) -> Any:  # noqa: ANN401 - whatever the file holds
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def _job() -> dict[str, Any]:
    (job,) = _read(".github/workflows/ci.yml")["jobs"].values()
    found: dict[str, Any] = job
    return found


def _checks() -> list[str]:
    """Return the commands of `make check`, each a tool of .venv with arguments."""
    (recipe,) = re.findall(r"^check:.*\n((?:\t.*\n)+)", MAKEFILE, re.M)
    return re.findall(r"\$\(BIN\)/(\S.*)", recipe)


def _git_hook(stage: str) -> list[str]:
    text = (ROOT / ".githooks" / stage).read_text("utf-8")
    found = re.findall(r'^"\$bin/([\w-]+)"(.*) \|\| status=1$', text, re.M)
    return [tool + arguments for tool, arguments in found]


def _pre_commit_hook(stage: str) -> list[str]:
    (local,) = _read(".pre-commit-config.yaml")["repos"]
    return [
        each["entry"].removeprefix(".venv/bin/")
        for each in local["hooks"]
        if each["stages"] == [stage]
    ]


def test_every_file_that_people_look_for_is_part_of_the_project() -> None:
    held = {name_of(path) for path in project_files()}

    assert set(EXPECTED) - held == set()


@pytest.mark.parametrize("path", YAML, ids=name_of)
def test_every_yaml_file_is_a_mapping(path: Path) -> None:
    assert isinstance(_read(name_of(path)), dict)


def test_the_workflow_runs_what_everybody_runs_and_may_only_read() -> None:
    workflow = _read(".github/workflows/ci.yml")
    runs = [step["run"] for step in _job()["steps"] if "run" in step]

    assert runs == ["bash .ci/run"]
    assert workflow["permissions"] == {"contents": "read"}


def test_the_workflow_begins_with_the_oldest_python_that_is_supported() -> None:
    pythons = _job()["strategy"]["matrix"]["python"]
    supported = SpecifierSet(PROJECT["requires-python"])

    assert f">={pythons[0]}" == str(supported)
    assert pythons == sorted(pythons, key=Version)
    assert all(map(supported.contains, pythons))


def test_the_workflow_uses_the_python_of_its_matrix() -> None:
    (setup,) = [s for s in _job()["steps"] if "setup-python" in s.get("uses", "")]
    (run,) = [step for step in _job()["steps"] if "run" in step]

    assert setup["with"] == {"python-version": "${{ matrix.python }}"}
    assert run["env"] == {"PYTHON": "python${{ matrix.python }}"}
    assert re.search(r"^PYTHON \?=", MAKEFILE, re.M), "the environment must win"


@pytest.mark.parametrize("path", FORMS, ids=name_of)
def test_a_form_has_a_name_and_questions_with_labels(path: Path) -> None:
    form = _read(name_of(path))
    questions = [each for each in form["body"] if each["type"] != "markdown"]
    names = [each["id"] for each in questions]

    assert form["name"]
    assert form["description"]
    assert len(set(names)) == len(names) > 0
    assert [each["id"] for each in questions if not each["attributes"]["label"]] == []
    assert [q for q in questions if q.get("validations", {}).get("required")]


def test_what_is_checked_before_a_push_is_what_make_check_checks() -> None:
    for hook in (_git_hook, _pre_commit_hook):
        assert [command for stage in HOOKS for command in hook(stage)] == _checks()


@pytest.mark.parametrize("stage", HOOKS)
def test_both_kinds_of_hooks_check_the_same(stage: str) -> None:
    assert _git_hook(stage) == _pre_commit_hook(stage) != []


@pytest.mark.parametrize("stage", HOOKS)
def test_a_hook_of_git_can_be_run_and_is_switched_on_by_make(stage: str) -> None:
    assert os.access(ROOT / ".githooks" / stage, os.X_OK)
    assert "git config core.hooksPath .githooks\n" in MAKEFILE


def test_every_tool_of_a_hook_comes_with_the_development_tools() -> None:
    pinned = (ROOT / "constraints" / "dev.txt").read_text("utf-8")
    tools = {command.split()[0] for stage in HOOKS for command in _git_hook(stage)}
    packages = {"lint-imports": "import-linter"}
    wanted = {packages.get(tool, tool) for tool in tools}

    assert wanted - set(re.findall(r"^([a-z0-9-]+)==", pinned, re.M)) == set()


def test_hooks_of_pre_commit_download_nothing() -> None:
    (local,) = _read(".pre-commit-config.yaml")["repos"]

    assert local["repo"] == "local"
    assert {each["language"] for each in local["hooks"]} == {"system"}
    assert [h for h in local["hooks"] if "additional_dependencies" in h] == []


def _sections() -> list[tuple[str, str]]:
    heads = re.findall(r"^## (\S+)(?: - (\S+))?$", CHANGELOG, re.M)
    assert len(heads) == len(re.findall(r"^## ", CHANGELOG, re.M))
    return heads


def test_the_changelog_begins_with_what_is_not_released() -> None:
    body = CHANGELOG.partition("\n## Unreleased\n")[2].partition("\n## ")[0]
    headings = re.findall(r"^### (.+)$", body, re.M)

    assert _sections()[0] == ("Unreleased", "")
    assert [h for h in headings if h not in {"Deprecated", "Security"}] == [
        "Added",
        "Changed",
        "Removed",
        "Fixed",
    ]


def test_the_changelog_has_this_version_and_all_before_it_with_their_days() -> None:
    versions = [Version(name) for name, _ in _sections()[1:]]
    days = [date.fromisoformat(day) for _, day in _sections()[1:]]

    assert str(versions[0]) == PROJECT["version"]
    assert versions == sorted(versions, reverse=True)
    assert days == sorted(days, reverse=True)


def test_every_release_that_is_kept_is_in_the_changelog() -> None:
    folders = (ROOT / "tests" / "fixtures" / "releases").iterdir()
    kept = {path.name for path in folders if path.is_dir()}

    assert kept == {name for name, _ in _sections()[1:]}


def test_all_distributions_have_the_same_version() -> None:
    files = [path for path in project_files() if path.name == "pyproject.toml"]
    projects = [tomllib.loads(file.read_text("utf-8"))["project"] for file in files]
    versions = {each["name"]: each["version"] for each in projects}

    assert set(versions.values()) == {PROJECT["version"]}, versions


def test_how_to_report_a_fault_is_said_with_the_versions_that_get_fixes() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")

    assert "Report a vulnerability" in text
    assert "| the newest release | yes |" in text
    assert "(docs/security.md)" in text
    assert "(docs/how-to/upgrade.md)" in text
