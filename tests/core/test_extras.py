"""Optional packages are imported when they are needed, or named with their extra."""

from __future__ import annotations

import tomllib
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.parts import ROOT

from ustory.core.errors import MissingExtraError
from ustory.core.extras import MODULES, check_extra, import_extra, missing_extra


def test_a_missing_extra_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'ustory\[colour\]'"):
        import_extra("no_such_package", "the thing", "colour")
    with pytest.raises(MissingExtraError, match="the thing is not installed"):
        check_extra("no_such_package", "the thing", "colour")


def test_an_extra_that_is_there_is_imported() -> None:
    assert import_extra("json", "json", "none").loads("[1]") == [1]
    assert import_extra("xml.dom", "xml", "none").__name__ == "xml.dom"


def test_an_import_that_fails_otherwise_is_not_about_an_extra() -> None:
    assert missing_extra(ModuleNotFoundError(name="ustory.nowhere"), "it") is None
    assert missing_extra(ModuleNotFoundError("no name"), "it") is None


def test_every_package_of_every_extra_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    owners = packages_distributions()
    for extra, texts in project["project"]["optional-dependencies"].items():
        assert extra in MODULES
        for wanted in (canonicalize_name(Requirement(text).name) for text in texts):
            installed = {
                module
                for module, names in owners.items()
                if wanted in map(canonicalize_name, names)
                and not module.startswith("_")
            }
            known = {each for modules in MODULES.values() for each in modules}
            assert not installed or installed & known, wanted
