"""How all tests run: their parts, and three ways to choose hypothesis's examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.parts import PARTS, part_of

if TYPE_CHECKING:
    from tests.postgres import PostgresServer

# no deadlines: kernels compile
settings.register_profile("all", deadline=None, derandomize=True)
settings.register_profile("fast", settings.get_profile("all"), max_examples=25)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile("all")


def pytest_configure(config: pytest.Config) -> None:
    """Register the parts as markers."""
    for name, meaning in PARTS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test with its part, before `-m` chooses among them."""
    for item in items:
        part = part_of(item)
        if item.get_closest_marker(part) is None:
            item.add_marker(part)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Return the one server of this process, started when a test first needs it."""
    from tests.postgres import running_postgres  # noqa: PLC0415 - heavy

    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session", autouse=True)
def _no_gists() -> Iterator[Callable[[], bool]]:
    """Have no gists unless a test is marked `gists`: their encoder takes seconds.

    So tests, and fixtures of any scope, are the same with and without the extra
    `multilingual`. Yields what says whether it is installed.
    """
    from ustory.encode.gist import is_installed as real  # noqa: PLC0415 - heavy

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ustory.encode.gist.is_installed", lambda: False)
        yield real


@pytest.fixture(autouse=True)
def _gists_are_asked_for(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    _no_gists: Callable[[], bool],
) -> None:
    """Have gists in a test that is marked `gists`."""
    if request.node.get_closest_marker("gists") is not None:
        monkeypatch.setattr("ustory.encode.gist.is_installed", _no_gists)
