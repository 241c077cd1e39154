"""Attacks are measured with more and more articles, and the results are committed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ustory_bench.quality import poison
from ustory_bench.quality.poison import LEVELS, RESULTS, STREAMS

READ = json.loads(RESULTS.read_text(encoding="utf-8"))


def test_one_command_writes_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(poison, "LEVELS", (1, 2, 3, 5))
    monkeypatch.setattr(poison, "COARSE", (5,))
    path = tmp_path / "found.json"

    poison.main(["demo", "--results", str(path), "--name", "trial"])

    found = json.loads(path.read_text(encoding="utf-8"))["trial"]["demo"]
    assert found["pairs"]["unrelated"]
    for recipes in found["attacks"].values():
        for each in recipes.values():
            assert set(each) == {"1", "10"}
            assert all(n in (None, 0, 1, 2, 3, 5) for n in each["1"] + each["10"])


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("version", ["before", "now"])
def test_both_versions_were_attacked_alike(name: str, version: str) -> None:
    each = READ[version][name]
    sizes = [pair["articles"] for some in each["pairs"].values() for pair in some]
    other = READ["now"][name]["pairs"].values()
    assert sizes == [pair["articles"] for some in other for pair in some]
    for recipes in each["attacks"].values():
        for found in recipes.values():
            assert all(n in (None, 0, *LEVELS) for n in found["1"] + found["10"])


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("kind", ["join unrelated", "headline"])
def test_one_outlet_joins_no_unrelated_stories_and_takes_no_headline(
    name: str, kind: str
) -> None:
    for found in READ["now"][name]["attacks"][kind].values():
        assert found["1"] == [None] * len(found["1"])
