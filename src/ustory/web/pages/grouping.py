"""Articles of a story under their days or sources, with copies folded away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

from ustory.web.models.stories import ArticleOut
from ustory.web.pages.formatting import long_day

UNNAMED = "No source named"


@dataclass(frozen=True, slots=True)
class Folded:
    """An article and those that repeat its text."""

    article: ArticleOut
    copies: Sequence[ArticleOut] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Articles of one day, or of one source."""

    title: str
    articles: Sequence[Folded]

    @property
    def count(self) -> int:
        """How many there are, copies included."""
        return sum(1 + len(each.copies) for each in self.articles)


def by_day(articles: Iterable[ArticleOut]) -> list[Group]:
    """Return the articles by day, in the order in which they come."""
    return _grouped(fold(articles), _day)


def by_source(articles: Iterable[ArticleOut]) -> list[Group]:
    """Return the articles by source, those with the most first; copies have theirs."""
    alone = [Folded(article) for article in articles]
    groups = _grouped(alone, lambda article: article.source or UNNAMED)
    return sorted(groups, key=lambda group: (-group.count, group.title))


def fold(articles: Iterable[ArticleOut]) -> list[Folded]:
    """Return the articles with copies under the one that they repeat.

    Where that one is not among them, the first copy stands for it.
    """
    given = {article.id: article for article in articles}
    lead: dict[str, str] = {}
    copies: dict[str, list[ArticleOut]] = {}
    for article in given.values():
        text = _original(article.id, given)
        first = lead.setdefault(text, text if text in given else article.id)
        if first != article.id:
            copies.setdefault(first, []).append(article)
    folded = {copy.id for some in copies.values() for copy in some}
    return [
        Folded(article, tuple(copies.get(article.id, ())))
        for article in given.values()
        if article.id not in folded
    ]


def _original(article: str, given: Mapping[str, ArticleOut]) -> str:
    """Return the first of a chain of copies; where they go round, the least of them."""
    chain: list[str] = []
    while article not in chain:
        chain.append(article)
        known = given.get(article)
        if known is None or known.copy_of is None:
            return article
        article = known.copy_of
    return min(chain[chain.index(article) :])


def _grouped(
    articles: Iterable[Folded], title: Callable[[ArticleOut], str]
) -> list[Group]:
    found: dict[str, list[Folded]] = {}
    for each in articles:
        found.setdefault(title(each.article), []).append(each)
    return [Group(name, some) for name, some in found.items()]


def _day(article: ArticleOut) -> str:
    return long_day(article.published_at.astimezone(UTC).date())
