"""A method that can be compared: how to make it, what to tune, where it is from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ustory.core import registry
from ustory.core.errors import ConfigError
from ustory.core.protocols import Discoverer, Encoder
from ustory.core.settings import Settings

Parameter: TypeAlias = float | int | str | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One line of a comparison. Found by name under `ustory.systems`."""

    name: str
    build: Callable[..., Discoverer[Any]]
    """`build(settings, encoder, **parameters)`: settings give W, S and the seed."""
    citation: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """What can be tuned, with the defaults."""
    ranges: Mapping[str, Sequence[Parameter]] = field(default_factory=dict)
    """Values worth trying of each, in the ranges of the paper's Sec. 6.1."""
    choices: Sequence[str] = ()
    """Where the unsupervised, online setting forced a choice, a sentence each."""

    def make(
        self, settings: Settings, encoder: Encoder, **changes: Parameter
    ) -> Discoverer[Any]:
        """Return the method with some parameters changed; unknown ones are refused."""
        unknown = sorted(changes.keys() - self.parameters.keys())
        if unknown:
            raise ConfigError(
                f"{self.name} has no parameter {unknown[0]!r}; it has: "
                + (", ".join(sorted(self.parameters)) or "none")
            )
        return self.build(settings, encoder, **{**self.parameters, **changes})


def find_system(name: str) -> System:
    """Return the system registered under a name."""
    found: System = registry.find("systems", name)
    return found
