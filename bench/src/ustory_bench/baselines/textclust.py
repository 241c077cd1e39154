"""TextClust: river's one-pass text clustering, kept between slides without pickle."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from math import log
from typing import Any, ClassVar

from ustory.core.errors import ConfigError, MissingExtraError
from ustory.core.protocols import Encoder
from ustory.core.settings import Settings
from ustory_bench.baselines.document import Document
from ustory_bench.baselines.windowed import Turn, WindowedDiscoverer
from ustory_bench.system import System

_LIMITS = {
    "radius": (1.0, "it is the cosine distance below which an article joins"),
    "fading_factor": (100.0, "a weight halves in 1 / fading_factor days"),
    "tgap": (1000.0, "it is the days between two clean-ups"),
}
"""The highest value of each parameter, and what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroCluster:
    """What river knows of one micro-cluster, and the story it is told as."""

    words: Mapping[str, float]
    """Faded weights of its words, in river's order, which decides its sums."""
    weight: float
    time: float
    oldweight: float
    deltaweight: float
    n: int
    story: str | None
    """None when all articles of its story have left the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The whole of river's model but its parameters."""

    clusters: Mapping[int, MicroCluster] = field(default_factory=dict)
    """By river's number, in river's order."""
    counts: Mapping[str, int] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    """River's running counts and numbers, by the name of the attribute."""


class TextClust(WindowedDiscoverer[Memory]):
    """Micro-clusters of river's TextClust as stories (Carnein et al. 2017).

    The model is rebuilt from the memory for each slide and read out after it:
    replaying the window would be slower, and would lose what micro-clusters
    remember of articles that have left it.
    """

    memory_type: ClassVar[type] = Memory

    def __init__(
        self,
        settings: Settings,
        *,
        radius: float,
        fading_factor: float,
        tgap: float,
        words: int,
    ) -> None:
        """Take river's parameters, with time in days, and how many words to use."""
        given = {"radius": radius, "fading_factor": fading_factor, "tgap": tgap}
        for name, value in given.items():
            most, meaning = _LIMITS[name]
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ConfigError(f"{name} must be a number, got {value!r}; {meaning}")
            # without fading ω is 1, and river drops every word it has seen once
            if not 0 < value <= most:
                raise ConfigError(
                    f"{name} must be above 0 and at most {most}, got {value}; {meaning}"
                )
        if isinstance(words, bool) or not isinstance(words, int) or words < 1:
            raise ConfigError(
                f"words must be a whole number above 0, got {words!r}; it is how many "
                "of an article are used"
            )
        self._river = _river()
        # what is remembered has river's own names, which change with its releases
        super().__init__(settings, words=words, river=version("river"), **given)
        self._parameters = given
        self._words = words

    def settle(self, turn: Turn[Memory]) -> tuple[Mapping[str, str | None], Memory]:
        """Let river learn the new articles; a micro-cluster is a story."""
        if not turn.new:
            return turn.story, turn.memory
        model = self._river(**self._parameters, real_time_fading=True)
        told = _Told(turn, _restore(model, turn.memory, turn.members.keys()))
        for document in turn.new:
            told.learn(model, document, observation(document, self._words))
        return told.story, _read_out(model, told.of_cluster)


class _Told:
    """Follows which articles and which stories river's micro-clusters stand for."""

    def __init__(self, turn: Turn[Memory], of_cluster: dict[int, str]) -> None:
        self._turn = turn
        self.story: dict[str, str | None] = dict(turn.story)
        self.of_cluster = of_cluster
        """The live story of each micro-cluster that has one."""

    def learn(
        self,
        model: Any,  # noqa: ANN401 - river's
        document: Document,
        seen: Mapping[str, float],
    ) -> None:
        """Give one article to river, and note what became of it.

        River does not say where an article went: it is the micro-cluster, new or
        old, that counts one article more.
        """
        before = {key: (one, one.n) for key, one in model.micro_clusters.items()}
        # late articles count as of now: river's time must not run backwards
        now = max(document.day, model.t or document.day)
        model.learn_one(seen, t=now)
        absorbed = _absorbed(model)
        found = _grown(before, [*model.micro_clusters, *absorbed])
        if found is None:
            self.story[document.id] = None
        else:
            if found not in self.of_cluster:
                self.of_cluster[found] = self._turn.new_story()
            self.story[document.id] = self.of_cluster[found]
        for gone, into in absorbed.items():
            self._merge(gone, into)

    def _merge(self, gone: int, into: int) -> None:
        """Let the older micro-cluster's story have the articles of the other."""
        old = self.of_cluster.pop(gone, None)
        if old is None:
            return
        new = self.of_cluster.setdefault(into, old)
        if new != old:
            moved = [article for article, story in self.story.items() if story == old]
            self.story.update(dict.fromkeys(moved, new))


