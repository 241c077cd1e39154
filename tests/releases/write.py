"""`make release`: what this release writes, kept for the tests of all later ones."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

from tests.releases.databases import write_databases
from tests.releases.kept import RELEASES
from tests.releases.openapi_document import write_document
from tests.releases.states import write_states


def write(folder: Path) -> None:
    """Write the files of this release; those of a release never change."""
    if any(folder.glob("*.sqlite.gz")):
        sys.exit(f"{folder} is there: raise the version in pyproject.toml first")
    write_databases(folder)
    write_states(folder)
    write_document(folder)
    for file in sorted(folder.iterdir()):
        sys.stdout.write(f"{file.stat().st_size:>9,} {file}\n")


if __name__ == "__main__":
    write(RELEASES / version("ustory"))
