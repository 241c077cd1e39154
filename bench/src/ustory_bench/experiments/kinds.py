"""What the systems of a comparison are to each other, as the paper's Table 2 has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ustory.core import registry
from ustory.core.errors import ConfigError

WORDS, OTHER, VARIANT, OURS, ABLATION, FLOOR = (
    "words",
    "other",
    "variant",
    "ours",
    "ablation",
    "floor",
)
"""Baselines on words, baselines that may use vectors, baselines with sentence vectors
instead of their own, our method, parts of it, and what needs no method."""

_ON_WORDS = (
    "constream",
    "newslens",
    "storyforest",
    "miranda",
    "staykovski",
    "average-link",
    "textclust",
)
"""The paper's five first, in its order."""

_OURS = ("ustory", "ustory-auto", "ustory-links")
_ABLATIONS = ("ustory-no-time", "ustory-no-theme", "ustory-no-both")
_OF_A_VARIANT = "-pse"

_WITHOUT_SEED = frozenset(
    name + variant
    for name in ("constream", "miranda", "average-link")
    for variant in ("", _OF_A_VARIANT)
) | {"textclust", "hdbscan", "ustory-links"}


def kind_of(system: str) -> str:
    """Return what a system is; one that is not ours to know may use vectors."""
    if system in _ON_WORDS:
        return WORDS
    if system in _OURS:
        return OURS
    if system in _ABLATIONS:
        return ABLATION
    known = system.removesuffix(_OF_A_VARIANT)
    return VARIANT if known != system and known in _ON_WORDS else OTHER


def needs_encoder(system: str) -> bool:
    """Return whether another encoder may give other stories."""
    return kind_of(system) != WORDS


def needs_seed(system: str) -> bool:
    """Return whether another seed may give other stories."""
    return system not in _WITHOUT_SEED


def in_order(systems: Iterable[str]) -> list[str]:
    """Return systems in the order of tables: baselines, variants, others, ours."""
    variants = [name + _OF_A_VARIANT for name in _ON_WORDS]
    last = [*_OURS, *_ABLATIONS]
    given = list(dict.fromkeys(systems))
    others = sorted(set(given) - {*_ON_WORDS, *variants, *last})
    order = [*_ON_WORDS, *others, *variants, *last]
    return sorted(given, key=order.index)


def chosen(group: str, asked: Sequence[str]) -> list[str]:
    """Return the names asked for, all that are registered where none is."""
    known = registry.names(group)
    for name in asked:
        if name not in known:
            raise ConfigError(
                f"no {group.removesuffix('s')} named {name!r}; try one of: "
                + ", ".join(known)
            )
    return list(dict.fromkeys(asked)) or list(known)
