"""State files of every release are opened, go on, and keep the ids of stories."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.releases.states import MODES, discover, lay_out, lines
from ustory.cli.saved import load_point
from ustory.core.method import METHOD
from ustory.engine.snapshot.states import read_file, writer_of
from ustory.stories.discovery import Discovery

RELEASES = Path(__file__).parents[1] / "fixtures" / "releases"
KEPT = [
    (f.parent, mode) for f in sorted(RELEASES.glob("*/states.json")) for mode in MODES
]


@pytest.fixture(params=KEPT, ids=lambda kept: f"{kept[0].name}-{kept[1]}")
def kept(request: pytest.FixtureRequest) -> tuple[Path, str]:
    """Return the folder of a release, and a mode."""
    found: tuple[Path, str] = request.param
    return found


@pytest.fixture
def expected(kept: tuple[Path, str]) -> dict[str, Any]:
    """Return what the release itself made of the state."""
    folder, mode = kept
    table = json.loads((folder / "states.json").read_text("utf-8"))
    found: dict[str, Any] = table[mode]
    return found


@pytest.fixture
def path(kept: tuple[Path, str], tmp_path: Path) -> Path:
    """Return a state file as the release left it."""
    folder, mode = kept
    place = tmp_path / "news.state"
    place.write_bytes(gzip.decompress((folder / f"{mode}.state.gz").read_bytes()))
    return place


def test_the_first_release_is_among_them() -> None:
    assert {folder.name for folder, _ in KEPT} >= {"0.1.0"}


def test_it_is_opened_with_the_stories_it_had(
    path: Path, expected: dict[str, Any]
) -> None:
    discovery, _ = Discovery.load(path)

    assert discovery.engine.assignments(discovery.state) == expected["articles"]
    assert sorted(discovery.state.stories) == expected["stories"]
    written = writer_of(path)
    assert (written.version, written.method) == (
        expected["release"],
        expected["method"],
    )


def test_the_command_finds_its_own_books_in_it(
    path: Path, expected: dict[str, Any]
) -> None:
    point, settings = load_point(path)

    assert {record.id for record in point.records.live} >= set(expected["stories"])
    assert point.position.cursors
    assert settings.encoder == "tiny"


def settled_in(expected: dict[str, Any]) -> dict[str, str]:
    """Return the stories of articles that their release itself left where they were.

    In mode links later articles may have it think again.
    """
    stays = {a: s for a, s in expected["articles"].items() if s is not None}
    for _, article, story in expected["assignments"]:
        if stays.get(article, story) != story:
            del stays[article]
    return stays


def test_it_goes_on_and_settled_articles_stay_in_their_stories(
    path: Path, kept: tuple[Path, str], expected: dict[str, Any]
) -> None:
    work = path.parent
    _, settings, _ = read_file(path)
    lay_out(work)
    said = discover(work, kept[1])

    assert ("goes on with version" in said) == (expected["method"] != METHOD)
    settled = settled_in(expected)
    seen = [a for a in lines(work / "assignments") if a["article"] in settled]
    assert len(seen) > len(settled) > 10
    for line in seen:
        assert line["story"] == settled[line["article"]]
    _, again, _ = read_file(path)
    assert again == settings


def test_under_the_same_method_it_goes_on_exactly_as_in_its_release(
    path: Path, kept: tuple[Path, str], expected: dict[str, Any]
) -> None:
    if expected["method"] != METHOD:
        pytest.skip(
            f"release {expected['release']} is of version {expected['method']} of the "
            f"method, this is {METHOD}"
        )
    lay_out(path.parent)
    discover(path.parent, kept[1])

    assert lines(path.parent / "events") == expected["events"]
