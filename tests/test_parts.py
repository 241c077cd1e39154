"""Every test has exactly one part, and `make test` runs one part whole."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.parts import BY_PATH, PARTS, ROOT, part_of

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
OPTIONS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]


def _recipe(target: str) -> str:
    (found,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.M)
    return str(found)


def test_every_test_of_this_run_has_exactly_one_part(
    request: pytest.FixtureRequest,
) -> None:
    for item in request.session.items:
        parts = {mark.name for mark in item.iter_markers()} & set(PARTS)
        assert part_of(item) in parts, item.nodeid
        assert len(parts - {"slow"}) <= 1, item.nodeid


def test_two_parts_are_refused(request: pytest.FixtureRequest) -> None:
    marked = pytest.Function.from_parent(
        request.node.parent, name="two", callobj=lambda: None
    )
    marked.add_marker("browser")
    marked.add_marker("postgres")

    with pytest.raises(pytest.UsageError, match="is in two parts"):
        part_of(marked)


def test_make_test_deselects_only_tests_that_are_marked() -> None:
    chosen = OPTIONS["pytest"]["ini_options"]["addopts"]

    assert "-m commit " in _recipe("test")
    assert chosen[chosen.index("-m") + 1] == "not slow"
    assert "-m" not in _recipe("test-all").replace("-m tests.warm", "")
    assert '-m "slow or not slow"' in _recipe("test-slow")


def test_the_seed_of_random_examples_is_printed() -> None:
    assert "--hypothesis-profile=random --hypothesis-seed=$(SEED)" in _recipe(
        "test-slow"
    )
    assert "hypothesis seed: $(SEED)" in _recipe("test-slow")


def test_ci_runs_all_parts_in_one_session_and_its_last_line_is_pytest_s() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").split()

    assert lines.count("make") - lines.count("extras") >= 2
    assert "test-all" in lines
    assert _recipe("test-all").count("$(pytest)") == 1
    assert _recipe("test-all").rstrip().endswith("$(pytest)")


def test_every_path_that_has_a_part_is_there() -> None:
    assert [path for path in BY_PATH if not (ROOT / path).exists()] == []
    assert set(BY_PATH.values()) <= set(PARTS)
