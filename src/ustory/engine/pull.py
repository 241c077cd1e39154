"""How strongly a story pulls an article, and how likely the article is of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ustory.links.pairing import MAX_LINKS_PER_ARTICLE
from ustory.links.state import LinkState

MAX_LINKS_NAMED = 5
"""Links that a decision names, the strongest first."""

PLACED = -2.75
"""Log-odds of an article in the story that it was put into, before all else."""

STRONGEST = 0.5
"""How much the log-odds of its strongest links count."""

NUMBER = 0.5
"""How much the logarithm of the number of its links counts."""

SHARE = 3.5
"""What is added where it has links with all texts of the story."""

SAME_TEXT = 0.98
"""What a text that is the same counts as, and stronger links: labels tell some copies
apart."""


@dataclass(frozen=True, slots=True)
class Pull:
    """How strongly the articles of a story pull one article."""

    story: str
    probability: float
    """The mean of the strongest links: that the article belongs to the story, as
    long as nothing else puts it there."""
    linked: int = 0
    """Texts of the story that the article is linked with."""
    texts: int = 0
    """Different texts of the story, other than the article's own."""
    evidence: Mapping[str, float] = field(default_factory=dict)
    """Log-odds of the strongest links by each evidence, on average."""
    links: Mapping[str, float] = field(default_factory=dict)
    """The strongest linked articles, with the probability of each."""


def belonging(pull: Pull) -> float:
    """Return how likely an article is of the story that it was put into.

    A story is found by all links between its articles. So an article that has links
    with many of its texts is more likely of it than these links say by themselves, and
    one that has links with few of them is less likely.
    """
    strongest = min(max(pull.probability, 1 - SAME_TEXT), SAME_TEXT)
    texts = min(max(pull.texts, 1), MAX_LINKS_PER_ARTICLE)
    odds = (
        PLACED
        + STRONGEST * math.log(strongest / (1 - strongest))
        + NUMBER * math.log(pull.linked)
        + SHARE * min(pull.linked / texts, 1.0)
    )
    return 1 / (1 + math.exp(-odds))


def with_same_text(pull: Pull, others: Sequence[str]) -> Pull:
    """Return the pull of a story that has articles with the very same text."""
    return replace(
        pull,
        probability=1.0,
        linked=pull.linked + 1,
        texts=pull.texts + 1,
        links=dict.fromkeys(others[:MAX_LINKS_NAMED], 1.0),
    )


def same_texts(link: LinkState) -> dict[str, tuple[str, ...]]:
    """Return the articles that share a text, the original first, by each of them."""
    name = {article.serial: article.id for article in link.articles.values()}
    groups: dict[int, list[str]] = {}
    for copy, original in sorted(link.copies.items()):
        groups.setdefault(original, [name[original]]).append(name[copy])
    return {each: tuple(group) for group in groups.values() for each in group}


def texts_of(link: LinkState) -> Counter[str]:
    """Return how many different texts each story has."""
    return Counter(
        link.story[article.id]
        for article in link.articles.values()
        if article.id in link.story and article.serial not in link.copies
    )
