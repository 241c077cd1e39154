"""Articles that an attacker writes: made of the stories that they are to bend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from ustory.core.article import Article, PreparedArticle
from ustory.engine.prepare import Stopwatch, prepare
from ustory_bench.quality.streams import parts

SPAM = "Buy Zorcoin today and get rich"
MARK = "zorcoin"
"""A word of the attacker's titles that no honest one has."""

LENGTH = 12
"""Sentences of a text that is made of single ones."""
LEAD = 3
WORDS = 40
"""The most frequent words of a story are its keywords here."""

Pool = Sequence[PreparedArticle]
"""Honest articles that an attacker takes sentences from."""
Text = tuple[str, str]
"""A title and a text."""
T = TypeVar("T")

Recipe = Callable[[Pool, Pool, int, Random], Text]
"""How the article of a number is written: of a story, and of another."""


@dataclass(frozen=True, slots=True)
class Forged:
    """Articles of an attacker, without a date and an outlet so far."""

    ready: Sequence[PreparedArticle]

    def sent(
        self, first: int, end: int, at: datetime, outlets: int
    ) -> list[PreparedArticle]:
        """Return those from `first` to `end`, a second apart, of so many outlets."""
        return [
            replace(
                one,
                article=replace(
                    one.article,
                    published_at=at + timedelta(seconds=number),
                    source=f"attacker-{number % outlets}.example",
                ),
            )
            for number, one in enumerate(self.ready[first:end], first)
        ]


def forged(recipe: Recipe, story: Pool, other: Pool, many: int, name: str) -> Forged:
    """Return articles of a recipe; the name decides what is drawn."""
    rng = Random(name)
    texts = [recipe(story, other, number, rng) for number in range(many)]
    start = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
    articles = [
        Article(id=f"~{name}-{n:03}", published_at=start, title=title, text=text)
        for n, (title, text) in enumerate(texts)
    ]
    return Forged(prepare(articles, *parts(), Stopwatch()))


def halves(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return sentences of both stories in turn, under a title of two halves."""
    del number
    text = _mixed(story, other, 0.5, rng)
    one, two = _title(story, rng).split(), _title(other, rng).split()
    title = [*one[: len(one) // 2 + 1], *two[len(two) // 2 :]]
    return " ".join(title), text


def titles(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return two leads under two titles."""
    del number
    one, two = rng.choice(story), rng.choice(other)
    text = [*_body(one)[: LEAD - 1], *_body(two)[: LEAD - 1]]
    return f"{one.article.title} - {two.article.title}", " ".join(text)


def roundup(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return what happened: the leads of three articles of each story."""
    del number
    some = [*_some(story, 3, rng), *_some(other, 3, rng)]
    text = [sentence for one in some for sentence in _body(one)[:LEAD]]
    return f"{some[0].article.title}; {some[-1].article.title}", " ".join(text)


def chain(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return any mixture: a prefix of such articles goes evenly from one to other."""
    share = _even(number)
    title = _title(other if share > 0.5 else story, rng)
    return title, _mixed(story, other, share, rng)


def keywords(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return nothing but the keywords of both stories."""
    del number
    return _stuffed([*_keywords(story), *_keywords(other)], rng)


def spam_leads(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return first sentences of a story under a title of spam."""
    del other, number
    return SPAM, _leads(story, rng)


def spam_keywords(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return the keywords of a story under a title of spam."""
    del other, number
    return SPAM, _stuffed(_keywords(story), rng)[1]


def spam_copies(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return an article of a story under a title of spam."""
    del other, rng
    return SPAM, " ".join(_body(story[number % len(story)]))


def spam_padded(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return first sentences of a story under a title of it, and two words of spam."""
    del other, number
    return f"{_title(story, rng)}: buy Zorcoin", _leads(story, rng)


def shadows(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return most of one article, so that nothing else is as like it."""
    one = story[number % len(story)]
    body = _body(one)
    kept = body[: max(len(body) * 3 // 5, 1)]
    strange = _some(_sentences(other), len(body) - len(kept), rng)
    return one.article.title, " ".join([*kept, *strange])


def other_alone(story: Pool, other: Pool, number: int, rng: Random) -> Text:
    """Return sentences of the other story alone."""
    del story, number
    return _title(other, rng), _mixed(other, other, 1.0, rng)


def _even(number: int) -> float:
    """Return the numbers from 0 to 1 so that any first ones are evenly spread.

    >>> [_even(n) for n in range(5)]
    [0.5, 0.25, 0.75, 0.125, 0.625]
    """
    found, part, left = 0.0, 0.5, number + 1
    while left:
        found, part, left = found + part * (left % 2), part / 2, left // 2
    return found


def mixed(share: float) -> Recipe:
    """Return the recipe of texts with so large a share of the other story."""

    def recipe(story: Pool, other: Pool, number: int, rng: Random) -> Text:
        del number
        title = _title(other if rng.random() < share else story, rng)
        return title, _mixed(story, other, share, rng)

    return recipe


def _mixed(story: Pool, other: Pool, share: float, rng: Random) -> str:
    count = round(LENGTH * share)
    some = [*_some(_sentences(story), LENGTH - count, rng)]
    some += _some(_sentences(other), count, rng)
    rng.shuffle(some)
    return " ".join(some)


def _leads(story: Pool, rng: Random) -> str:
    first = [sentence for one in story for sentence in _body(one)[:LEAD]]
    return " ".join(_some(first, LENGTH, rng))


def _stuffed(words: Sequence[str], rng: Random) -> Text:
    drawn = [rng.choice(words) for _ in range(10 * LENGTH)]
    lines = [" ".join(drawn[i : i + 10]).capitalize() for i in range(0, len(drawn), 10)]
    return lines[0], ". ".join(lines) + "."


def _keywords(story: Pool) -> list[str]:
    count: Counter[str] = Counter()
    for one in story:
        for term, tf in zip(one.counts.terms, one.counts.tf.tolist(), strict=True):
            if " " not in term:
                count[term] += tf
    return sorted(count, key=lambda word: (-count[word], word))[:WORDS]


def _some(from_: Sequence[T], many: int, rng: Random) -> list[T]:
    return rng.sample(list(from_), min(many, len(from_)))


def _sentences(story: Pool) -> list[str]:
    return [sentence for one in story for sentence in _body(one)]


def _body(one: PreparedArticle) -> tuple[str, ...]:
    """Return the sentences of an article, without its title."""
    return one.sentences[1:] if one.article.title else one.sentences


def _title(story: Pool, rng: Random) -> str:
    return rng.choice(story).article.title
