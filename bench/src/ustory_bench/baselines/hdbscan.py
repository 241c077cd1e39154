"""HDBSCAN of each window anew, with story ids matched from window to window."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ustory.core.arrays import Indices, Matrix, Vector
from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.matching import matched_stories
from ustory_bench.baselines.vectors import sentence_rows
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer
from ustory_bench.system import System

SELECTIONS = ("eom", "leaf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """How large the window was: a smaller rest of it is clustered anew."""

    articles: int = 0


class ClusteredWindow(WindowedDiscoverer[Memory]):
    """Whatever knows no stream: the window is clustered anew as it changes."""

    memory_type: ClassVar[type] = Memory

    @abstractmethod
    def labels(self, documents: Sequence[Document]) -> Indices:
        """Return the cluster of each article of the window, -1 for none."""

    def settle(self, turn: Turn[Memory]) -> tuple[Mapping[str, str | None], Memory]:
        """Cluster the window if an article came or went, and match the ids."""
        if not turn.new and len(turn.story) == turn.memory.articles:
            return turn.story, turn.memory
        found = self.labels(list(turn.documents.values()))
        groups = labelled_groups(list(turn.documents), found)
        return matched_stories(groups, turn), Memory(articles=len(turn.documents))


class Hdbscan(ClusteredWindow):
    """Density-based stories of any shape and number (Campello et al. 2013).

    Articles are means of sentence vectors, compared by cosine distance. An
    article that HDBSCAN calls noise has no story.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        min_cluster_size: int,
        min_samples: int,
        selection: str,
        single: bool,
    ) -> None:
        check_whole("min_cluster_size", min_cluster_size, 2)
        check_whole("min_samples", min_samples, 1)
        if selection not in SELECTIONS:
            raise ConfigError(
                f"selection must be one of {', '.join(SELECTIONS)}; got {selection!r}"
            )
        if not isinstance(single, bool):
            raise ConfigError(f"single must be true or false, got {single!r}")
        super().__init__(
            settings,
            min_cluster_size=min_cluster_size,
            min_samples=min_samples,
            selection=selection,
            single=single,
        )
        self._least = max(min_cluster_size, min_samples)
        self._model = _hdbscan()
        self._options = {
            "metric": "precomputed",
            "min_cluster_size": min_cluster_size,
            "min_samples": min_samples,
            "cluster_selection_method": selection,
            "allow_single_cluster": single,
            "copy": False,
        }

    def labels(self, documents: Sequence[Document]) -> Indices:
        """Return HDBSCAN's clusters; too few articles are noise."""
        if len(documents) < self._least:
            return np.full(len(documents), -1)
        distances = cosine_distances(sentence_rows(documents))
        found: Indices = self._model(**self._options).fit_predict(distances)
        return found


def cosine_distances(rows: Matrix) -> Vector:
    """Return 1 - cosine between unit rows, from 0 to 2 and exactly 0 to itself."""
    whole = rows.astype(np.float64)
    distances = np.clip(1 - whole @ whole.T, 0, 2)
    np.fill_diagonal(distances, 0)
    return np.asarray(distances)


def labelled_groups(articles: list[str], labels: Indices) -> list[list[str]]:
    """Return the articles of each label, in order of their first; -1 is noise."""
    groups: dict[int, list[str]] = {}
    for article, label in zip(articles, labels.tolist(), strict=True):
        if label >= 0:
            groups.setdefault(label, []).append(article)
    return list(groups.values())


def check_whole(name: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(
            f"{name} must be a whole number of at least {least}, got {value!r}"
        )


def _hdbscan() -> Callable[..., Any]:
    try:
        from sklearn.cluster import HDBSCAN  # noqa: PLC0415 - heavy, optional
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "", "ustory-bench") from error
    found: Callable[..., Any] = HDBSCAN
    return found


def build(settings: Settings, encoder: Encoder, **parameters: Any) -> Hdbscan:  # noqa: ANN401
    """Return the method; articles come with their vectors."""
    del encoder
    return Hdbscan(settings, **parameters)


SYSTEM = System(
    name="hdbscan",
    build=build,
    citation=(
        "R. Campello, D. Moulavi, J. Sander: Density-based clustering based on "
        "hierarchical density estimates, PAKDD 2013 (scikit-learn's HDBSCAN)"
    ),
    parameters={
        "min_cluster_size": 2,
        "min_samples": 1,
        "selection": "eom",
        "single": True,
    },
    ranges={
        "min_cluster_size": (2, 3, 5),
        "min_samples": (1, 3),
        "selection": SELECTIONS,
        "single": (True, False),
    },
    choices=(
        "HDBSCAN knows no stream: each window is clustered anew, and a cluster takes "
        "the id of the old story with which it shares most articles.",
        "An article is the mean of its sentence vectors, and distance is 1 - cosine.",
        "Noise articles have no story.",
        "Stories of two articles are allowed (min_cluster_size 2), as streams have "
        "many, and all of a window may be one story, as in sparse streams it often is.",
        "Two articles alone in a window are therefore one story.",
        "A window with fewer articles than the smallest cluster has no story.",
    ),
)
