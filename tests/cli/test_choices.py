from __future__ import annotations

from pathlib import Path

import pytest

from ustory.cli.plan import Choices, read_flags
from ustory.core.errors import ConfigError, StateError
from ustory.core.settings import Settings


def test_values_are_read_as_in_toml() -> None:
    pairs = [
        "temperature=1.5",
        "time-aware = false",
        "sentences=5",
        "scoring=bm25l",
    ]

    assert read_flags({"window": "7d", "slide": None}, pairs) == {
        "window": "7d",
        "temperature": 1.5,
        "time_aware": False,
        "sentences": 5,
        "scoring": "bm25l",
    }


def test_none_takes_a_preset_s_choice_back() -> None:
    flags = read_flags({}, ["min_articles=none"])

    assert Choices(preset="paper").settings() == Settings.paper()
    assert Choices(preset="paper", flags=flags).settings() == Settings(mode="paper")


def test_every_preset_has_its_name() -> None:
    assert Choices(preset="default").settings() == Choices().settings() == Settings()
    assert Choices(preset="authors").settings() == Settings.authors()


@pytest.mark.parametrize("pair", ["", "=3", "keywords", " = "])
def test_what_is_no_assignment_is_refused(pair: str) -> None:
    with pytest.raises(ConfigError, match="NAME=VALUE"):
        read_flags({}, [pair])


def test_only_what_is_chosen_must_agree_with_a_saved_run(tmp_path: Path) -> None:
    saved = Settings(mode="paper", keywords=7, temperature=1.5)
    file = tmp_path / "s.toml"
    file.write_text("keywords = 7\n")

    Choices().check_same(saved, file)
    Choices(file=file, flags={"temperature": 1.5}).check_same(saved, file)
    with pytest.raises(StateError, match=r"temperature is 1\.5, not 2\.0"):
        Choices(flags={"temperature": 2.0}).check_same(saved, file)
    with pytest.raises(StateError, match="keywords is 7, not 10"):
        Choices(preset="default").check_same(saved, file)
