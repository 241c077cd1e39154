"""An address at which no cluster answers is refused at once."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from ustory.core.errors import ConfigError
from ustory.engine.executors.ray import RayExecutor


@pytest.fixture
def silent() -> Iterator[int]:
    """Give a port that is nobody's."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound, but it does not listen
        yield held.getsockname()[1]


@pytest.mark.parametrize("way", ["", "ray://"])
def test_an_address_where_nobody_listens_is_refused(way: str, silent: int) -> None:
    pytest.importorskip("ray", reason="needs the extra ray")
    address = f"{way}127.0.0.1:{silent}"

    with pytest.raises(
        ConfigError, match=f"cannot connect to Ray {address}: .*refused"
    ):
        RayExecutor(1, address)


@pytest.mark.parametrize("port", ["0", "99999"])
def test_a_port_that_cannot_be_is_refused(port: str) -> None:
    pytest.importorskip("ray", reason="needs the extra ray")

    with pytest.raises(ConfigError, match="cannot connect to Ray"):
        RayExecutor(1, f"127.0.0.1:{port}")
