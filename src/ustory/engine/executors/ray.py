"""Workers that are Ray actors, on this machine or all over a cluster."""

from __future__ import annotations

import logging
import os
import pickle
import secrets
import socket
import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.protocols import Shared
from ustory.engine.executors.pool import Pool, WorkerLostError
from ustory.engine.executors.wire import Packed
from ustory.engine.executors.worker_runtime import ALONE, Workplace

STORE = 2 << 30
"""Bytes that the object store of a local Ray may take; a cluster has its own rule."""

_PATIENCE = 10.0
"""Seconds that a cluster may take to answer."""

Block: TypeAlias = NDArray[np.uint8]


class Actor:
    """What runs in an actor: a cache, stamped with the slide that it is of."""

    def __init__(self) -> None:
        self._workplace = Workplace()

    def do(self, work: list[Block], stamp: tuple[int, int], places: list[Any]) -> Block:
        """Return the pickled outcome of a task.

        `work` is its pickle and its arrays; `places` holds where the shared value is.
        """

        def fetch() -> memoryview:
            return _opened(_ray().get(places[0]))

        def task() -> Any:  # noqa: ANN401 - whatever was pickled
            pickled, *arrays = work
            return pickle.loads(pickled.data, buffers=map(_opened, arrays))

        return _block(self._workplace.do(task, stamp, fetch))


class RaySeat:
    """An actor, as the driver sees it."""

    def __init__(self, actor: Any) -> None:  # noqa: ANN401 - an untyped package's
        self.actor = actor

    def ask(self, work: Packed, shared: Shared[Any]) -> memoryview:
        """Return the pickled outcome of a task; raise `WorkerLostError`."""
        ray = _ray()
        stamp = (shared.slide, shared.number)
        try:
            pieces = [_block(work.pickled), *map(_block, work.arrays)]
            # in a list: an actor asks for it only where it does not have it yet
            held = [shared.held]
            answer: Block = ray.get(self.actor.do.remote(pieces, stamp, held))
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
            raise WorkerLostError(str(error)) from error
        return answer.data

    def leave(self) -> None:
        """End the actor."""
        if _ray().is_initialized():  # or Ray would start once more, to end it
            _ray().kill(self.actor)


class RayExecutor(Pool[RaySeat]):
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
            _ask_for_token()
        self._started = not _ray().is_initialized()
        if self._started:
            _connect(workers or os.cpu_count() or 1, address, store)
        room = int(_ray().cluster_resources().get("CPU", 1))
        wanted = workers if workers is not None else room - 1
        super().__init__(wanted if workers is not None else max(wanted, 1))
        self._share = cpu_share(self.workers, room)

    def _start(self) -> RaySeat:
        kind = _ray().remote(Actor)
        options = {"num_cpus": self._share, "runtime_env": {"env_vars": ALONE}}
        return RaySeat(kind.options(max_restarts=0, **options).remote())

    def _keep(self, slide: int, number: int, value: object) -> object:
        """Put a value into the object store, which hands it to each machine once."""
        del number
        packed = Packed.of(value)
        block = np.empty(packed.size, dtype=np.uint8)
        end = 0
        for piece in packed.pieces():
            block[end : end + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
            end += len(piece)
        return _ray().put(block)

    def close(self) -> None:
        """Let the actors go, and Ray if it was started here."""
        super().close()
        if self._started and _ray().is_initialized():
            _ray().shutdown()


def cpu_share(workers: int, cpus: int) -> float:
    """Return how much of a CPU an actor asks for, so that some are always left.

    Where there is no CPU to spare, all actors together ask for half of them: then
    they also fit, however the CPUs are spread over machines.

    >>> cpu_share(2, 4), cpu_share(4, 4), cpu_share(4, 2)
    (1.0, 0.5, 0.25)
    """
    return 1.0 if workers < cpus else max(cpus, 1) / (2 * workers)


def _connect(workers: int, address: str | None, store: int) -> None:
    ray = _ray()
    if address is not None:
        _knock(address)
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


def _ask_for_token() -> None:
    """Have a Ray of our own answer to this run alone: whoever reaches it runs code.

    Ray asks for a token since 2.52, where the environment says so when it is
    imported. What a user says there is left as it is; a cluster's token is the user's,
    in the same variables.
    """
    if "RAY_AUTH_MODE" not in os.environ and "ray" not in sys.modules:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _knock(address: str) -> None:
    """See that somebody is there: Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not (host and port.isdecimal()):
        return  # such as `auto`, which Ray knows how to find
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise _no_ray(address, error) from error


def _no_ray(where: str, error: Exception) -> ConfigError:
    return ConfigError(
        f"cannot connect to Ray {where}: {error}; see that it runs with `ray "
        "status`, or leave --address out to start one here"
    )


def _block(content: bytes | memoryview) -> Block:
    """Return bytes as Ray moves them with the fewest copies: as an array."""
    return np.frombuffer(content, dtype=np.uint8)


def _opened(block: Block) -> memoryview:
    """Return a block of the object store as bytes."""
    return np.asarray(_Open(block)).data


class _Open:
    """A block of the object store as if it could be written to.

    Nobody writes to it, but compiled loops would be compiled a second time for arrays
    that cannot be written to.
    """

    def __init__(self, block: Block) -> None:
        self.block = block  # held, or the store may use the memory for something else
        place = block.__array_interface__
        self.__array_interface__ = {**place, "data": (place["data"][0], False)}


def _ray() -> Any:  # noqa: ANN401 - an untyped package
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray  # noqa: PLC0415 - heavy, optional
    except ImportError as error:
        raise MissingExtraError("the executor ray", "ray") from error
    return ray
