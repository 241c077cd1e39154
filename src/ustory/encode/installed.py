"""Finds optional packages and the model files inside them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ustory.core.errors import ConfigError, MissingExtraError


class MissingModelError(MissingExtraError):
    """A model whose packages one command of ours installs."""

    def __init__(self, what: str, encoder: str) -> None:
        super().__init__(what, encoder)
        # ImportError prints `msg`, which its own constructor set from the other text
        self.msg = (
            f"{what} is not installed; install it with: {install_command(encoder)}"
        )
        self.args = (self.msg,)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file inside an installed package, known by its SHA-256."""

    package: str
    path: str
    sha256: str


def install_command(encoder: str) -> str:
    """Return the command that installs what `encoder` needs."""
    return f"ustory encoders install {encoder}"


def import_extra(module: str, what: str, extra: str) -> Any:  # noqa: ANN401 - a module
    """Import an optional package, or say how to install it."""
    if find_spec(module) is None:
        raise MissingExtraError(what, extra)
    return import_module(module)


def package_file(package: str, path: str) -> Path | None:
    """Return a file inside an installed package, which is not imported."""
    spec = find_spec(package)
    if spec is None:
        return None
    for folder in spec.submodule_search_locations or ():
        file = Path(folder) / path
        if file.is_file():
            return file
    return None


def verified(model: ModelFile, encoder: str) -> Path:
    """Return where `model` is, once its bytes are the ones we know."""
    file = package_file(model.package, model.path)
    if file is None:
        raise MissingModelError(f"the package {model.package}", encoder)
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != model.sha256:
        raise ConfigError(
            f"{model.path} of the package {model.package} is not the file this encoder "
            f"was made for: its SHA-256 is {found}, not {model.sha256}; "
            f"install the package again with: {install_command(encoder)}"
        )
    return file
