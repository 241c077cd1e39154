"""The constants of mode links that decide about stories, and how far each is moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from ustory_bench.quality.altered import Value, value_of

_DIGITS = 6
_NEARER = 0.4
"""Share of a step that is a smaller one."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A constant is divided and multiplied."""

    by: float = 2.0

    def far(self, value: Value) -> tuple[Value, Value]:
        """Return the value divided, and multiplied."""
        return _like(value, value / self.by), _like(value, value * self.by)

    def near(self, value: Value) -> tuple[Value, Value]:
        """Return the same with a smaller factor."""
        return Factor(1 + (self.by - 1) / 4).far(value)


@dataclass(frozen=True, slots=True)
class Step:
    """A constant is moved down and up: half of it would mean nothing."""

    by: float

    def far(self, value: Value) -> tuple[Value, Value]:
        """Return the value less a step, and with one more."""
        return _like(value, value - self.by), _like(value, value + self.by)

    def near(self, value: Value) -> tuple[Value, Value]:
        """Return the same with a smaller step."""
        return Step(self.by * _NEARER).far(value)


Move: TypeAlias = Factor | Step
_DOUBLE = Factor()

_NO_GISTS = "counts with gists alone, which the development streams have none of"

MOVES: Mapping[str, Mapping[str, Move]] = MappingProxyType(
    {
        "prior": {"BASE": Step(0.5), "CONTRAST": _DOUBLE, "USUAL_BEST": _DOUBLE},
        "joining": {
            "ALIKE": Step(0.1),
            "SHORT_TEXTS": _DOUBLE,
            "SMALL_SAMPLE": _DOUBLE,
            "SIZE": _DOUBLE,
            "FEW": Step(1),
            "BY_LINKS": _DOUBLE,
            "LINKS": _DOUBLE,
            "LIKENESS": _DOUBLE,
            "HABIT": _DOUBLE,
            "LEAST": Step(0.5),
            "LEAST_OF_FEW": Step(0.5),
            "UNLINKED": Step(1.0),
            "LOUDEST": _DOUBLE,
            "QUIETEST": _DOUBLE,
            "ENOUGH": _DOUBLE,
        },
        "evidence.words": {
            "BODY": _DOUBLE,
            "BODY_EVEN": _DOUBLE,
            "LEAD": _DOUBLE,
            "LEAD_EVEN": _DOUBLE,
            "HALF": _DOUBLE,
        },
        "evidence.meaning": {
            "MEANING": _DOUBLE,
            "MEANING_EVEN": _DOUBLE,
            "STALE": _DOUBLE,
            "PLAIN": _DOUBLE,
        },
        "evidence.time": {"DOUBT": _DOUBLE, "RARELY": _DOUBLE, "MOST": _DOUBLE},
        "slide": {"YOUNG": _DOUBLE},
        "ids": {"MUCH_SMALLER": Step(0.3)},
        "furniture": {
            "UNLIKE": _DOUBLE,
            "SEEN": Step(1),
            "SHARE": _DOUBLE,
            "LEAST_TERMS": _DOUBLE,
        },
        "sentence_terms": {"LEAD": Step(1), "PHRASE": _DOUBLE},
        "article": {"TITLE": _DOUBLE},
        "outlets": {"FULL": _DOUBLE},
        "telling_apart": {
            "LARGE": _DOUBLE,
            "CLEAR": _DOUBLE,
            "UNLIKE": Step(0.15),
            "PART": Step(2),
        },
        "background": {"HALF_LIFE": _DOUBLE, "COMMON": _DOUBLE},
        "copies": {"COPIED": Step(0.15), "SHORT": _DOUBLE},
        "pairing": {"MIN_LOG_ODDS": Step(1.0), "MAX_LINKS_PER_ARTICLE": _DOUBLE},
        "groups": {"LINK": _DOUBLE, "MARGIN": _DOUBLE},
        "louvain": {"BELONGS": _DOUBLE, "ENOUGH": _DOUBLE},
        "revival": {
            "REVIVED": Step(0.25),
            "USUAL": _DOUBLE,
            "EVEN": _DOUBLE,
            "SHORT": _DOUBLE,
            "MEANING": _DOUBLE,
            "MEANING_EVEN": _DOUBLE,
        },
    }
)
"""By module of `ustory.links` and name."""

STAY: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "prior": {"OUTSIDE": "is of watched subjects, which move no story"},
        "evidence.time": {
            "UNITS": "is the unit that others are counted in",
            "NODES": "is the number of the places",
        },
        "furniture": {
            "MAX_REMEMBERED": "bounds memory",
            "MAX_COMPARED": "bounds time",
            "MAX_CROSSINGS": "bounds time",
        },
        "evidence.meaning": {"BESIDE_GIST": _NO_GISTS},
        "joining": {"NOTHING": "keeps shares finite", "ACROSS": _NO_GISTS},
        "groups": {"ACROSS_LINK": _NO_GISTS},
        "sentence_terms": {"OUTLET_BITS": "is a place in a number"},
        "pairing": {"SMALL": "bounds time, and decides nothing on these streams"},
        "louvain": {
            "GAIN": "is the rounding of sums",
            "MIN_GROUP": "is the size that can be divided at all",
        },
    }
)
"""Constants of the same modules that are not moved, and why."""

TUNED = ("prior", "joining")
"""Modules whose constants were chosen on the development streams."""


def constants(*modules: str) -> list[tuple[str, str]]:
    """Return the constants of some modules that are moved; of all by default."""
    return [
        (module, name)
        for module, moves in MOVES.items()
        if not modules or module in modules
        for name in moves
    ]


def moved(module: str, name: str) -> list[Value]:
    """Return the two values that a constant is moved to."""
    own = value_of(module, name)
    return [each for each in MOVES[module][name].far(own) if each != own]


def grid(module: str, name: str) -> list[Value]:
    """Return the values that are tried for a constant, its own among them."""
    own, move = value_of(module, name), MOVES[module][name]
    return sorted({own, *move.near(own), *move.far(own)})


def _like(kind: Value, value: float) -> Value:
    """Return a value rounded, as a whole number where the constant is one."""
    return round(value) if isinstance(kind, int) else round(value, _DIGITS)
