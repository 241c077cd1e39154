"""Workers that are Ray actors, on this machine or all over a cluster."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustory.core.errors import ConfigError
from ustory.core.extras import import_extra
from ustory.core.protocols import Shared
from ustory.engine.executors.packing import pack
from ustory.engine.executors.pool import WorkerLostError, WorkerPool
from ustory.engine.executors.worker_runtime import SINGLE_THREAD_ENV, WorkerRuntime

STORE = 2 << 30
"""Bytes that the object store of a local Ray may take; a cluster has its own rule."""
_TIMEOUT = 10.0
"""Seconds that a cluster may take to answer."""

Block: TypeAlias = NDArray[np.uint8]


class Actor:
    """Runs tasks in a Ray actor."""

    def __init__(self) -> None:
        self._runtime = WorkerRuntime()

    def run(self, work: bytes, stamp: tuple[int, int], places: list[Any]) -> bytes:
        """Return the pickled outcome of a task; `places` refers to the shared value.

        It is in a list, because Ray would fetch an argument for every task.
        """
        return self._runtime.run(work, stamp, lambda: _opened(_ray().get(places[0])))


class RayWorker:
    """An actor, as the driver sees it."""

    def __init__(self, actor: Any) -> None:  # noqa: ANN401 - an untyped package's
        self.actor = actor

    def run(self, work: bytes, shared: Shared[Any]) -> bytes:
        """Return the pickled outcome of a task; raise `WorkerLostError`."""
        ray = _ray()
        stamp = (shared.slide, shared.number)
        try:
            answer: bytes = ray.get(self.actor.run.remote(work, stamp, [shared.held]))
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
            raise WorkerLostError(str(error)) from error
        return answer

    def terminate(self) -> None:
        """End the actor."""
        if _ray().is_initialized():  # or Ray would start once more, to end it
            _ray().kill(self.actor)


class RayExecutor(WorkerPool):
    """Runs tasks in Ray actors.

    Without an address it uses the Ray that this process is connected to, or starts
    one on this machine; with one it joins the cluster that runs there.
    """

    name = "ray"

    def __init__(
        self,
        workers: int | None = None,
        address: str | None = None,
        *,
        store: int = STORE,
    ) -> None:
        if address is None:
            _require_token()
        self._started = not _ray().is_initialized()
        if self._started:
            _connect(workers or os.cpu_count() or 1, address, store)
        room = int(_ray().cluster_resources().get("CPU", 1))
        wanted = workers if workers is not None else room - 1
        super().__init__(wanted if workers is not None else max(wanted, 1))
        self._share = cpu_share(self.workers, room)

    def _start(self) -> RayWorker:
        kind = _ray().remote(Actor)
        options = {
            "num_cpus": self._share,
            "runtime_env": {"env_vars": SINGLE_THREAD_ENV},
        }
        return RayWorker(kind.options(max_restarts=0, **options).remote())

    def _store(self, slide: int, number: int, value: object) -> object:
        """Put a value into the object store, which sends it to each machine once."""
        del slide, number
        pieces = [
            np.frombuffer(piece, dtype=np.uint8) for piece in pack(value) if len(piece)
        ]
        return _ray().put(np.concatenate(pieces))

    def close(self) -> None:
        """End the actors, and Ray if it was started here."""
        super().close()
        if self._started and _ray().is_initialized():
            _ray().shutdown()


def cpu_share(workers: int, cpus: int) -> float:
    """Return the share of a CPU that an actor asks for, so that some are always free.

    If there is no CPU to spare, all actors together ask for half of them: then they
    also fit, however the CPUs are spread over machines.

    >>> cpu_share(2, 4), cpu_share(4, 4), cpu_share(4, 2)
    (1.0, 0.5, 0.25)
    """
    return 1.0 if workers < cpus else max(cpus, 1) / (2 * workers)


def _connect(workers: int, address: str | None, store: int) -> None:
    ray = _ray()
    if address is not None:
        _check_reachable(address)
    # actors take one each, and one stays free
    here = {"num_cpus": workers + 1, "object_store_memory": store}
    options = {} if address is not None else {**here, "include_dashboard": False}
    try:
        ray.init(
            address=address or "local",
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=False,
            **options,
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _no_ray(address or "on this machine", error) from error


def _require_token() -> None:
    """Have the Ray that we start accept this run alone: whoever reaches it runs code.

    Since 2.52, Ray asks for a token if the environment says so when Ray is imported.
    What a user has set there is not changed; the token of a cluster is the user's, in
    the same variables.
    """
    if "RAY_AUTH_MODE" not in os.environ and "ray" not in sys.modules:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _check_reachable(address: str) -> None:
    """Refuse an address where nothing listens: Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not (host and port.isdecimal()):
        return  # such as `auto`, which Ray knows how to find
    try:
        socket.create_connection((host.strip("[]"), int(port)), _TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise _no_ray(address, error) from error


def _no_ray(place: str, error: Exception) -> ConfigError:
    return ConfigError(
        f"cannot connect to Ray {place}: {error}; check that it runs with `ray "
        "status`, or leave --address out to start one here"
    )


def _opened(block: Block) -> memoryview:
    """Return a block of the object store as bytes."""
    return np.asarray(_Open(block)).data


class _Open:
    """A block of the object store, presented as writable.

    Nobody writes to it, but numba would compile every loop a second time for
    read-only arrays.
    """

    def __init__(self, block: Block) -> None:
        self.block = block  # held, or the store may use the memory for something else
        place = block.__array_interface__
        self.__array_interface__ = {**place, "data": (place["data"][0], False)}


def _ray() -> Any:  # noqa: ANN401 - an untyped package
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    return import_extra("ray", "the executor ray", "ray")
