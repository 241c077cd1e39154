from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.testing import TinyEncoder, check_discoverer
from ustory_bench.own_systems import AUTO, NO_BOTH, NO_THEME, NO_TIME, USTORY
from ustory_bench.system import System, find_system

DAY = timedelta(days=1)
OURS = (USTORY, AUTO, NO_TIME, NO_THEME, NO_BOTH)


def settings_of(system: System, given: Settings, **changes: Any) -> Settings:  # noqa: ANN401
    engine = system.make(given, TinyEncoder(), **changes)
    assert isinstance(engine, Engine)
    # what `auto` stands for is settled by the engine
    assert engine.settings.gist_encoder == "none"
    return replace(engine.settings, gist_encoder=given.gist_encoder)


def test_ustory_is_the_papers_preset() -> None:
    assert settings_of(USTORY, Settings(mode="paper")) == Settings.paper()


def test_auto_is_what_runs_when_nothing_is_set() -> None:
    assert settings_of(AUTO, Settings(mode="paper")) == Settings(mode="paper")
    assert settings_of(AUTO, Settings(mode="paper", min_articles=5)) == Settings(
        mode="paper"
    )


@pytest.mark.parametrize(
    ("system", "time_aware", "theme_aware"),
    [(NO_TIME, False, True), (NO_THEME, True, False), (NO_BOTH, False, False)],
)
def test_an_ablation_is_the_preset_with_a_part_switched_off(
    system: System, time_aware: bool, theme_aware: bool
) -> None:
    expected = Settings.paper(time_aware=time_aware, theme_aware=theme_aware)

    assert settings_of(system, Settings(mode="paper")) == expected


@pytest.mark.parametrize("system", OURS, ids=lambda system: system.name)
def test_window_slide_seed_and_open_choices_are_those_given(system: System) -> None:
    given = Settings(
        mode="paper", window=3 * DAY, slide=DAY / 2, seed=7, divergence="kl"
    )

    found = settings_of(system, given, keywords=3)

    assert (found.window, found.slide) == (given.window, given.slide)
    assert (found.seed, found.divergence, found.keywords) == (7, "kl", 3)


@pytest.mark.parametrize("system", OURS, ids=lambda system: system.name)
def test_each_is_registered_under_its_name_and_cites_the_paper(system: System) -> None:
    assert find_system(system.name) is system
    assert "Yoon" in system.citation
    assert "SIGIR 2023" in system.citation
    assert len(set(system.choices)) == len(system.choices) > 0


def test_the_ranges_are_those_of_the_papers_section_6_1() -> None:
    for system in OURS:
        n, t = system.ranges["keywords"], system.ranges["temperature"]
        assert (n[0], n[-1], t[0], t[-1]) == (1, 15, 1, 5)
    assert {2, 8, 18} <= set(USTORY.ranges["min_articles"])
    assert "min_articles" not in AUTO.parameters


@pytest.mark.parametrize("system", OURS, ids=lambda system: system.name)
def test_pairs_make_stories_under_the_contract(system: System) -> None:
    pairs = {"min_articles": 2} if "min_articles" in system.parameters else {}

    check_discoverer(
        lambda: system.make(Settings(mode="paper"), TinyEncoder(), **pairs)
    )


def test_a_parameter_that_it_does_not_have_is_refused_in_words() -> None:
    with pytest.raises(ConfigError, match="auto has no parameter 'min_articles'"):
        AUTO.make(Settings(mode="paper"), TinyEncoder(), min_articles=2)


def test_a_value_that_cannot_be_is_refused_in_words() -> None:
    with pytest.raises(ConfigError, match="temperature must be between"):
        USTORY.make(Settings(mode="paper"), TinyEncoder(), temperature=0)
