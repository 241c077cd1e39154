"""Settings refuse what cannot work, in words."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.core.spans import format_span, parse_span


def test_the_paper_preset_differs_in_mode_and_m_alone() -> None:
    ours = {"mode": "links", "min_articles": None}
    assert Settings.paper().with_(ours) == Settings()
    assert Settings.paper().min_articles == 8
    assert Settings.paper(min_articles=2).min_articles == 2


def test_the_authors_preset_is_the_paper_s_read_otherwise() -> None:
    read = {
        "divergence": "js-root-e",
        "story_span": "window",
        "seed_steps": 300,
        "seed_members": "all",
    }
    assert Settings.authors() == Settings.paper().with_(read)
    assert Settings.authors(min_articles=2).min_articles == 2
    assert Settings.authors(seed_steps=0).seed_steps == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"temperature": 0}, "temperature must be between"),
        ({"temperature": "hot"}, "temperature must be a whole number or a number"),
        ({"keywords": 0}, "keywords must be at least 1"),
        ({"keywords": 2.5}, "keywords must be a whole number"),
        ({"keywords": True}, "keywords must be a whole number"),
        ({"min_articles": 0}, "min_articles must be at least 1"),
        ({"sentences": 0}, "sentences must be at least 1"),
        ({"seed_restarts": 0}, "seed_restarts must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"representation": "Mean"}, "representation must be one of ThemSentMean"),
        ({"initial": "x"}, "initial must be one of"),
        ({"seed_count": "elbow"}, "seed_count must be one of silhouette"),
        ({"story_span": "x"}, "story_span must be one of"),
        ({"seed_members": "some"}, "seed_members must be one of sure, all"),
        ({"seed_members": "all"}, "mode links has no use for it"),
        ({"time_aware": 1}, "time_aware must be true or false"),
        ({"window": "7 years"}, "a window or slide is a duration like 7d"),
        ({"window": "1d", "slide": "7d"}, "must not be longer than window"),
        ({"window": 700}, "must both be durations"),
        ({"slide": 0, "window": 10}, "longer than nothing"),
        ({"pane": "5h"}, "must divide both window"),
        ({"pane": 5}, "must divide both window"),
        ({"wndow": "7d"}, "no setting named 'wndow'"),
    ],
)
def test_what_cannot_work_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Settings().with_(changes)


def test_a_file_fills_the_same_object(tmp_path: Path) -> None:
    file = tmp_path / "news.toml"
    file.write_text('window = "36h"\nslide = "12h"\nkeywords = 5\n', encoding="utf-8")
    settings = Settings.load(file, Settings.paper())
    assert settings.window == timedelta(hours=36)
    assert (settings.keywords, settings.min_articles) == (5, 8)
    assert settings.pane_size == timedelta(hours=12)


@pytest.mark.parametrize("text", ["keywords = ", "colour = 3"])
def test_a_bad_file_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "news.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"news\.toml"):
        Settings.load(file)
    with pytest.raises(ConfigError, match="missing"):
        Settings.load(tmp_path / "missing.toml")


@pytest.mark.parametrize("text", ["7d", "36h", "15m", "30s", "0.5s", "1000001s", "700"])
def test_spans_read_back(text: str) -> None:
    assert parse_span(format_span(parse_span(text))) == parse_span(text)


def test_plain_values_read_back() -> None:
    settings = Settings.paper(window=timedelta(hours=6), slide=timedelta(minutes=15))
    assert Settings().with_(settings.to_dict()) == settings
