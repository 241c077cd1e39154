from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.encode.installed import (
    MissingModelError,
    ModelFile,
    package_file,
    verified,
)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a package that must not be imported, with a model inside."""
    folder = tmp_path / "packaged_model"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    (folder / "model.bin").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    return folder.name


def test_a_known_file_is_found_without_importing_its_package(package: str) -> None:
    digest = hashlib.sha256(b"weights").hexdigest()

    file = verified(ModelFile(package, "model.bin", digest), "minilm")

    assert file.read_bytes() == b"weights"


def test_a_changed_file_is_refused_with_the_way_out(package: str) -> None:
    with pytest.raises(ConfigError, match="SHA-256") as caught:
        verified(ModelFile(package, "model.bin", "0" * 64), "minilm")

    assert "ustory encoders install minilm" in str(caught.value)


def test_a_missing_package_names_the_exact_command() -> None:
    with pytest.raises(MissingModelError) as caught:
        verified(ModelFile("no_such_package", "model.bin", ""), "minilm")

    assert isinstance(caught.value, MissingExtraError)
    assert str(caught.value) == (
        "the package no_such_package is not installed; install it with: "
        "ustory encoders install minilm"
    )


def test_a_missing_file_is_no_file(package: str) -> None:
    assert package_file(package, "other.bin") is None
    assert package_file("no_such_package", "model.bin") is None
