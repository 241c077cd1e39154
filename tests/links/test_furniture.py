"""Page furniture: what an outlet's articles of unlike stories have in common."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.furniture import FurnitureReference, page
from tests.reference.strategies import START, prepare
from ustory.core.article import PreparedArticle
from ustory.links import furniture as module
from ustory.links.article import LinkedArticle, linked_articles
from ustory.links.furniture import Furniture
from ustory.links.sentence_terms import in_order
from ustory.window.unassigned import open_article
from ustory.window.vocabulary import Vocabulary

SIGN_UP = "join million reader free morning letter inbox daily"
OTHER_SIGN_UP = "follow channel phone breaking alert video market quote"


class Pages:
    """What is learned of a stream, and its articles without it."""

    def __init__(self) -> None:
        self.vocabulary, self.furniture = Vocabulary(), Furniture()
        self.window: list[LinkedArticle] = []
        self.df = np.zeros(0)
        self.idf = np.zeros(0)
        self.day = 0.0

    def advance(self, articles: Sequence[PreparedArticle]) -> list[LinkedArticle]:
        """Learn from the articles of a slide; return them as they are kept."""
        self.vocabulary, numbers = self.vocabulary.grown([a.counts for a in articles])
        df = np.zeros(len(self.vocabulary))
        df[: len(self.df)] = self.df
        for terms in numbers:
            df[terms] += 1
        self.df = df
        self.idf = np.log1p((len(self.window) + len(articles)) / df)
        texts = in_order(
            [
                (a, open_article(a, 0, terms))
                for a, terms in zip(articles, numbers, strict=True)
            ]
        )
        self.furniture = self.furniture.after(self.window, texts, self.idf, self.day)
        self.day += 1
        cleaned = self.furniture.removed_from(texts)
        new = linked_articles(cleaned, len(self.window))
        self.window += new
        return new

    @property
    def sentences(self) -> int:
        """How many sentences are furniture."""
        return len(self.furniture.sentences.known)

    def words(self, article: LinkedArticle) -> set[str]:
        """Return the terms that an article is left with."""
        return set(self.vocabulary.written(article.terms))


def article(
    number: int, source: str | None, *sentences: str, hours: float = 1.0
) -> PreparedArticle:
    """Return an article of these sentences, the first of which is its title."""
    prepared = prepare(
        f"a{number:05d}",
        START + timedelta(hours=hours * number),
        [sentence.split() for sentence in sentences],
    )
    return replace(prepared, article=replace(prepared.article, source=source))


def own(*numbers: int) -> str:
    """Return a word of numbers, without digits: these tell no two sentences apart."""
    return "own" + "x".join(
        "".join(chr(97 + int(digit)) for digit in str(number)) for number in numbers
    )


def body(number: int, story: int | None = None) -> list[str]:
    """Return sentences that no other story has a word of."""
    of = number if story is None else story
    return [" ".join(own(of, line, i) for i in range(8)) for line in range(3)]


def one_outlet(
    count: int, source: str | None = "Herald", sign_up: str = SIGN_UP
) -> list[PreparedArticle]:
    """Return articles of unlike stories, all with the same last sentence."""
    return [article(i, source, *body(i), sign_up) for i in range(count)]


def test_a_sentence_of_unlike_stories_is_furniture_once_two_pairs_have_it() -> None:
    pages = Pages()
    known = []
    for each in one_outlet(4):
        (kept,) = pages.advance([each])
        known.append((pages.sentences, "letter" in pages.words(kept)))

    assert known == [(0, True), (0, True), (1, False), (1, False)]
    assert own(3, 0, 0) in pages.words(kept)  # its own words stay
    assert len(kept.keys) == 4  # what sentences are known by stays, too


def test_a_phrase_within_sentences_of_another_outset_is_furniture_too() -> None:
    pages = Pages()
    for i in range(4):
        (kept,) = pages.advance(
            [article(i, "Herald", *body(i), f"{own(i)} {SIGN_UP} {own(i, i)}")]
        )

    assert not pages.sentences
    assert not pages.words(kept) & {"letter", "free morning", "daily"}
    assert {own(3), own(3, 3), own(3, 0, 0)} <= pages.words(kept)


def test_digits_make_no_other_sentence() -> None:
    pages = Pages()
    for i in range(4):
        each = article(i, "Herald", *body(i), "read comment")
        sentences = (*each.sentences[:-1], f"Read {i * 7} comments")
        pages.advance([replace(each, sentences=sentences)])

    assert pages.sentences == 1


def test_a_sentence_of_articles_of_one_story_is_none() -> None:
    pages = Pages()
    for i in range(12):
        (kept,) = pages.advance([article(i, "Herald", *body(i, 0), SIGN_UP)])

    assert not pages.sentences
    assert "letter" in pages.words(kept)


def test_other_outlets_are_not_affected() -> None:
    pages = Pages()
    for each in one_outlet(5):
        pages.advance([each])
    (kept,) = pages.advance([article(9, "Courier", *body(9), SIGN_UP)])

    assert "letter" in pages.words(kept)


def test_what_one_outlet_repeats_makes_nothing_of_another_furniture() -> None:
    pages, alone = Pages(), Pages()
    theirs = [article(100 + i, "Courier", *body(100 + i, 1), SIGN_UP) for i in range(6)]
    for each in (*one_outlet(20), *theirs):
        kept = pages.advance([each])
    for each in theirs:
        expected = alone.advance([each])

    assert pages.words(kept[0]) == alone.words(expected[0])


@pytest.mark.parametrize("source", [None, "", "  "])
def test_without_an_outlet_nothing_is_learned(source: str | None) -> None:
    pages = Pages()
    for each in one_outlet(6, source):
        pages.advance([each])

    assert not len(pages.furniture.sentences.keys)
    assert not len(pages.furniture.phrases.keys)


def test_case_and_blanks_make_no_other_outlet() -> None:
    pages = Pages()
    for i, source in enumerate(["Herald", " herald", "HERALD "]):
        pages.advance([article(i, source, *body(i), SIGN_UP)])

    assert pages.sentences == 1


@given(st.randoms(use_true_random=False))
def test_the_order_of_articles_in_a_slide_makes_no_difference(
    rng: random.Random,
) -> None:
    articles = [*one_outlet(6), *one_outlet(6, "Courier", OTHER_SIGN_UP)]
    articles = [
        replace(each, article=replace(each.article, id=f"b{i}"))
        for i, each in enumerate(articles)
    ]
    mixed = rng.sample(articles, len(articles))
    one, other = Pages(), Pages()
    kept, again = one.advance(articles), other.advance(mixed)

    assert one.furniture.sentences.keys.tolist() == (
        other.furniture.sentences.keys.tolist()
    )
    assert one.sentences == 2
    assert [a.id for a in kept] == [a.id for a in again]
    assert [one.words(a) for a in kept] == [other.words(a) for a in again]


def test_it_remembers_what_was_seen_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REMEMBERED", 3)
    pages = Pages()
    for i in range(12):
        shared = [f"{own(number)} alone" for number in range(max(i - 2, 0), i + 1)]
        pages.advance([article(i, "Herald", *body(i), *shared)])
        assert len(pages.furniture.sentences.keys) <= 3
        assert len(pages.furniture.phrases.keys) <= 3
    assert (pages.furniture.sentences.day >= 10).all()


def test_another_vocabulary_keeps_it() -> None:
    pages = Pages()
    for i in range(4):
        pages.advance(
            [article(i, "Herald", *body(i), f"{own(i)} {SIGN_UP} {own(i, i)}")]
        )
    alive = np.zeros(len(pages.vocabulary), dtype=bool)
    alive[pages.furniture.terms] = True
    before = set(pages.vocabulary.written(pages.furniture.terms))
    pages.vocabulary, moved = pages.vocabulary.keep(alive)
    pages.furniture = pages.furniture.renumber(moved)

    assert set(pages.vocabulary.written(pages.furniture.terms)) == before
    pages.window, pages.df = [], np.zeros(0)
    (kept,) = pages.advance(
        [article(9, "Herald", *body(9), f"{own(9)} {SIGN_UP} {own(9, 9)}")]
    )
    assert "letter inbox" not in pages.words(kept)
    assert own(9, 0, 0) in pages.words(kept)


def test_articles_of_one_sentence_and_all_of_furniture() -> None:
    pages = Pages()
    for each in one_outlet(4):
        pages.advance([each])
    alone = article(7, "Herald", SIGN_UP)
    (kept,) = pages.advance([alone])

    assert not len(kept.terms)
    assert np.linalg.norm(kept.vector) == pytest.approx(1.0, abs=1e-3)
    for i in range(8, 12):  # they say too little beside: nothing is learned of them
        pages.advance([article(i, "Herald", OTHER_SIGN_UP)])
    assert pages.sentences == 1


def test_the_lead_begins_behind_furniture() -> None:
    pages = Pages()
    for i in range(4):
        title, *rest = body(i)
        (kept,) = pages.advance([article(i, "Herald", title, SIGN_UP, *rest)])

    lead = set(pages.vocabulary.written(kept.terms[kept.lead]))
    assert {own(3, 0, 0), own(3, 1, 0), own(3, 2, 0)} <= lead
    assert "letter" not in lead


def hostile(count: int, sentences: int) -> list[PreparedArticle]:
    """Return articles that have all their sentences in common, in other orders."""
    line = [
        f"{own(i)} {own(i, i)} deal sale shop best price today now here"
        for i in range(9)
    ]
    return [
        article(i, "Spam", *body(i), *[line[(i + n) % 9] for n in range(sentences)])
        for i in range(count)
    ]


def spent(articles: Sequence[PreparedArticle]) -> float:
    began = time.process_time()
    Pages().advance(articles)
    return time.process_time() - began


def test_many_sentences_take_hardly_more_than_their_number() -> None:
    spent(hostile(3, 20))  # compiles
    few, many = spent(hostile(20, 100)), spent(hostile(20, 1000))

    assert many < 60 * few + 1.0


def test_an_article_is_compared_with_few() -> None:
    pages = Pages()
    lines = [f"{own(i)} alone" for i in range(40)]
    for i, line in enumerate(lines):
        pages.advance([article(i, "Herald", *body(i), line)])
    pages.advance([article(50, "Herald", *body(50), *lines)])

    assert len(pages.furniture.sentences.keys) == module.MAX_COMPARED


OUTLETS = st.sampled_from(["Herald", "herald ", "Courier", ""])
LINES = st.sampled_from(
    [
        SIGN_UP,
        OTHER_SIGN_UP,
        f"now {SIGN_UP}",
        f"{OTHER_SIGN_UP} again",
        "short line",
        "Read 5 comments",
        "Read 12 comments",
        *(line for story in range(3) for line in body(story)),
    ]
)


@st.composite
def slides(draw: st.DrawFn) -> list[list[PreparedArticle]]:
    """Return slides of articles of few outlets, which have lines in common."""
    found: list[list[PreparedArticle]] = []
    number = 0
    for _ in range(draw(st.integers(1, 5))):
        inside = []
        for _ in range(draw(st.integers(1, 4))):
            own = body(number) if draw(st.booleans()) else []
            lines = [*own, *draw(st.lists(LINES, max_size=5))] or ["one line"]
            inside.append(article(number, draw(OUTLETS), *lines))
            number += 1
        found.append(inside)
    return found


@given(slides())
def test_it_is_what_its_transcription_says(
    stream: Sequence[Sequence[PreparedArticle]],
) -> None:
    pages, reference = Pages(), FurnitureReference()
    for articles in stream:
        new = pages.advance(articles)
        written = pages.vocabulary.written(np.arange(len(pages.vocabulary)))
        idf = dict(zip(written, pages.idf.tolist(), strict=True))
        reference.advance([page(each) for each in articles], idf)
        for kept, expected in zip(new, reference.window[-len(new) :], strict=True):
            terms = zip(
                pages.vocabulary.written(kept.terms), kept.tf.tolist(), strict=True
            )
            assert dict(terms) == expected.terms([False] * len(expected.keys))
        for found, votes in (
            (pages.furniture.sentences, reference.sentences),
            (pages.furniture.phrases, reference.phrases),
        ):
            assert len(found.known) == len(votes.known)
            counted = sorted(zip(found.unlike, found.like, strict=True))
            assert counted == sorted(
                (votes.unlike[k], votes.like[k]) for k in votes.like
            )


def test_articles_of_a_state_older_than_furniture_are_not_compared() -> None:
    pages = Pages()
    old = one_outlet(3)
    pages.advance(old[:2])
    none = np.zeros(0, dtype=np.int64)
    pages.window = [replace(each, keys=none) for each in pages.window]
    before = pages.furniture
    pages.advance(old[2:])

    for one, other in zip(
        (before.sentences, before.phrases),
        (pages.furniture.sentences, pages.furniture.phrases),
        strict=True,
    ):
        assert one.unlike.tolist() == other.unlike.tolist()


def test_pairs_of_words_that_a_vocabulary_has_not_are_forgotten() -> None:
    pages = Pages()
    for each in one_outlet(4):
        pages.advance([each])
    terms = pages.furniture.terms
    alive = np.ones(len(pages.vocabulary), dtype=bool)
    alive[terms[:2]] = False
    vocabulary, moved = pages.vocabulary.keep(alive)
    left = pages.furniture.renumber(moved)

    assert vocabulary.written(left.terms) == pages.vocabulary.written(terms[2:])
    assert left.phrases.unlike.tolist() == pages.furniture.phrases.unlike[2:].tolist()