def observation(document: Document, words: int) -> dict[str, float]:
    """Return what river learns of an article: 1 + ln tf of its most used words.

    A word counts once more for each time it is in the title or in the lead.
    Words are given in alphabetical order, as river's sums depend on it.
    """
    title, lead = document.title, document.lead
    counts = {
        word: count + title.get(word, 0) + lead.get(word, 0)
        for word, count in document.words.items()
    }
    used = sorted(counts, key=lambda word: (-counts[word], word))[:words]
    return {word: 1 + log(counts[word]) for word in sorted(used)}


def _absorbed(model: Any) -> dict[int, int]:  # noqa: ANN401 - river's
    """Return the micro-clusters just merged into others, and strike them off."""
    found = {}
    for key, cluster in model.micro_clusters.items():
        found.update(dict.fromkeys(cluster.merged_ids, key))
        cluster.merged_ids = []
    return found


def _grown(before: Mapping[int, tuple[Any, int]], now: Sequence[int]) -> int | None:
    """Return the micro-cluster that counts one article more, None if none does."""
    for key in now:
        if key not in before:
            return key
        cluster, n = before[key]
        if cluster.n > n:
            return key
    return None


def _restore(
    model: Any,  # noqa: ANN401 - river's
    memory: Memory,
    live: Collection[str],
) -> dict[int, str]:
    """Put the memory into a new model; return the live story of each cluster."""
    for name, value in (*memory.counts.items(), *memory.numbers.items()):
        setattr(model, name, value)
    for key, one in memory.clusters.items():
        words = {word: {"tf": weight} for word, weight in one.words.items()}
        cluster = model.MicroCluster(words, one.time, one.weight, None, key)
        cluster.oldweight, cluster.deltaweight = one.oldweight, one.deltaweight
        cluster.n = one.n
        model.micro_clusters[key] = cluster
    return {
        key: one.story
        for key, one in memory.clusters.items()
        if one.story is not None and one.story in live
    }


def _read_out(model: Any, of_cluster: Mapping[int, str]) -> Memory:  # noqa: ANN401
    """Return all that river will need again, whatever its names for it are."""
    return Memory(
        clusters={
            key: MicroCluster(
                words={word: float(cell["tf"]) for word, cell in one.tf.items()},
                weight=float(one.weight),
                time=float(one.time),
                oldweight=float(one.oldweight),
                deltaweight=float(one.deltaweight),
                n=one.n,
                story=of_cluster.get(key),
            )
            for key, one in model.micro_clusters.items()
        },
        counts={k: v for k, v in sorted(vars(model).items()) if type(v) is int},
        numbers={k: v for k, v in sorted(vars(model).items()) if type(v) is float},
    )


def _river() -> Any:  # noqa: ANN401 - river has no types
    try:
        from river.cluster import TextClust as River  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingExtraError("river", "", "ustory-bench") from error
    return River


def build(settings: Settings, encoder: Encoder, **parameters: Any) -> TextClust:  # noqa: ANN401
    """Return TextClust; it reads words, so the encoder is not used."""
    del encoder
    return TextClust(settings, **parameters)


SYSTEM = System(
    name="textclust",
    build=build,
    citation=(
        "M. Carnein, D. Assenmacher, H. Trautmann: Stream clustering of chat messages "
        "with applications to Twitch streams, ER 2017; D. Assenmacher, H. Trautmann: "
        "Textual one-pass stream clustering with automated distance threshold "
        "adaption, ACIIDS 2022; as implemented in river"
    ),
    parameters={"radius": 0.62, "fading_factor": 0.3, "tgap": 2.0, "words": 50},
    ranges={
        "radius": (0.5, 0.55, 0.6, 0.62, 0.65, 0.7),
        "fading_factor": (0.1, 0.3, 0.6),
    },
    choices=(
        "A micro-cluster is a story; macro-clusters need the number of stories.",
        "The radius is fixed: the one that river adapts by itself (auto_r) was far "
        "worse where windows are small.",
        "Time is in days since the epoch, and weights fade by it; an article that "
        "comes late counts as of now, as river's time must not run backwards.",
        "River compares all words of all micro-clusters with each article, which suits "
        "chat messages: of an article the 50 words that it uses most are given, and "
        "those of title and lead count again. Twice as many words scored lower.",
        "When river merges two micro-clusters at a clean-up, the story of the older "
        "one goes on; a micro-cluster that fades away leaves its articles their story.",
        "A micro-cluster all of whose articles have left the window goes on, and is a "
        "new story when an article joins it.",
        "River's model is written down between slides and rebuilt, number for number.",
        "Defaults are of the two development streams together.",
    ),
)
