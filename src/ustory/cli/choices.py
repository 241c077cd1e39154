"""Settings from the command line: preset, then file, then flags."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.engine.snapshot.states import refuse_other_settings

PRESETS: Mapping[str, Callable[[], Settings]] = {
    "default": Settings,
    "paper": Settings.paper,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the user chose; everything else is left to the preset."""

    preset: str | None = None
    file: Path | None = None
    flags: Mapping[str, Any] = field(default_factory=dict)

    def settings(self) -> Settings:
        """Return the settings of a new run."""
        return self._over(PRESETS[self.preset or "default"]())

    def check_same(self, saved: Settings, where: Path) -> None:
        """Raise StateError when a choice differs from the settings of a saved run."""
        wanted = self.settings() if self.preset else self._over(saved)
        refuse_other_settings(saved, wanted, str(where))

    def _over(self, base: Settings) -> Settings:
        if self.file is not None:
            base = Settings.load(self.file, base)
        return base.with_(self.flags, where="the command line")


def read_flags(named: Mapping[str, Any], pairs: Sequence[str]) -> dict[str, Any]:
    """Return the settings given by flags: `--window 7d` and `--set window=7d` alike."""
    flags = {name: value for name, value in named.items() if value is not None}
    for pair in pairs:
        name, value = _assignment(pair)
        if name in flags:
            raise ConfigError(f"{name} is given twice on the command line; keep one")
        flags[name] = value
    return flags


def _assignment(pair: str) -> tuple[str, Any]:
    """Read NAME=VALUE; the value is written as in TOML, names without quotes.

    >>> _assignment("temperature=1.5"), _assignment("min-articles=none")
    (('temperature', 1.5), ('min_articles', None))
    """
    name, equals, text = (part.strip() for part in pair.partition("="))
    if not equals or not name:
        raise ConfigError(f"--set takes NAME=VALUE, like temperature=2; got {pair!r}")
    if text == "none":
        return name.replace("-", "_"), None
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    return name.replace("-", "_"), value
