"""The articles that make a slide fail are found, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.core.errors import PackageError, StateError, error_text
from ustory.engine.poison import CONTROL, MAX_POISONED, find_poison
from ustory.stories.discovery import Discovery
from ustory.testing import TinyEncoder
from ustory.text.fast import FastPipeline

_NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Panic(BaseException):
    """What a compiled package throws: no Exception."""


def article(number: int, title: str = "Storm in the harbour") -> Article:
    moment = _NOW + timedelta(minutes=number)
    return Article(id=f"a{number}", published_at=moment, title=f"{title} {number}")


def failing_at(bad: set[str]) -> object:
    def attempt(articles: Sequence[Article]) -> None:
        for each in articles:
            if each.id in bad:
                raise Panic(f"at {each.id}")

    return attempt


def well(articles: Sequence[Article]) -> None:
    del articles


@given(st.integers(1, 40), st.sets(st.integers(0, 39)), st.sets(st.integers(0, 39)))
def test_exactly_the_articles_to_blame_are_found(
    many: int, unreadable: set[int], failing: set[int]
) -> None:
    articles = [article(number) for number in range(many)]
    read = failing_at({f"a{number}" for number in unreadable})
    bad = failing_at({f"a{number}" for number in unreadable | failing})

    found = find_poison(articles, read, bad)  # type: ignore[arg-type]

    blamed = {f"a{n}" for n in unreadable | failing} & {each.id for each in articles}
    alone = {f"a{n}" for n in failing - unreadable} & {each.id for each in articles}
    if len(alone) > MAX_POISONED:
        assert found == []
    else:
        assert {each.article.id for each in found} == blamed
        assert all(each.reason.startswith("Panic: at a") for each in found)


def test_nobody_is_blamed_where_a_slide_without_articles_fails() -> None:
    def never(articles: Sequence[Article]) -> None:
        raise ValueError("a bug")

    assert find_poison([article(1)], well, never) == []


def test_nobody_is_blamed_where_nothing_can_be_read() -> None:
    def deaf(articles: Sequence[Article]) -> None:
        if articles:
            raise ValueError("the model is broken")

    assert find_poison([article(1), article(2)], deaf, deaf) == []
    with pytest.raises(ValueError, match="the model is broken"):
        deaf([CONTROL])


def test_nobody_is_blamed_for_what_happens_once() -> None:
    left = [1]

    def shaky(articles: Sequence[Article]) -> None:
        if len(articles) > 1 and left:
            left.pop()
            raise ValueError("a loose cable")

    assert find_poison([article(1), article(2)], shaky, well) == []
    left.append(1)
    assert find_poison([article(1), article(2)], well, shaky) == []


@pytest.mark.parametrize(
    "error",
    [OSError(28, "no space left"), MemoryError(), StateError("x"), KeyboardInterrupt()],
)
def test_a_full_disk_is_raised_and_blamed_on_nobody(error: BaseException) -> None:
    def write(articles: Sequence[Article]) -> None:
        if articles:
            raise error

    with pytest.raises(type(error)):
        find_poison([article(1)], well, write)


def test_a_reason_is_short_and_names_errors_that_are_not_ours() -> None:
    assert error_text(ValueError("a\n b")) == "ValueError: a b"
    assert error_text(PackageError("p", Panic("x" * 999))).startswith("p failed: Panic")
    assert len(error_text(ValueError("x" * 999))) == 300


class Panicky(FastPipeline):
    """Reads everything but poison."""

    name = "panicky"

    def split(self, article: Article) -> tuple[str, ...]:
        """Return the sentences of an article."""
        if "poison" in article.title:
            raise Panic("byte index 12 is not a boundary")
        return super().split(article)


def test_a_discovery_goes_on_without_poison_as_if_it_had_never_come() -> None:
    good = [article(number) for number in range(12)]
    bad = [article(number, "poison") for number in (20, 21)]
    told: list[str] = []
    with_it = Discovery(encoder=TinyEncoder(), pipeline=Panicky())
    with_it.on_poison = lambda poison: told.append(poison.article.id)
    without = Discovery(encoder=TinyEncoder(), pipeline=Panicky())

    for discovery, stream in ((with_it, [*good, *bad]), (without, good)):
        list(discovery.add(stream))
        list(discovery.finish())

    assert told == ["a20", "a21"]
    assert with_it.engine.freeze(with_it.state) == without.engine.freeze(without.state)


def test_a_discovery_that_nobody_asked_to_fails_at_poison() -> None:
    discovery = Discovery(encoder=TinyEncoder(), pipeline=Panicky())
    list(discovery.add([article(1), article(2, "poison")]))

    with pytest.raises(Panic):
        list(discovery.finish())
