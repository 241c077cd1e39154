"""Files that nobody but their owner may read: they hold secrets of webhooks."""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

logger = logging.getLogger(__name__)

_OWN = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_BESIDE = ("", "-wal", "-shm")


def make_own(path: Path) -> None:
    """Make an empty file that its owner alone may read; one that is there is kept."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, _OWN))


def keep_own(path: Path) -> None:
    """Make a database its owner's alone, whether it is there already or not.

    SQLite gives the files beside it the same mode. What cannot be changed, because
    it is another's or the disk has no modes, is left as it is.
    """
    path = path.resolve()  # SQLite puts its other files beside the file itself
    if not path.exists():
        with suppress(OSError):  # SQLite says in words why it cannot be made
            make_own(path)
        return
    for ending in _BESIDE:
        _tighten(path.with_name(path.name + ending))


def _tighten(path: Path) -> None:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if not mode & _OTHERS:
            return
        path.chmod(mode & ~_OTHERS)
    except FileNotFoundError:
        return
    except OSError as error:
        logger.warning(
            "%s can be read by others, and that cannot be changed: %s", path, error
        )
        return
    logger.warning(
        "%s could be read by others (mode %o); now by its owner alone", path, mode
    )
