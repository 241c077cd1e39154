"""Every registered system keeps the contract and says where it is from."""

from __future__ import annotations

import re

import pytest

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.registry import names
from ustory.core.settings import Settings
from ustory.testing import TinyEncoder, check_discoverer
from ustory_bench.runner.tuning import MAX_CONFIGURATIONS, configurations
from ustory_bench.system import System, find_system

SETTINGS, ENCODER = Settings(mode="paper"), TinyEncoder()
SYSTEMS = names("systems")
_YEAR = re.compile(r"\b(19|20)\d\d\b")


def usable(name: str) -> System:
    """Return a system, or skip the test with the command that installs its extra."""
    try:
        system = find_system(name)
        system.make(SETTINGS, ENCODER)
    except MissingExtraError as error:
        pytest.skip(str(error))
    return system


def small(system: System) -> dict[str, int]:
    """Let a story be of two articles: the stream of the contract has small ones."""
    return {"min_articles": 2} if "min_articles" in system.parameters else {}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_registered_system_keeps_the_contract(name: str) -> None:
    system = usable(name)

    check_discoverer(lambda: system.make(SETTINGS, ENCODER, **small(system)))


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_has_its_own_name_and_a_citation_with_a_year(name: str) -> None:
    system = find_system(name)

    assert system.name == name
    assert _YEAR.search(system.citation), system.citation
    assert all(choice.strip().endswith(".") for choice in system.choices)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_range_is_of_a_parameter_and_has_distinct_values(name: str) -> None:
    system = find_system(name)

    assert set(system.ranges) <= set(system.parameters)
    for parameter, values in system.ranges.items():
        assert len(set(values)) == len(values) > 1, parameter
    assert 1 <= len(configurations(system)) <= MAX_CONFIGURATIONS


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_configuration_worth_trying_can_be_built(name: str) -> None:
    system = usable(name)

    for parameters in configurations(system):
        system.make(SETTINGS, ENCODER, **parameters)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_parameter_of_no_system_is_refused_in_words(name: str) -> None:
    system = usable(name)

    with pytest.raises(ConfigError, match=f"{name} has no parameter 'unheard_of'"):
        system.make(SETTINGS, ENCODER, unheard_of=1)


def test_an_unknown_system_is_refused_with_the_list() -> None:
    with pytest.raises(ConfigError, match=r"named 'unheard-of'.*ustory-auto"):
        find_system("unheard-of")
