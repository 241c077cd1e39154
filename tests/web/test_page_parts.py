"""The small parts of pages, each by itself."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.wording import percent
from ustory.web.models.articles import Explanation, SentenceOut, StoryName
from ustory.web.models.stories import ArticleOut, DayOut
from ustory.web.pages.charts import spark_of
from ustory.web.pages.last_visit import Looked
from ustory.web.pages.shading import LEVELS, body_of
from ustory.web.pages.story import by_source, fold
from ustory.web.pages.story_history import moves_of
from ustory.web.pages.why import shared_words, why

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
    looked = Looked.of(cookie, newest, now)

    assert looked.newest == newest
    assert 0 <= looked.seen <= newest or looked.cookie == cookie


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 600)), min_size=1))
def test_what_counts_as_seen_never_goes_back(
    visits: list[tuple[int, int]],
) -> None:
    event, now, cookie, seen = 0, NOW, None, 0
    for more, minutes in visits:
        event, now = event + more, now + timedelta(minutes=minutes)
        looked = Looked.of(cookie, event, now)
        assert seen <= looked.seen <= event
        assert looked.at <= now
        seen, cookie = looked.seen, looked.cookie


def test_a_database_that_was_put_in_place_of_another_begins_anew() -> None:
    before = Looked.of(None, 100, NOW)

    assert Looked.of(before.cookie, 3, NOW + timedelta(hours=9)).seen == 3


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


def _name(story: str) -> StoryName:
    return StoryName(id=story, headline=f"About {story}", status="live")


def _explanation(**changes: object) -> Explanation:
    values: dict[str, object] = {
        "article": "a", "title": "T", "published_at": NOW, "story": "s1",
        "how": "assigned", "decided_at": NOW, "best": "s1", "runner_up": "s2",
        "probability": 0.8, "margin": 0.7, "words": 3.2, "meaning": -2.0,
        "evidence": {"words": 3.2, "meaning": -2.0}, "log_odds": 0.05,
        "similarity": None, "cosine": None, "divergence": None,
        "keywords": {"a": 1, "b": 3}, "links": {"x": 0.8},
        "stories": [_name("s1"), _name("s2")],
        "reasons": [], "sentences": [], "decision": {"stories": 7},
    }  # fmt: skip
    return Explanation.model_validate({**values, **changes})


def test_links_are_explained_in_words_with_the_runner_up_behind() -> None:
    told = why(_explanation(), "links")

    assert told.place[0].story == "s1"
    assert (
        told.here[0] == "It very likely tells this story, by its 1 link with "
        "articles of it."
    )
    assert (
        told.here[1] == "This speaks clearly for it by words and speaks against it by "
        "meaning."
    )
    assert told.here[2] == "Of the story's keywords it has “b” and “a”."
    assert told.rival[0].after == ": 10 % against 80 %, far behind."
    bars = [figure.bar for figure in told.figures if figure.bar is not None]
    assert bars[0] > 0 > bars[1]


def test_a_runner_up_that_is_ahead_is_not_said_to_be_behind() -> None:
    told = why(_explanation(margin=-0.1), "links")

    assert "behind" not in told.rival[0].after
    assert "90 % against 80 %" in told.rival[0].after


def test_themes_are_explained_by_their_two_parts() -> None:
    found = _explanation(
        similarity=0.4, cosine=0.5, divergence=0.8, links={}, margin=0.1
    )
    told = why(found, "paper")

    assert "the most similar of 7 stories" in told.here[0]
    assert told.here[1] == "That just passes the bar for joining."
    assert told.rival[0].after == (
        ": a similarity of 0.30 against 0.40, clearly behind."
    )
    assert told.figures[0].value == "0.40"


@pytest.mark.parametrize(
    ("how", "words"),
    [("late", "older than the window"), ("wordless", "no sentence"),
     ("waiting", "asks again")],
)  # fmt: skip
def test_why_an_article_is_nowhere_is_told(how: str, words: str) -> None:
    told = why(_explanation(story=None, how=how, best=None, runner_up=None), "links")

    assert words in told.place[0].words
    assert told.figures == []


def test_an_article_that_waits_names_the_story_that_is_closest() -> None:
    told = why(_explanation(story=None, how="waiting", probability=0.2), "links")

    assert [said.story for said in told.place] == [None, "s1"]
    assert "not enough to join" in told.here[0]


def test_shared_keywords_are_counted_for_both_stories() -> None:
    own = frozenset({"a", "b", "c"})
    keywords = {"s1": ("a", "b", "c", "d"), "s2": ("c", "e")}

    told = shared_words(own, keywords, "s1", "s2")
    assert (
        told == "It has 1 of that story's keywords, such as “c”, and 3 of this one's."
    )
    assert "none" in shared_words(own, {"s2": ("e",)}, "s1", "s2")


@given(st.floats(0, 1))
def test_only_certainty_is_said_to_be_certain(share: float) -> None:
    told = percent(share)

    assert (told == "100 %") == (share == 1)
    assert (told == "0 %") == (share == 0)
