"""An id is taken as long as the engine holds an article of it, and no longer.

Slides are days and the window is three days; a letter is an article on its day.

    day          0  1  2  3  4  5
                 a  .  .  a                 the window of day 2 still holds a
                 a  .  .  .  a              that of day 3 does not
                          b  .              day 3 is open
                 a' a'                      late, and both in the slide of day 3
"""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.core.spans import Span
from ustory.sources.merging import HeldArticles, Seen, seen_within
from ustory.stories.discovery import Discovery
from ustory.testing import TinyEncoder

DAY = timedelta(days=1)
START = datetime(2024, 3, 1, tzinfo=UTC)

Sighting = tuple[str, float]


def day(number: float) -> datetime:
    return START + number * DAY


def let_through(seen: Seen, sightings: list[Sighting]) -> list[Sighting]:
    return [(i, when) for i, when in sightings if seen.note(i, day(when)) is None]


@pytest.mark.parametrize(
    ("sightings", "new"),
    [
        ([("a", 0.5), ("a", 0.6)], [True, False]),
        ([("a", 0.5), ("a", 3.9)], [True, False]),
        ([("a", 0.5), ("a", 4.0)], [True, True]),
        ([("a", 0.5), ("a", 3.9), ("a", 4.0)], [True, False, True]),
        ([("b", 30.5), ("a", 0.5), ("a", 0.5)], [True, True, False]),
        ([("b", 30.5), ("a", 0.5), ("c", 31), ("a", 0.5)], [True, True, True, True]),
    ],
)
def test_an_id_is_taken_until_its_slide_and_the_windows_it_is_in_are_over(
    sightings: list[Sighting], new: list[bool]
) -> None:
    seen = seen_within(3 * DAY, DAY)

    assert [seen.note(i, day(when)) is None for i, when in sightings] == new


def test_a_duplicate_moves_nothing_on() -> None:
    seen = seen_within(3 * DAY, DAY)
    sightings = [("a", 0.5), ("b", 1.5), ("b", 4.5), ("a", 3.5)]

    assert let_through(seen, sightings) == [("a", 0.5), ("b", 1.5)]


def test_articles_in_a_resumed_run_are_late_by_its_last_slide() -> None:
    seen = seen_within(3 * DAY, DAY, HeldArticles(end=day(9)))
    sightings = [("a", 0.5), ("b", 9.5), ("a", 0.5)]

    assert let_through(seen, sightings) == [("a", 0.5), ("b", 9.5)]


@pytest.mark.parametrize(("window", "slide"), [(3 * DAY, DAY), (300, 100)])
def test_memory_is_bounded_by_the_window(window: Span, slide: Span) -> None:
    seen = seen_within(window, slide)
    most = 0
    for number in range(5000):
        seen.note(str(number), day(number / 100))
        most = max(most, len(seen))

    assert 300 < most <= 400


def test_a_wrong_date_far_ahead_moves_nothing_on() -> None:
    seen, without = seen_within(3 * DAY, DAY), seen_within(3 * DAY, DAY)
    seen.note("x", day(4000))
    for number in range(2000):
        seen.note(str(number), day(number / 100))
        without.note(str(number), day(number / 100))
    seen.note("y", day(4001))

    assert len(seen) == len(without) + 1 <= 401
    assert seen.note("1990", day(19.95)) == day(19.9)


def test_a_wrong_date_hides_no_double() -> None:
    kept = [("c", 0.0), ("a", 0.5), ("a", 8.0), ("d", 1.0)]
    discovery = Discovery(Settings(window=3 * DAY, slide=DAY), encoder=TinyEncoder())

    slides = [*discovery.add(articles(kept)), *discovery.finish()]

    assert sum(len(each.slide.articles) for each in slides) == 3
    assert discovery.doubles == 1


def test_a_window_by_number_keeps_what_was_published_last_of_its_oldest_slide() -> None:
    # The slide a b c d, by date d c b a; of it, a window of 6 keeps the last two.
    sightings = [("a", 4.0), ("b", 3.0), ("c", 2.0), ("d", 1.0)]
    rest = [(letter, 5.0) for letter in "efgh"]
    seen = seen_within(6, 4)

    assert let_through(seen, [*sightings, *rest]) == [*sightings, *rest]
    assert let_through(seen, [("a", 9.0), ("b", 9.0)]) == []
    assert let_through(seen, [("c", 9.0), ("d", 9.0)]) == [("c", 9.0), ("d", 9.0)]


def test_a_window_by_time_has_no_slides_by_number() -> None:
    with pytest.raises(ConfigError, match="both"):
        seen_within(3 * DAY, 7)


sightings = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(0, 40).map(lambda n: n / 4)),
    max_size=25,
)
sizes = st.sampled_from([(3 * DAY, DAY), (5 * DAY, 2 * DAY), (4, 2), (5, 3)])


def articles(found: list[Sighting]) -> list[Article]:
    return [Article(id=i, published_at=day(when), title="T") for i, when in found]


@settings(max_examples=30)
@given(sightings, sizes)
@example([("b", 10.0), ("a", 0.0), ("a", 0.0)], (3 * DAY, DAY))
@example([("a", 0.0), ("b", 8.0), ("a", 8.0)], (3 * DAY, DAY))
def test_what_is_let_through_never_meets_its_double_in_the_engine(
    found: list[Sighting], size: tuple[Span, Span]
) -> None:
    window, slide = size
    kept = let_through(seen_within(window, slide), found)
    discovery = Discovery(Settings(window=window, slide=slide), encoder=TinyEncoder())

    slides = [*discovery.add(articles(kept)), *discovery.finish()]

    # none was refused; a wrong date may hide that two are of one id
    assert sum(len(each.slide.articles) for each in slides) == (
        len(kept) - discovery.doubles
    )


@settings(max_examples=30)
@given(sightings, sizes, st.integers(0, 25))
@example([("a", 0.0), ("b", 8.0), ("a", 0.0)], (3 * DAY, DAY), 2)
def test_a_run_cut_anywhere_goes_on_as_if_it_had_not_been(
    found: list[Sighting], size: tuple[Span, Span], cut: int
) -> None:
    window, slide = size
    whole = let_through(seen_within(window, slide), found)
    seen = seen_within(window, slide)
    before = let_through(seen, found[:cut])
    discovery = Discovery(Settings(window=window, slide=slide), encoder=TinyEncoder())
    list(discovery.add(articles(before)))
    records = discovery.state.records.values()
    held = HeldArticles(
        end=discovery.state.end,
        window=tuple(
            (record.id, record.published_at)
            for record in sorted(records, key=lambda r: (r.pane, r.published_at, r.id))
        ),
        pending=tuple((a.id, a.published_at) for a in discovery.pending),
    )

    rest = let_through(seen_within(window, slide, held), found[cut:])

    assert before + rest == whole
