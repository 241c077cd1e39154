"""A state file whose books were forged is refused in a line, without a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calls import FAST, Ustory
from tests.engine.mutations import closed, opened


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cursors", "x"),
        ("cursors", {"news.jsonl": 7}),
        ("outputs", {"part.events": -1}),
        ("pending", [{"id": "a"}]),
        ("pending", {"a": 1}),
        ("pending", 7),
        ("stories", [{}]),
        ("stories", [7]),
        ("stale", [7]),
        ("joined", "many"),
        ("skipped", {"bad-date": "x"}),
    ],
)
def test_a_state_with_forged_books_is_refused_in_a_line(
    name: str, value: object, ustory: Ustory, stream: Path
) -> None:
    command = ("discover", stream, *FAST, "--state", "state")
    ustory(*command)
    head, columns = opened(Path("state").read_bytes())
    head["extra"][name] = value
    Path("state").write_bytes(closed(head, columns))

    result = ustory(*command)

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: state does not hold together: ")
    assert len(result.stderr.splitlines()) == 1
