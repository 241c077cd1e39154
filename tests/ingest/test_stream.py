"""Many sources are one stream: in order of time, each article once."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.protocols import Arrival
from ustory.ingest.problems import Problems
from ustory.ingest.stream import Stream, merge

START = datetime(2024, 3, 1, tzinfo=UTC)
WEEK = timedelta(days=7)


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


def ids(
    *sources: Listed,
    after: dict[str, str] | None = None,
    problems: Problems | None = None,
    horizon: timedelta = WEEK,
    known: dict[str, datetime] | None = None,
) -> list[str]:
    stream = merge(sources, after or {}, problems or Problems(), horizon, known)
    return [arrival.article.id for _, arrival in stream]


def test_sources_are_merged_by_date_and_named() -> None:
    one, two = Listed("one", ("a", 1), ("d", 4)), Listed("two", ("b", 2), ("c", 3))
    stream = list(merge([one, two], {}, Problems(), WEEK))

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
    stream = merge([one, two], {}, Problems(), WEEK)

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
        merge([Listed("one"), Listed("two"), Listed("one")], {}, Problems(), WEEK)


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


@pytest.mark.parametrize(("second", "expected"), [(7, ["a"]), (7.01, ["a", "a"])])
def test_an_id_is_forgotten_behind_the_horizon(
    second: float, expected: list[str]
) -> None:
    #   day 0        day 7  |
    #   a  <- horizon ->  a | a
    source = Listed("one", ("a", 0), ("a", second))

    assert ids(source, problems=Problems("skip")) == expected


def test_what_counts_is_the_first_sighting_not_the_duplicate() -> None:
    source = Listed("one", ("a", 0), ("a", 6), ("a", 8))

    assert ids(source, problems=Problems("skip")) == ["a", "a"]


def test_ids_known_from_before_are_duplicates_too() -> None:
    source = Listed("one", ("a", 5), ("b", 5), ("c", 5))
    problems = Problems("skip")
    known = {"a": day(4), "c": day(-4)}

    assert ids(source, problems=problems, known=known) == ["b", "c"]
    assert problems.counts == {"duplicate-id": 1}


def test_one_wrong_date_far_ahead_does_not_make_memory_grow() -> None:
    source = Listed("one", ("x", 4000), *((f"a{n}", n / 100) for n in range(2000)))
    stream = merge([source], {}, Problems(), WEEK)
    next(stream)

    assert most_remembered(stream) <= 1


def test_memory_is_bounded_by_the_horizon() -> None:
    source = Listed("one", *((f"a{n}", n / 100) for n in range(5000)))
    stream = merge([source], {}, Problems(), timedelta(days=1))

    assert 90 <= most_remembered(stream) <= 102


def most_remembered(stream: Stream) -> int:
    return max(stream.remembered for _ in stream)


sightings = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 20).map(float)), max_size=25
)


@given(sightings, st.integers(0, 8))
def test_duplicates_are_those_of_a_plain_search(
    articles: list[tuple[str, float]], span: int
) -> None:
    kept: list[tuple[str, float]] = []
    for identity, when in articles:
        newest = max([when, *(other for _, other in kept)])
        if not any(i == identity and newest - w <= span for i, w in kept):
            kept.append((identity, when))

    found = ids(
        Listed("one", *articles),
        problems=Problems("skip"),
        horizon=timedelta(days=span),
    )

    assert found == [identity for identity, _ in kept]


@given(sightings, sightings, st.integers(0, 40))
@example([("a", 0.0), ("b", 8.0)], [("a", 0.0)], 2)
def test_a_stream_cut_anywhere_goes_on_as_if_it_had_not_been(
    one: list[tuple[str, float]], two: list[tuple[str, float]], cut: int
) -> None:
    sources = [Listed("one", *one), Listed("two", *two)]
    whole = merge(sources, {}, Problems("skip"), WEEK)
    before = list(islice(whole, cut))
    after = dict(whole.cursors)
    known = {a.article.id: a.article.published_at for _, a in before}

    rest = merge(sources, after, Problems("skip"), WEEK, known)

    assert list(rest) == list(whole)
    assert rest.cursors == whole.cursors
