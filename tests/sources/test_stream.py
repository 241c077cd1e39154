"""Many sources are one stream: in order of time, each article once."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.sources.merging import HeldArticles, Seen, merge, seen_within
from ustory.sources.records.identity import derived_id
from ustory.sources.records.problems import Problems

START = datetime(2024, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)
WEEK = 7 * DAY


def day(number: float) -> datetime:
    return START + timedelta(days=number)


class Listed:
    """A source of (id, day) pairs that counts what was taken from it."""

    def __init__(self, name: str, *articles: tuple[str, float]) -> None:
        self._name = name
        self._articles = articles
        self.taken = 0

    @property
    def name(self) -> str:
        """Return the name it was given."""
        return self._name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield an article for each pair, the position being the cursor."""
        for number, (identity, when) in enumerate(self._articles, start=1):
            if number > int(after or 0):
                self.taken += 1
                article = Article(id=identity, published_at=day(when), title="T")
                yield Arrival(article, str(number))


def a_week(held: HeldArticles | None = None) -> Seen:
    return seen_within(WEEK, DAY, held)


def ids(
    *sources: Listed,
    after: dict[str, str] | None = None,
    problems: Problems | None = None,
    held: HeldArticles | None = None,
) -> list[str]:
    stream = merge(sources, after or {}, problems or Problems(), a_week(held))
    return [arrival.article.id for _, arrival in stream]


def test_sources_are_merged_by_date_and_named() -> None:
    one, two = Listed("one", ("a", 1), ("d", 4)), Listed("two", ("b", 2), ("c", 3))
    stream = list(merge([one, two], {}, Problems(), a_week()))

    assert [(name, arrival.article.id, arrival.cursor) for name, arrival in stream] == [
        ("one", "a", "1"), ("two", "b", "1"), ("two", "c", "2"), ("one", "d", "2"),
    ]  # fmt: skip


def test_at_one_date_the_earlier_source_comes_first() -> None:
    one, two = Listed("one", ("a", 1), ("b", 1)), Listed("two", ("c", 1), ("d", 1))

    assert ids(one, two) == ["a", "b", "c", "d"]
    assert ids(two, one) == ["c", "d", "a", "b"]


def test_a_source_keeps_its_own_order_where_its_dates_go_back() -> None:
    one, two = Listed("one", ("a", 3), ("b", 1)), Listed("two", ("c", 2), ("d", 4))

    assert ids(one, two) == ["c", "a", "b", "d"]


def test_only_one_article_of_each_source_is_read_ahead() -> None:
    one = Listed("one", *((f"a{n}", n) for n in range(5)))
    two = Listed("two", *((f"b{n}", n + 0.5) for n in range(5)))
    stream = merge([one, two], {}, Problems(), a_week())

    assert (one.taken, two.taken) == (0, 0)
    for _ in range(3):
        next(stream)
    assert (one.taken, two.taken) == (2, 2)


def test_each_source_resumes_behind_its_own_cursor() -> None:
    one, two = Listed("one", ("a", 1), ("d", 4)), Listed("two", ("b", 2), ("c", 3))

    assert ids(one, two, after={"one": "1", "gone": "9"}) == ["b", "c", "d"]


def test_no_source_is_an_empty_stream() -> None:
    assert ids() == []


def test_a_source_may_be_given_only_once() -> None:
    with pytest.raises(ConfigError, match="one is given 2 times"):
        merge([Listed("one"), Listed("two"), Listed("one")], {}, Problems(), a_week())


def test_an_id_seen_before_is_a_problem_with_file_and_line() -> None:
    one, two = Listed("one", ("a", 1)), Listed("two", ("b", 1), ("a", 2))
    problems = Problems("skip")

    assert ids(one, two, problems=problems) == ["a", "b"]
    assert problems.counts == {"duplicate-id": 1}
    with pytest.raises(InputError) as caught:
        ids(one, two)
    assert str(caught.value) == (
        "two, line 2: the id 'a' was read before, in an article of "
        "2024-03-02T00:00:00+00:00; give each article its own id"
    )


def test_a_cursor_that_is_no_number_names_the_source_alone() -> None:
    class Odd(Listed):
        def read(self, after: str | None = None) -> Iterator[Arrival]:
            for arrival in super().read(after):
                yield Arrival(arrival.article, f"etag-{arrival.cursor}")

    with pytest.raises(InputError, match=r"^odd: the id 'a'"):
        ids(Odd("odd", ("a", 1), ("a", 2)))


class Plain(Listed):
    """Brings articles without an id: all with one content, or with one address."""

    url: str | None = None

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles with ids that were derived."""
        for arrival in super().read(after):
            identity = derived_id(self.url, None, "T", "")
            article = replace(arrival.article, id=identity, url=self.url)
            yield Arrival(article, arrival.cursor)


def test_a_duplicate_that_brought_no_id_is_told_what_is_the_same() -> None:
    with pytest.raises(InputError) as caught:
        ids(Plain("plain", ("", 1), ("", 2)))

    assert str(caught.value) == (
        "plain, line 2: the article has no id, and the same source, title and text "
        "as an earlier one of 2024-03-02T00:00:00+00:00; leave one of the two out, or "
        "give each an id"
    )


def test_an_address_that_was_read_before_is_a_new_text_of_its_article() -> None:
    source = Plain("plain", ("", 1), ("", 2))
    source.url = "https://news.example/a"

    assert ids(source) == [derived_id(source.url, None, "", "")] * 2


def test_to_begin_reads_one_article_of_each_source_and_loses_none() -> None:
    one, two = Listed("one", ("a", 1), ("d", 4)), Listed("two", ("b", 2), ("c", 3))
    stream = merge([one, two], {}, Problems(), a_week())
    stream.begin()

    assert (one.taken, two.taken) == (1, 1)
    assert stream.cursors == {}
    assert [arrival.article.id for _, arrival in stream] == ["a", "b", "c", "d"]


def test_ids_known_from_before_are_duplicates_too() -> None:
    source = Listed("one", ("a", 5), ("b", 5), ("c", 5))
    problems = Problems("skip")
    held = HeldArticles(end=day(5), window=(("a", day(4)),), pending=(("c", day(-4)),))

    assert ids(source, problems=problems, held=held) == ["b"]
    assert problems.counts == {"duplicate-id": 2}
