"""Clients of the last release's API go on working."""

from __future__ import annotations

import json
from pathlib import Path

from tests.releases.openapi_changes import breaks
from tests.releases.openapi_document import (
    FILE,
    last_release,
    present,
    write_document,
)

BEFORE_THE_PROMISE = {
    "0.2.0": [
        # mode `paper` has no such numbers, and gave others under these names
        "GET /api/articles/{article}/explanation: 200.meaning may be null, not only "
        "number",
        "GET /api/articles/{article}/explanation: 200.probability may be null, not "
        "only number",
        "GET /api/articles/{article}/explanation: 200.words may be null, not only "
        "number",
        "POST /api/match: 200.matches[].meaning may be null, not only number",
        "POST /api/match: 200.matches[].words may be null, not only number",
    ]
}
"""What changed after a release and before there was a promise; it is in the changelog.

Nothing is added here: what breaks clients is deprecated first.
"""


def test_nothing_that_clients_of_the_last_release_use_has_changed() -> None:
    release, document = last_release()

    found = breaks(document, present())

    assert found == BEFORE_THE_PROMISE.get(release, [])


def test_the_document_that_is_kept_is_that_of_its_release() -> None:
    release, document = last_release()

    assert document["info"]["version"] == release
    assert len(document["paths"]) > 30


def test_a_release_writes_its_document(tmp_path: Path) -> None:
    write_document(tmp_path)

    written = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(present()))
