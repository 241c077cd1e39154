"""Average-link clustering of TF-IDF vectors, carried on from slide to slide.

Group-average clustering is what topic detection started from (Yang, Pierce and
Carbonell 1998); it is also what a user would write in an afternoon.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy import sparse

from ustory.core.arrays import Matrix, Vector
from ustory.core.errors import ConfigError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.matching import matched_stories
from ustory_bench.baselines.vectors import sentence_rows, terms, tfidf_rows
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer
from ustory_bench.system import System

Rows: TypeAlias = sparse.csr_array | Matrix
"""One unit row per document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Next to nothing: all this method goes by is the stories in the window."""

    seen: int = 0
    """Articles that were ever linked; a snapshot needs something to write."""


class AverageLink(WindowedDiscoverer[Memory]):
    """Merges whatever has the largest mean cosine, as long as it is large enough.

    Clusters are the live stories, each with its articles in the window, and every
    new article by itself. One rule does the assigning of articles, the forming of
    new stories and the merging of old ones: the two clusters with the highest
    average link become one, until no two reach the threshold. A story is never
    split, so its id is stable.
    """

    memory_type: ClassVar[type] = Memory

    def __init__(
        self,
        settings: Settings,
        rows: Callable[[Sequence[Document]], Rows],
        *,
        threshold: float,
        **others: Any,  # noqa: ANN401 - whatever `rows` was made with
    ) -> None:
        if not _is_number(threshold) or not 0 < threshold <= 1:
            raise ConfigError(
                f"threshold must be above 0 and at most 1, got {threshold!r}; it is "
                "the mean cosine from which clusters are merged"
            )
        super().__init__(settings, threshold=threshold, **others)
        self._rows = rows
        self._threshold = threshold

    def settle(self, turn: Turn[Memory]) -> tuple[Mapping[str, str | None], Memory]:
        """Link new articles and live stories; a lone article is its own story."""
        if not turn.new:
            return turn.story, turn.memory
        clusters = [*turn.members.values(), *([document.id] for document in turn.new)]
        place = {article: row for row, article in enumerate(turn.documents)}
        rows = self._rows(list(turn.documents.values()))
        sums = cosine_sums(rows, [[place[a] for a in each] for each in clusters])
        sizes = np.array([len(each) for each in clusters], dtype=np.float64)
        groups = [
            [article for number in linked for article in clusters[number]]
            for linked in link(sums, sizes, self._threshold)
        ]
        seen = turn.memory.seen + len(turn.new)
        return matched_stories(groups, turn), Memory(seen=seen)


def cosine_sums(rows: Rows, clusters: Sequence[Sequence[int]]) -> Vector:
    """Return the sum of the cosines between every two clusters of rows.

    It is the product of the sums of their rows, so no two articles are compared.
    """
    owner = np.repeat(np.arange(len(clusters)), [len(each) for each in clusters])
    row = np.array([row for each in clusters for row in each], dtype=np.int64)
    member = sparse.csr_array(
        (np.ones(len(row)), (owner, row)), shape=(len(clusters), rows.shape[0])
    )
    if isinstance(rows, sparse.csr_array):
        sparse_sums = member @ rows
        return np.asarray((sparse_sums @ sparse_sums.T).toarray())
    sums = member @ rows.astype(np.float64)
    return np.asarray(sums @ sums.T)


def link(sums: Vector, sizes: Vector, threshold: float) -> list[list[int]]:
    """Return which clusters belong together, by average linkage (UPGMA).

    `sums` are the sums of cosines between clusters, `sizes` how many articles
    each has. Groups and their members are in the order of the clusters; of pairs
    with equal links the first is merged.
    """
    links = sums / np.outer(sizes, sizes)
    np.fill_diagonal(links, -np.inf)
    # A merged cluster is no closer to a third than the closer of its parts was, so
    # those without a partner now will not find one later.
    active = np.flatnonzero((links >= threshold).any(axis=1))
    links, sums = links[np.ix_(active, active)], sums[np.ix_(active, active)]
    size, group = sizes[active], {n: [n] for n in range(len(sizes))}
    while links.size:
        first, second = sorted(divmod(int(links.argmax()), len(links)))
        if links[first, second] < threshold:
            break
        group[active[first]] += group.pop(active[second])
        sums[first] += sums[second]
        sums[:, first] += sums[:, second]
        size[first] += size[second]
        gone = np.isneginf(links[first])
        links[first] = np.where(gone, -np.inf, sums[first] / (size[first] * size))
        links[:, first] = links[first]
        links[second] = links[:, second] = -np.inf
    return [sorted(members) for members in group.values()]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def build_sparse(
    settings: Settings, encoder: Encoder, *, threshold: float, title: float
) -> AverageLink:
    """Return the method on TF-IDF vectors of words and pairs of words."""
    del encoder
    if not _is_number(title) or not 0 < title < np.inf:
        raise ConfigError(
            f"title must be a number above 0, got {title!r}; it is how much more a "
            "word weighs that is in the title too, 1 for no more"
        )

    def rows(documents: Sequence[Document]) -> Rows:
        return tfidf_rows(documents, terms, title=title)

    return AverageLink(settings, rows, threshold=threshold, title=title)


def build_dense(
    settings: Settings, encoder: Encoder, *, threshold: float
) -> AverageLink:
    """Return the method on means of sentence vectors."""
    del encoder  # articles come with their vectors
    return AverageLink(
        settings, sentence_rows, threshold=threshold, vectors="sentences"
    )


_CITATION = (
    "After Y. Yang, T. Pierce, J. Carbonell: A study of retrospective and on-line "
    "event detection, SIGIR 1998 (group-average clustering)"
)
_CHOICES = (
    "One threshold decides on joining, founding and merging, for all streams.",
    "Stories are merged and never split, so that ids are stable; no window is "
    "clustered anew.",
    "Only articles in the window count towards the average, so a story drifts.",
    "A lone article is a story of its own, whose id later articles join.",
    "A merged story keeps the id of its largest part in the window.",
    "Nothing is merged in a slide that brought no article.",
)

SYSTEM = System(
    name="average-link",
    build=build_sparse,
    citation=_CITATION,
    parameters={"threshold": 0.1, "title": 2.0},
    ranges={
        "threshold": (0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.14),
        "title": (1.0, 2.0),
    },
    choices=(
        *_CHOICES,
        "Terms are words and pairs of adjacent words, weighed (1 + ln tf) · "
        "ln(1 + n / df) over the window; over all articles ever seen was worse.",
        "Words of the title weigh twice.",
    ),
)

PSE = System(
    name="average-link-pse",
    build=build_dense,
    citation=_CITATION,
    parameters={"threshold": 0.58},
    ranges={"threshold": (0.45, 0.5, 0.55, 0.58, 0.6, 0.65, 0.7)},
    choices=(*_CHOICES, "An article is the mean of its sentence vectors."),
)
