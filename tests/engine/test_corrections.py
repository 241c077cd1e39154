"""A corrected article is linked anew, once, and counted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache

import pytest

from tests.engine.correcting import ALONE, CUP, DAY, QUAKE, START
from tests.engine.sameness import assert_same
from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import InputError
from ustory.core.settings import Settings
from ustory.core.story import Event, Slide
from ustory.engine.corrections import readable
from ustory.engine.online import Engine
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.state import State
from ustory.engine.state_changes import Withdrawn
from ustory.testing.parts import TinyEncoder
from ustory.text.fast import FastPipeline

SETTINGS = Settings(encoder="tiny")


@cache
def pipeline() -> FastPipeline:
    return FastPipeline()


def ready(name: str, text: str, hours: float, title: str = "") -> PreparedArticle:
    """Return an article that was published so many hours after the start."""
    article = Article(
        id=name,
        published_at=START + timedelta(hours=hours),
        title=title,
        text=text,
        url=f"https://news.example/{name}",
        source=name,
        lang="en",
    )
    (prepared,) = prepare([article], pipeline(), TinyEncoder(), Stopwatch())
    return prepared


def of(texts: Sequence[str], name: str, hours: float) -> list[PreparedArticle]:
    return [ready(f"{name}{i}", each, hours + i) for i, each in enumerate(texts)]


FIRST = Slide(end=START + DAY, articles=[*of(QUAKE[:3], "q", 1), *of(CUP[:3], "c", 5)])


def after(
    *slides: Slide, settings: Settings = SETTINGS
) -> tuple[Engine, State, Sequence[Event]]:
    """Return the engine, the state after the slides, and the events of the last."""
    engine = Engine(settings, TinyEncoder())
    state = engine.begin()
    events: Sequence[Event] = ()
    for slide in slides:
        state, events = engine.advance(state, slide)
    return engine, state, events


def stories(state: State) -> set[frozenset[str]]:
    """Return the articles of each story."""
    held: dict[str, set[str]] = {}
    for article, story in state.link.story.items():
        held.setdefault(story, set()).add(article)
    return {frozenset(articles) for articles in held.values()}


def second(*corrections: PreparedArticle, days: int = 2) -> Slide:
    return Slide(end=START + days * DAY, corrections=corrections)


def placed(state: State) -> Mapping[str, str]:
    return state.link.story


def test_an_article_with_quite_another_text_moves_to_its_story_in_one_slide() -> None:
    _, before, _ = after(FIRST)
    assert stories(before) == {
        frozenset(("q0", "q1", "q2")),
        frozenset(("c0", "c1", "c2")),
    }

    _, state, events = after(FIRST, second(ready("q2", CUP[3], 3)))

    assert stories(state) == {
        frozenset(("q0", "q1")),
        frozenset(("q2", "c0", "c1", "c2")),
    }
    (moved,) = events
    assert (moved.kind, moved.articles) == ("moved", ("q2",))
    assert moved.story == placed(before)["c0"] == placed(state)["q2"]
    assert moved.details == {"from": placed(before)["q0"]}
    decision = state.records["q2"].decision
    assert decision is not None
    assert (decision.how, decision.story) == ("moved", moved.story)


def test_a_corrected_article_is_counted_once() -> None:
    _, before, _ = after(FIRST)
    _, state, _ = after(FIRST, second(ready("q2", CUP[3], 3)))

    assert state.arrivals == before.arrivals == 6
    assert state.too_late == 0
    assert len(state.records) == len(state.link.articles) == 6
    assert sum(p.articles for p in state.documents.panes.values()) == 6
    quake, cup = placed(before)["q0"], placed(before)["c0"]
    assert (state.stories[quake].total, state.stories[cup].total) == (2, 4)
    assert (state.stories[quake].articles, state.stories[cup].articles) == (2, 4)
    assert state.records["q2"].pane == before.records["q2"].pane
    assert state.link.articles["q2"].day == before.link.articles["q2"].day


def test_it_is_linked_anew_once_and_not_in_every_slide_after_it() -> None:
    slides = [FIRST, second(ready("q2", CUP[3], 3))]
    engine, state, _ = after(*slides)
    links = [
        pair
        for pair in zip(
            state.link.links.older.tolist(),
            state.link.links.newer.tolist(),
            strict=True,
        )
        if state.link.articles["q2"].serial in pair
    ]
    assert len(links) == len(set(links)) >= 3

    later, events = engine.advance(state, Slide(end=START + 3 * DAY))

    assert events == ()
    assert later.link.articles["q2"].serial == state.link.articles["q2"].serial
    assert later.link.next_serial == state.link.next_serial == 7


@pytest.mark.parametrize(
    "text",
    [
        QUAKE[2],
        QUAKE[2].replace("eleven houses", "twelve houses"),
        f"{QUAKE[2]} Today.",
    ],
    ids=["the same", "a number", "a word more"],
)
def test_a_small_correction_changes_nothing(text: str) -> None:
    engine, before, _ = after(FIRST)

    corrected, events = engine.advance(before, second(ready("q2", text, 3)))
    quiet, _ = engine.advance(before, Slide(end=START + 2 * DAY))

    assert events == ()
    assert_same(corrected, quiet)


def test_an_article_that_has_left_the_window_stays_out_of_it() -> None:
    slides = [FIRST, Slide(end=START + 5 * DAY, articles=of(QUAKE[3:], "late", 100))]
    engine, before, _ = after(*slides)
    gone = START + 9 * DAY

    corrected, events = engine.advance(
        before, Slide(end=gone, corrections=[ready("q2", CUP[3], 3)])
    )
    quiet, expected = engine.advance(before, Slide(end=gone))

    assert events == expected
    assert_same(corrected, quiet)
    assert "q2" not in corrected.records


def test_a_correction_of_an_article_that_never_came_changes_nothing() -> None:
    engine, before, _ = after(FIRST)

    corrected, _ = engine.advance(before, second(ready("unknown", CUP[3], 3)))
    quiet, _ = engine.advance(before, Slide(end=START + 2 * DAY))

    assert_same(corrected, quiet)


def test_an_article_that_waits_joins_the_story_that_its_new_text_tells() -> None:
    waiting = Slide(end=START + DAY, articles=[*FIRST.articles, ready("w", ALONE, 2)])
    _, before, _ = after(waiting)
    assert "w" not in placed(before)

    _, state, (grew,) = after(waiting, second(ready("w", CUP[3], 2)))

    assert (grew.kind, grew.articles) == ("grew", ("w",))
    assert placed(state)["w"] == placed(before)["c0"] == grew.story
    assert state.stories[grew.story].total == 4


def test_an_article_whose_new_text_nobody_tells_is_let_go() -> None:
    _, before, _ = after(FIRST)
    _, state, events = after(FIRST, second(ready("q2", ALONE, 3)))

    assert [(e.kind, e.articles) for e in events] == [("released", ("q2",))]
    assert "q2" not in placed(state)
    assert state.records["q2"].decision is None
    assert state.stories[placed(before)["q0"]].total == 2


def test_copies_of_a_corrected_text_stay_where_they_are() -> None:
    copy = replace(ready("q0b", QUAKE[0], 2), article=ready("q0b", QUAKE[0], 2).article)
    slide = Slide(end=FIRST.end, articles=[*FIRST.articles, copy])
    _, before, _ = after(slide)
    assert before.link.copies

    _, state, _ = after(slide, second(ready("q0", CUP[3], 1)))

    assert not state.link.copies
    assert stories(state) == {
        frozenset(("q0b", "q1", "q2")),
        frozenset(("q0", "c0", "c1", "c2")),
    }


def test_the_order_of_corrections_does_not_matter_and_a_state_goes_on() -> None:
    both = [ready("q2", CUP[3], 3), ready("c2", QUAKE[3], 7)]
    engine, one, events = after(FIRST, second(*both))
    _, other, again = after(FIRST, second(*both[::-1]))

    assert events == again
    assert_same(one, other)
    assert stories(one) == {
        frozenset(("q0", "q1", "c2")),
        frozenset(("c0", "c1", "q2")),
    }
    assert_same(engine.thaw(engine.freeze(one)), one)


def test_it_is_as_if_the_old_text_had_been_withdrawn_and_the_new_one_sent() -> None:
    engine, before, _ = after(FIRST)
    new = ready("q2", CUP[3], 3)
    gone = engine.without(before, Withdrawn(articles=[FIRST.articles[2]], left={}))

    expected, _ = engine.advance(gone, Slide(end=START + 2 * DAY, articles=[new]))
    corrected, _ = engine.advance(before, second(new))

    assert stories(corrected) == stories(expected)
    links, others = corrected.link.links, expected.link.links
    assert links.older.tolist() == others.older.tolist()
    assert links.newer.tolist() == others.newer.tolist()
    for name, odds in links.evidence.items():
        assert odds == pytest.approx(others.evidence[name], abs=0.2)


def test_without_review_a_corrected_article_still_moves() -> None:
    plain = replace(SETTINGS, parts="lead meaning time chance copies")

    _, state, _ = after(FIRST, second(ready("q2", CUP[3], 3)), settings=plain)

    assert frozenset(("q2", "c0", "c1", "c2")) in stories(state)


def test_in_a_window_by_number_it_keeps_its_place() -> None:
    by_number = Settings(encoder="tiny", window=12, slide=6)
    _, before, _ = after(FIRST, settings=by_number)

    _, state, _ = after(FIRST, second(ready("q2", CUP[3], 3)), settings=by_number)

    assert frozenset(("q2", "c0", "c1", "c2")) in stories(state)
    assert state.days == before.days
    assert state.records["q2"].pane == before.records["q2"].pane


def test_the_papers_mode_leaves_an_article_where_it_was_put() -> None:
    paper = replace(Settings.paper(min_articles=2), encoder="tiny")
    engine, before, _ = after(FIRST, settings=paper)

    corrected, _ = engine.advance(before, second(ready("q2", CUP[3], 3)))
    quiet, _ = engine.advance(before, Slide(end=START + 2 * DAY))

    assert engine.assignments(corrected) == engine.assignments(quiet)


def test_one_text_of_an_article_in_a_slide_is_enough() -> None:
    engine, before, _ = after(FIRST)
    new = ready("q2", CUP[3], 3)

    with pytest.raises(InputError, match="'q2' is already in the window"):
        engine.advance(before, second(new, new))
    fresh = ready("n", CUP[3], 30)
    both = replace(second(fresh), articles=[fresh])
    with pytest.raises(InputError, match="'n' is already in the window"):
        engine.advance(before, both)


def test_what_cannot_be_read_keeps_the_text_that_it_had() -> None:
    def read(articles: Sequence[Article]) -> list[PreparedArticle]:
        if any(article.id == "bad" for article in articles):
            raise RuntimeError("a panic of a compiled package")
        return [ready(article.id, article.text, 1) for article in articles]

    some = [ready(name, CUP[0], 1).article for name in ("a", "bad", "b")]

    assert [each.article.id for each in readable(read, some)] == ["a", "b"]
    assert readable(read, []) == []
