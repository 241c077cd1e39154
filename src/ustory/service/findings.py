"""What an examination of an archive has to say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from ustory.store import Store

Level = Literal["ok", "note", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at, and what to do about it."""

    check: str
    level: Level
    message: str
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """An archive that is looked at."""

    store: Store
    file: Path | None
    """Of SQLite."""
    now: datetime
