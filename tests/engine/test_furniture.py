"""Page furniture from end to end: what every page says is nowhere in a story."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from tests.links.test_furniture import SIGN_UP, body
from tests.reference.strategies import START
from ustory import Article, Discovery, Settings
from ustory.core.article import PreparedArticle
from ustory.core.story import Slide
from ustory.engine.corrections import changed_texts
from ustory.engine.link_decisions import link_decision
from ustory.engine.match import match
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.state import State
from ustory.engine.state_changes import Withdrawn, without
from ustory.testing.parts import TinyEncoder
from ustory.text import load_pipeline

PAGE = f"{SIGN_UP.capitalize()}."
MORE = "Follow channel phone breaking alert video market quote story page."
HOUR = timedelta(hours=1)
FURNITURE = set(SIGN_UP.split())


def articles(*stories: int, first: int = 0) -> list[Article]:
    """Return articles of these stories, half an hour apart, with one page's words."""
    found = []
    for place, story in enumerate(stories, start=first):
        title, *rest = body(place, story)
        text = ". ".join([*(line.capitalize() for line in rest), PAGE])
        at = START + place * HOUR / 2
        found.append(
            Article(
                id=f"a{place:03d}",
                published_at=at,
                title=title.capitalize(),
                text=text,
                source="Herald",
            )
        )
    return found


def followed(new: Sequence[Article], settings: Settings) -> Discovery:
    discovery = Discovery(settings, encoder=TinyEncoder())
    deque(discovery.add(new), maxlen=0)
    deque(discovery.finish(), maxlen=0)
    return discovery


HOURLY = Settings(encoder="tiny", slide=HOUR)
STREAM = articles(*range(10), 40, 40, 40, 41, 41)


def test_no_keyword_decision_or_sentence_shows_it() -> None:
    discovery = followed(STREAM, HOURLY)
    state = discovery.state
    vocabulary = state.vocabulary
    # the very first articles came before anything was known
    later = {state.link.story[name] for name in ("a012", "a014")}

    assert len(later) == 2
    for each in discovery.stories():
        if each.id not in later:
            continue
        assert not FURNITURE & {word for key in each.keywords for word in key.split()}
    for name in later:
        for pane in state.stories[name].panes.values():
            assert not FURNITURE & set(vocabulary.written(pane.terms))
    for name in ("a012", "a014"):
        decision = link_decision(state, name, discovery.settings)
        assert decision is not None
        assert decision.weights
        page = [
            weight
            for weight, sentence in zip(
                decision.weights, state.records[name].sentences, strict=True
            )
            if sentence == PAGE
        ]
        assert page == [0.0]


def test_without_copies_nothing_is_learned() -> None:
    parts = " ".join(p for p in HOURLY.parts.split() if p != "copies")
    state = followed(STREAM, replace(HOURLY, parts=parts)).state

    assert not len(state.link.furniture.sentences.keys)
    last = list(state.link.articles.values())[-1]
    assert set(state.vocabulary.written(last.terms)) >= FURNITURE


def test_a_match_leaves_it_out_as_a_slide_does() -> None:
    discovery = followed(STREAM, HOURLY)
    pipeline = load_pipeline("fast")
    alone = Article(
        id="new", published_at=STREAM[-1].published_at, text=PAGE, source="Herald"
    )
    (page,) = prepare([alone], pipeline, TinyEncoder(), Stopwatch())
    assert not match(discovery.state, [page], discovery.settings)[0]

    (told,) = prepare(articles(40, first=90), pipeline, TinyEncoder(), Stopwatch())
    found = match(discovery.state, [told], discovery.settings)[0]
    assert found[0].story == discovery.state.link.story["a012"]


def test_a_state_is_read_with_it_and_goes_on_the_same() -> None:
    engine = (discovery := followed(STREAM, HOURLY)).engine
    again = engine.thaw(engine.freeze(discovery.state)).link.furniture

    known = discovery.state.link.furniture
    assert len(known.sentences.known)
    assert again.sentences.known.tolist() == known.sentences.known.tolist()
    assert again.phrases.keys.tolist() == known.phrases.keys.tolist()
    assert again.phrases.day.tolist() == known.phrases.day.tolist()


def ready(new: Sequence[Article]) -> list[PreparedArticle]:
    return prepare(new, load_pipeline("fast"), TinyEncoder(), Stopwatch())


def words_of(new: Sequence[PreparedArticle]) -> set[str]:
    return {term for prepared in new for term in prepared.counts.terms}


def same_after_reading(discovery: Discovery, state: State) -> State:
    """Return a state as it is read after it was written: that checks it."""
    return discovery.engine.thaw(discovery.engine.freeze(state))


def test_a_state_without_a_withdrawn_article_is_read_and_has_no_word_of_it() -> None:
    discovery = followed(STREAM, HOURLY)
    texts = ready(STREAM)
    for names in (["a012"], ["a012", "a010", "a004"], [a.id for a in STREAM[1:]]):
        gone = [text for text in texts if text.article.id in names]
        kept = [text for text in texts if text.article.id not in names]
        state = without(discovery.state, Withdrawn(articles=gone))
        again = same_after_reading(discovery, state)

        assert len(again.vocabulary) == len(words_of(kept))
        assert {n for p in again.documents.panes.values() for n in p.df.tolist()} <= {
            1,
            2,
        }


def test_furniture_that_no_article_has_any_more_is_forgotten() -> None:
    discovery = followed(STREAM, HOURLY)
    assert len(discovery.state.link.furniture.phrases.keys)
    state = without(discovery.state, Withdrawn(articles=ready(STREAM)))

    again = same_after_reading(discovery, state)
    assert not len(again.link.furniture.phrases.keys)


def test_a_state_is_read_however_often_a_text_was_corrected() -> None:
    discovery = followed(STREAM, HOURLY)
    state = discovery.state
    for number in range(3):
        new = ready(articles(60 + number, first=13))
        assert state.end is not None
        slide = Slide(end=state.end + HOUR, corrections=new)
        state, _ = discovery.engine.advance(state, slide)
        state = same_after_reading(discovery, state)
        assert "a013" in state.records


def test_the_same_text_again_is_no_correction_however_much_of_it_is_furniture() -> None:
    long = [replace(a, text=f"{a.text} {MORE}") for a in STREAM]
    discovery = followed(long, HOURLY)
    state = discovery.state
    assert not FURNITURE & set(
        state.vocabulary.written(state.link.articles["a014"].terms)
    )

    assert not changed_texts(state, ready(long))
    reworded = [replace(a, text=f"{a.text} Afterword.") for a in long]
    assert not changed_texts(state, ready(reworded))
    assert changed_texts(state, ready([replace(long[14], text=f"Quite. {MORE}")]))
