"""An article gets its likely story at once, and the slide settles it."""

from __future__ import annotations

from dataclasses import replace
from threading import Event as Signal
from threading import Thread

import pytest

from tests.service.running import Rig, article, demo_articles, opened
from ustory.core.settings import Settings
from ustory.engine.executors.inline import InlineExecutor
from ustory.service.provisional import MAX_ANSWERED, Answers


def test_before_the_first_slide_nothing_is_known(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        answers = Answers(rig.loop)
        receipts = rig.accept(article(1))
        assert answers.match([article(1)]) == [[]]
        assert answers.provisional([article(1)], receipts) == receipts


def test_most_provisional_answers_are_what_the_slide_says(sqlite_url: str) -> None:
    stream = demo_articles()
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(*stream[:60])
        rig.loop.finish()
        answers = Answers(rig.loop)
        new = stream[60:75]
        receipts = answers.provisional(new, rig.accept(*new))
        rig.loop.finish()
        said = {r.article: r.story for r in receipts if r.story is not None}
        assert len(said) >= 5
        right = 0
        for name, story in said.items():
            decision = rig.loop.state.records[name].decision
            right += decision is not None and decision.story == story
        assert right >= 0.7 * len(said)
        assert all(0 < (r.probability or 0) <= 1 for r in receipts if r.story)


def test_a_known_article_is_answered_with_the_story_it_has(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(*demo_articles()[:60])
        rig.loop.finish()
        [receipt] = rig.accept(demo_articles()[0])
        decision = rig.loop.state.records[demo_articles()[0].id].decision
        assert decision is not None
        assert (receipt.outcome, receipt.story) == ("known", decision.story)
        [same] = Answers(rig.loop).provisional([demo_articles()[0]], [receipt])
        assert same.probability is None


def test_an_answer_does_not_wait_for_a_large_slide(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(*demo_articles()[:40])
        rig.loop.finish()
        answers = Answers(rig.loop, patience=0.05)
        busy, go_on = Signal(), Signal()
        encode = rig.loop.runner.encoder.encode

        class Stuck:
            name, dim = "tiny", 32

            def encode(self, sentences: list[str]) -> object:
                busy.set()
                go_on.wait(30)
                return encode(sentences)

        rig.loop.runner.encoder = Stuck()  # type: ignore[assignment]
        rig.loop.runner.use(InlineExecutor())
        thread = Thread(target=rig.loop.runner.prepared, args=([article(1)],))
        thread.start()
        assert busy.wait(30)
        assert answers.match([demo_articles()[0]]) == [[]]
        go_on.set()
        thread.join()
        assert answers.match([demo_articles()[0]]) != [[]]


def test_an_article_without_a_sentence_has_no_answer(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(*demo_articles()[:40])
        rig.loop.finish()
        signs = article(1, title="\u200b", text="\u200b")
        found = Answers(rig.loop).match([signs, demo_articles()[0]])
        assert found[0] == []
        assert found[1] != []


def test_only_some_of_a_large_batch_are_answered(sqlite_url: str) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store)
        rig.accept(*demo_articles()[:40])
        rig.loop.finish()
        like = demo_articles()[0]
        batch = [
            replace(like, id=f"n{n}", url=None, source=f"Paper {n}")
            for n in range(MAX_ANSWERED + 5)
        ]
        receipts = Answers(rig.loop).provisional(batch, rig.accept(*batch))
        answered = [receipt.story is not None for receipt in receipts]
        assert answered == [True] * MAX_ANSWERED + [False] * 5


@pytest.mark.parametrize("settings", [None, Settings.paper(slide="1d", min_articles=2)])
def test_an_article_of_the_window_can_be_explained(
    sqlite_url: str, settings: Settings | None
) -> None:
    with opened(sqlite_url) as store:
        rig = Rig(store) if settings is None else Rig(store, settings=settings)
        rig.accept(*demo_articles()[:60])
        rig.loop.finish()
        answers = Answers(rig.loop)
        told = [
            r.id
            for r in rig.loop.state.records.values()
            if r.decision is not None and r.decision.story
        ]
        explained = answers.explain(told[-1])
        assert explained is not None
        assert explained.decision.story is not None
        assert answers.explain("nobody") is None
