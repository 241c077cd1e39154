"""The OpenAPI documents of releases, as kept and as written."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.releases.kept import RELEASES
from tests.web.conftest import open_service
from ustory.web.app import create_app

FILE = "openapi.json"


def present() -> dict[str, Any]:
    """Return the document of the code as it is."""
    with TemporaryDirectory() as folder:
        service = open_service(Path(folder) / "empty.db")
        try:
            return create_app(service).openapi()
        finally:
            service.store.close()


def last_release() -> tuple[str, dict[str, Any]]:
    """Return the newest release whose document is kept, and the document."""
    files = RELEASES.glob(f"*/{FILE}")
    newest = max(files, key=lambda file: _number(file.parent.name))
    return newest.parent.name, json.loads(newest.read_text(encoding="utf-8"))


def write_document(folder: Path) -> None:
    """Write the document of this release into its folder."""
    text = json.dumps(present(), indent=1, sort_keys=True, ensure_ascii=False)
    (folder / FILE).write_text(f"{text}\n", encoding="utf-8")


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
