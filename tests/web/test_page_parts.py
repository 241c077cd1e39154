"""The small parts of pages, each by itself."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ustory.core.wording import percent
from ustory.web.models.articles import SentenceOut
from ustory.web.models.stories import ArticleOut, DayOut
from ustory.web.pages.charts import spark_of
from ustory.web.pages.last_visit import LastVisit
from ustory.web.pages.shading import LEVELS, body_of
from ustory.web.pages.story import by_source, fold
from ustory.web.pages.story_history import moves_of

NOW = datetime(2024, 3, 7, 12, tzinfo=UTC)
moments = st.integers(0, 4_000_000_000).map(lambda s: datetime.fromtimestamp(s, UTC))


def _article(name: str, copy_of: str | None = None, source: str = "A") -> ArticleOut:
    return ArticleOut(
        id=name, title=name, url=None, source=source, lang=None, authors=[],
        source_claimed=False, origin="api",
        published_at=NOW, claimed_at=None, date_flag=None, fetched_at=NOW, story="s1",
        how="assigned", confidence=1.0, copy_of=copy_of, edits=0, waiting=False,
    )  # fmt: skip


def _day(number: int, *keywords: str) -> DayOut:
    return DayOut(
        day=date(2024, 3, number),
        articles=1,
        sources=1,
        keywords=list(keywords),
        central=None,
    )


@given(st.text(max_size=60), st.integers(0, 10**9), moments)
def test_any_cookie_is_understood_or_forgotten(
    cookie: str, newest: int, now: datetime
) -> None:
    looked = LastVisit.of(cookie, newest, now)

    assert looked.newest == newest
    assert 0 <= looked.seen <= newest or looked.cookie == cookie


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 600)), min_size=1))
def test_what_counts_as_seen_never_goes_back(
    visits: list[tuple[int, int]],
) -> None:
    event, now, cookie, seen = 0, NOW, None, 0
    for more, minutes in visits:
        event, now = event + more, now + timedelta(minutes=minutes)
        looked = LastVisit.of(cookie, event, now)
        assert seen <= looked.seen <= event
        assert looked.at <= now
        seen, cookie = looked.seen, looked.cookie


def test_a_database_that_was_put_in_place_of_another_begins_anew() -> None:
    before = LastVisit.of(None, 100, NOW)

    assert LastVisit.of(before.cookie, 3, NOW + timedelta(hours=9)).seen == 3


@given(st.lists(st.integers(0, 10_000), max_size=60))
def test_bars_stay_within_their_drawing(counts: list[int]) -> None:
    spark = spark_of(counts)

    assert len(spark.bars) == len(counts)
    for bar in spark.bars:
        assert 0 <= bar.y <= bar.y + bar.height <= spark.height + 0.01
        assert bar.x + spark.bar <= spark.width


def test_words_that_come_go_rise_and_stay_are_told() -> None:
    moves = moves_of(
        [_day(1, "vote", "party", "rain"), _day(2, "vote", "sun"),
         _day(3, "rain", "vote", "count")]
    )  # fmt: skip
    assert moves is not None

    assert moves.words == [
        "throughout: “vote”", "risen: “rain”", "come: “count”", "gone: “party”",
    ]  # fmt: skip
    first, second, third = zip(*moves.rows, strict=True)
    assert [cell.word for cell in first if cell] == ["vote", "party", "rain"]
    assert [cell.move for cell in second if cell] == ["same", "new"]
    assert [(cell.move, cell.by) for cell in third if cell] == [
        ("back", 0), ("down", 1), ("new", 0),
    ]  # fmt: skip


def test_one_day_moves_nothing() -> None:
    assert moves_of([_day(1, "a"), _day(2)]) is None


def test_copies_are_folded_under_what_they_repeat() -> None:
    folded = fold(
        [_article("c2", "o"), _article("x"), _article("o"), _article("c1", "o"),
         _article("far1", "gone"), _article("far2", "gone")]
    )  # fmt: skip
    found = {each.article.id: [copy.id for copy in each.copies] for each in folded}

    assert found == {"x": [], "o": ["c2", "c1"], "far1": ["far2"]}


@given(
    st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 9)), max_size=9)
)
def test_no_article_is_lost_or_doubled_by_folding(
    given: list[tuple[int, int | None]],
) -> None:
    copies = {a: b if b != a else None for a, b in given}
    articles = [
        _article(str(a), None if b is None else str(b)) for a, b in copies.items()
    ]
    folded = fold(articles)
    found = [each.article.id for each in folded]
    found += [copy.id for each in folded for copy in each.copies]

    assert sorted(found) == sorted(article.id for article in articles)
    assert sum(group.count for group in by_source(articles)) == len(articles)


def _sentences(*given: tuple[str, float]) -> list[SentenceOut]:
    return [
        SentenceOut(number=number, text=text, weight=weight)
        for number, (text, weight) in enumerate(given)
    ]


def test_a_text_keeps_its_paragraphs_when_it_is_shaded() -> None:
    sentences = _sentences(
        ("Title", 0.1), ("One.", 0.6), ("Two.", 0.0), ("Three.", 0.3)
    )
    body = body_of("Title", "One. Two.\n\nThree.", sentences)

    assert [[s.text for s in p] for p in body.paragraphs] == [
        ["One.", "Two."],
        ["Three."],
    ]
    levels = [s.level for p in body.paragraphs for s in p]
    assert levels == [LEVELS, 0, 2]
    assert body.title.level == 1
    assert [s.text for s in body.ranked] == ["One.", "Three.", "Title"]


def test_a_text_that_was_changed_since_is_not_shaded() -> None:
    body = body_of("T", "Other words.\nAnd more.", _sentences(("One.", 1.0)))

    assert not body.weighed
    assert [[s.text for s in p] for p in body.paragraphs] == [
        ["Other words."], ["And more."],
    ]  # fmt: skip


def test_a_text_without_weights_is_plain() -> None:
    body = body_of("T", "One.", _sentences(("One.", 0.0)))

    assert not body.weighed
    assert body.paragraphs[0][0].level == 0


@given(st.floats(0, 1))
def test_only_certainty_is_said_to_be_certain(share: float) -> None:
    told = percent(share)

    assert (told == "100 %") == (share == 1)
    assert (told == "0 %") == (share == 0)
