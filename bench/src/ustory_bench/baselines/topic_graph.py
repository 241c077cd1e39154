"""The local topic graph: articles of a window as nodes, its communities as stories."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy import sparse

from ustory.core.arrays import Matrix, Vector
from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory_bench.baselines.communities import check_installed, louvain
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.matching import matched_stories
from ustory_bench.baselines.vectors import document_frequencies, tfidf_rows
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer

Rows: TypeAlias = sparse.csr_array | Matrix | Vector
"""One row per article, or per group of them; those of articles are of unit length."""

SHARED_CHOICES = (
    "The local graph is that of the whole window, drawn anew whenever an "
    "article came or left.",
    "Each connected part of the graph is divided into communities by itself, since "
    "modularity over the whole graph joins small stories; `whole` is the original.",
    "Nodes are visited in order of id, so that the communities do not vary.",
    "Windows overlap in all but one slide: a community goes on as the story with "
    "which it shares most articles, and one that has split off is a new story.",
    "Communities are merged by the cosine of their centroids, the closest first; "
    "stories that left the window are never taken up again.",
    "An article without an edge is a story of its own.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """How large the window was: a smaller rest of it is divided anew."""

    articles: int = 0


class TopicGraph(WindowedDiscoverer[Memory]):
    """What newsLens and Staykovski et al. share; only `draw` differs.

    A slide that changes the window draws the graph of all of it, finds its
    communities, merges those that are alike, and links them to the stories of the
    window before through the articles that the two windows share.
    """

    memory_type: ClassVar[type] = Memory

    def __init__(
        self,
        settings: Settings,
        *,
        merge: float,
        whole: bool,
        **others: Any,  # noqa: ANN401 - the parameters of `draw`
    ) -> None:
        check_number(merge, "merge", "the cosine from which communities are merged")
        if not isinstance(whole, bool):
            raise ConfigError(
                f"whole must be true or false, got {whole!r}; true divides all of the "
                "graph at once, false each connected part by itself"
            )
        check_installed()
        super().__init__(settings, merge=merge, whole=whole, **others)
        self._merge = merge
        self._whole = whole

    @abstractmethod
    def draw(self, documents: Sequence[Document]) -> tuple[sparse.csr_array, Rows]:
        """Return the edges between documents, and the rows that merging compares."""

    def settle(self, turn: Turn[Memory]) -> tuple[Mapping[str, str | None], Memory]:
        """Find the stories of the window anew, unless it is the one before."""
        articles = list(turn.documents)
        if not turn.new and len(articles) == turn.memory.articles:
            return turn.story, turn.memory
        if not articles:
            return {}, Memory()
        edges, rows = self.draw(list(turn.documents.values()))
        found = louvain(articles, edges, seed=self.settings.seed, whole=self._whole)
        groups = merged(found, articles, rows, self._merge)
        return matched_stories(groups, turn), Memory(articles=len(articles))


def at_least(table: sparse.csr_array, least: float) -> sparse.csr_array:
    """Return a table without the entries below `least`: the edges of a graph."""
    cells = sparse.coo_array(table)
    keep = cells.data >= least
    return sparse.csr_array(
        (cells.data[keep], (cells.row[keep], cells.col[keep])), shape=cells.shape
    )


def filtered_rows(
    documents: Sequence[Document], rare: int = 1, common: float = 1.0
) -> sparse.csr_array:
    """Return TF-IDF rows without the words that are too rare or too common.

    Left out are words in fewer than `rare` articles of the window, and those in
    more than the share `common` of them.
    """
    most = common * len(documents)
    kept = {
        word: number
        for word, number in document_frequencies(documents).items()
        if rare <= number <= most
    }
    return tfidf_rows(documents, df=kept, total=len(documents))


def merged(
    groups: Sequence[Sequence[str]],
    articles: Sequence[str],
    rows: Rows,
    threshold: float,
) -> list[list[str]]:
    """Return the groups after merging those whose centroids are alike.

    The two with the highest cosine are merged first, and their common centroid is
    compared from then on, until no cosine reaches the threshold. Groups that have
    nothing in common stay apart whatever the threshold. The order is that of the
    first article; of equal pairs the first is merged.
    """
    place = {article: row for row, article in enumerate(articles)}
    owner = [number for number, group in enumerate(groups) for _ in group]
    row = [place[article] for group in groups for article in group]
    member = sparse.csr_array(
        (np.ones(len(row)), (owner, row)), shape=(len(groups), len(articles))
    )
    sums = np.asarray(member @ rows) if isinstance(rows, np.ndarray) else member @ rows
    left = [list(group) for group in groups]
    for kept, gone in _mergers(_products(sums), threshold):
        left[kept] += left[gone]
        left[gone] = []
    return sorted(sorted(group) for group in left if group)


def _products(sums: Rows) -> Vector:
    if isinstance(sums, np.ndarray):
        return np.asarray(sums @ sums.T, dtype=np.float64)
    return np.asarray((sums @ sums.T).toarray(), dtype=np.float64)


def _mergers(products: Vector, threshold: float) -> list[tuple[int, int]]:
    """Return which group takes in which, in turn; `products` are of their sums."""
    taken = []
    lengths = np.sqrt(products.diagonal())
    cosines = np.triu(_cosines(products, np.outer(lengths, lengths)), 1)
    while cosines.size:
        kept, gone = divmod(int(cosines.argmax()), len(cosines))
        if cosines[kept, gone] < threshold or cosines[kept, gone] <= 0:
            break
        taken.append((kept, gone))
        products[kept] += products[gone]
        products[:, kept] += products[:, gone]
        products[gone] = products[:, gone] = 0
        cosines[gone] = cosines[:, gone] = 0
        lengths = np.sqrt(products.diagonal())
        line = _cosines(products[kept], lengths[kept] * lengths)
        cosines[kept, kept + 1 :] = line[kept + 1 :]
        cosines[:kept, kept] = line[:kept]
    return taken


def _cosines(products: Vector, lengths: Vector) -> Vector:
    """Return the cosines, rounded so that equal ones are equal on every machine."""
    found = np.zeros_like(products)
    np.divide(products, lengths, out=found, where=lengths > 0)
    return np.round(found, 9, out=found)


def check_number(
    value: object, name: str, meaning: str, least: float = 0, most: float = 1
) -> None:
    """Refuse what is not a number between two others, saying what it is for."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{name} must be a number, got {value!r}; it is {meaning}")
    if not least <= value <= most:
        raise ConfigError(
            f"{name} must be from {least} to {most}, got {value}; it is {meaning}"
        )


def check_count(value: object, name: str, meaning: str) -> None:
    """Refuse what is not a whole number of at least one, saying what it is for."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(
            f"{name} must be a whole number of at least 1, got {value!r}; "
            f"it is {meaning}"
        )
