"""Many sources as one stream: in order of time, each article once."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, islice

from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival, Source
from ustory.sources.records.cursor import line_of
from ustory.sources.records.identity import derived_id
from ustory.sources.records.problems import Report
from ustory.sources.records.seen import Seen


def merge(
    sources: Sequence[Source],
    after: Mapping[str, str],
    problems: Report,
    seen: Seen,
) -> Stream:
    """Return the articles of all sources, the earliest first, each with its source.

    One article of each source is read ahead. A source keeps its own order even where
    its dates go back; of two articles with one date, that of the earlier source comes
    first. `after` has the cursors to resume from, by source name.

    An article whose id is in `seen` is a problem, not an article.
    """
    names = Counter(source.name for source in sources)
    name, times = names.most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise ConfigError(f"{name} is given {times} times; give each source once")
    streams = [_named(source, after.get(source.name)) for source in sources]
    merged = heapq.merge(*streams, key=lambda pair: pair[1].article.published_at)
    return Stream(merged, after, problems, seen)


def _named(source: Source, after: str | None) -> Iterator[tuple[str, Arrival]]:
    for arrival in source.read(after):
        yield source.name, arrival


class Stream:
    """The articles of several sources, each once, with the cursors to resume from.

    Mutable: it is read once, from front to back.
    """

    def __init__(
        self,
        merged: Iterator[tuple[str, Arrival]],
        after: Mapping[str, str],
        problems: Report,
        seen: Seen,
    ) -> None:
        self._merged = merged
        self._problems = problems
        self._seen = seen
        self.cursors = dict(after)
        """Where each source stands: behind the last article given, and behind the
        duplicates passed over on the way, which no article's own cursor tells."""

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> tuple[str, Arrival]:
        for name, arrival in self._merged:
            self.cursors[name] = arrival.cursor
            article = arrival.article
            first = self._seen.note(article.id, article.published_at)
            if first is None:
                return name, arrival
            self._problems(_duplicate(name, arrival, first))
        raise StopIteration

    def begin(self) -> None:
        """Read the first article of each source, so that a wrong one is refused now."""
        self._merged = chain(list(islice(self._merged, 1)), self._merged)


def _duplicate(name: str, arrival: Arrival, first: datetime) -> InputError:
    article = arrival.article
    same = f"the id {article.id!r} was read before, in an article of"
    advice = "give each article its own id"
    if article.id == derived_id(
        article.url, article.source, article.title, article.text
    ):
        part = "address" if article.id.startswith("u:") else "source, title and text"
        same = f"the article has no id, and the same {part} as an earlier one of"
        advice = "leave one of the two out, or give each an id"
    return InputError(
        "duplicate-id",
        f"{same} {first.isoformat()}; {advice}",
        file=name,
        line=line_of(arrival.cursor),
    )
