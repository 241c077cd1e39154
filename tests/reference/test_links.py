"""Mode `links` does what its transcription says: slide by slide, number by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from tests.links.running import LinkRun
from tests.reference.languages import in_languages
from tests.reference.links import LinksReference
from tests.reference.strategies import DAY, ENCODER, Run, cut, runs, stream
from ustory.core.article import Article, PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.prepare import Stopwatch, prepare
from ustory.links.prior import probability
from ustory.links.slide import Parts, log_odds
from ustory.sources import open_source
from ustory.sources.demo import demo_stream
from ustory.text.fast import FastPipeline
from ustory.text.languages import language_number

TOLERANCE = 1e-4
"""Cosines are sums of float32 numbers, and log-odds up to 15 times their roots."""

PLAIN = Parts(copies=False, revival=False)
"""All evidence; copies, and stories that come back, have tests in tests/link."""

PARTS = (
    PLAIN,
    replace(PLAIN, lead=False),
    replace(PLAIN, meaning=False),
    replace(PLAIN, time=False),
    replace(PLAIN, chance=False),
)


def assert_same_state(run: LinkRun, reference: LinksReference) -> None:
    state = run.state
    assert list(state.articles) == [article.id for article in reference.articles]
    assert state.next_serial == reference.next_serial
    known, idf = state.background, state.background.idf
    assert known.articles == pytest.approx(reference.counted.articles)
    for article in state.articles.values():
        expected = next(a for a in reference.articles if a.id == article.id)
        terms = run.vocabulary.written(article.terms)
        assert dict(zip(terms, article.tf.tolist(), strict=True)) == expected.terms
        weights = reference.counted.weights(dict.fromkeys(terms, 1))
        assert idf[article.terms].tolist() == pytest.approx(
            [weights[term] for term in terms]
        )
        assert article.vector.tolist() == pytest.approx(
            expected.vector.tolist(), abs=1e-6
        )
    assert_same_gists(run, reference)
    gaps, expected_gaps = state.gaps, reference.apart
    for found, counts in (
        (gaps.same, expected_gaps.same),
        (gaps.other, expected_gaps.other),
        (gaps.log_ratio, expected_gaps.log_ratio()),
    ):
        assert found.tolist() == pytest.approx(counts, rel=TOLERANCE, abs=TOLERANCE)


def assert_same_gists(run: LinkRun, reference: LinksReference) -> None:
    known, means = run.state.gists, reference.means
    numbers = {language_number(lang): lang for lang in means.articles}
    assert known.languages.tolist() == sorted(numbers)
    langs = [numbers[number] for number in known.languages.tolist()]
    expected = [means.articles[lang] for lang in langs]
    assert known.articles.tolist() == pytest.approx(expected)
    for row, lang in zip(known.total, langs, strict=True):
        assert row.tolist() == pytest.approx(means.total[lang].tolist(), abs=1e-9)


def assert_same_links(run: LinkRun, reference: LinksReference) -> None:
    found, expected = run.state.links, reference.links
    neutral = np.zeros(len(found))
    names = ("words", "meaning", "gist", "carried_names")
    words, meaning, gist, carried = (found.evidence.get(n, neutral) for n in names)
    assert found.older.tolist() == [link.older.serial for link in expected]
    assert found.newer.tolist() == [link.newer.serial for link in expected]
    for column, values in (
        (words, [link.words for link in expected]),
        (meaning, [link.meaning for link in expected]),
        (gist, [link.gist for link in expected]),
        (carried, [link.names for link in expected]),
        (found.gap, [link.gap for link in expected]),
        (
            probability(log_odds(run.state, run.unit, run.parts)),
            [reference.probability(link) for link in expected],
        ),
    ):
        assert column.tolist() == pytest.approx(values, abs=TOLERANCE)


def assert_same_run(
    slides: Sequence[Slide], settings: Settings, parts: Parts
) -> list[int]:
    """Run both; return how many stories there were after each slide."""
    run = LinkRun(settings, parts)
    reference = LinksReference(ENCODER.dim, run.unit, parts)
    stories = []
    for slide in slides:
        inside = run.advance(slide)
        day = slide.end.timestamp() / 86_400
        reference.advance(inside, day, run.panes.oldest)
        assert_same_state(run, reference)
        assert_same_links(run, reference)
        assert run.state.story == reference.story
        stories.append(len(set(reference.story.values())))
    return stories


WINDOWS = (
    Settings(window=3 * DAY),
    Settings(window=2 * DAY, slide=DAY / 2),
    Settings(window=DAY, slide=DAY / 4),
    Settings(window=7 * DAY),
    Settings(window=12, slide=4),
    Settings(window=27, slide=9),
)


def of_outlets(slides: Sequence[Slide], many: int) -> list[Slide]:
    """Return slides whose articles are of so many outlets, and some of none."""
    return [
        Slide(
            end=slide.end,
            articles=[
                replace(one, article=replace(one.article, source=_outlet(one, many)))
                for one in slide.articles
            ],
        )
        for slide in slides
    ]


def _outlet(one: PreparedArticle, many: int) -> str | None:
    number = crc32(one.article.id.encode()) % (many + 1)
    return f"outlet-{number}" if number else None


@limits(max_examples=60, suppress_health_check=list(HealthCheck))
@given(runs(st.sampled_from(WINDOWS)), st.sampled_from(PARTS), st.integers(0, 3))
def test_any_stream_with_any_window_and_any_evidence(
    run: Run, parts: Parts, outlets: int
) -> None:
    assert_same_run(of_outlets(run.slides, outlets), run.settings, parts)


GISTED = replace(PLAIN, gist=True)
GISTS = (
    GISTED,
    replace(GISTED, lead=False),
    replace(GISTED, meaning=False),
    replace(GISTED, time=False),
    replace(GISTED, chance=False),
)


@limits(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    runs(st.sampled_from(WINDOWS)),
    st.sampled_from(GISTS),
    st.integers(0, 3),
    st.integers(1, 3),
)
def test_any_stream_with_gists_in_some_languages(
    run: Run, parts: Parts, outlets: int, languages: int
) -> None:
    slides = in_languages(of_outlets(run.slides, outlets), languages)
    assert_same_run(slides, run.settings, parts)


@pytest.mark.slow
@limits(max_examples=1000, suppress_health_check=list(HealthCheck))
@given(
    runs(st.sampled_from(WINDOWS)),
    st.sampled_from(GISTS),
    st.integers(0, 3),
    st.integers(1, 3),
)
def test_many_more_streams_with_gists(
    run: Run, parts: Parts, outlets: int, languages: int
) -> None:
    slides = in_languages(of_outlets(run.slides, outlets), languages)
    assert_same_run(slides, run.settings, parts)


@pytest.mark.parametrize("languages", [1, 2, 3])
def test_large_groups_in_some_languages(languages: int) -> None:
    settings = Settings(window=3 * DAY)
    arrived = stream(6, [40, 30], topics=3)
    slides = in_languages(of_outlets(cut(arrived, settings), 3), languages)
    assert_same_run(slides, settings, GISTED)


@pytest.mark.slow
@limits(max_examples=1000, suppress_health_check=list(HealthCheck))
@given(runs(st.sampled_from(WINDOWS)), st.sampled_from(PARTS), st.integers(0, 3))
def test_many_more_streams_with_any_evidence(
    run: Run, parts: Parts, outlets: int
) -> None:
    assert_same_run(of_outlets(run.slides, outlets), run.settings, parts)


@pytest.mark.parametrize("parts", PARTS, ids=str)
def test_each_kind_of_evidence(parts: Parts) -> None:
    settings = Settings(window=3 * DAY)
    arrived = stream(1, [6, 9, 4, 0, 8, 5], topics=4)
    stories = assert_same_run(cut(arrived, settings, trailing=4), settings, parts)

    assert max(stories) > 1  # worth comparing
    assert stories[-1] == 0


def test_more_articles_than_one_may_be_linked_with() -> None:
    settings = Settings(window=3 * DAY)
    arrived = stream(5, [70, 20], topics=1)
    assert_same_run(cut(arrived, settings), settings, PLAIN)


def test_one_outlet_that_has_most_articles() -> None:
    settings = Settings(window=3 * DAY)
    arrived = stream(6, [40, 30], topics=3)
    assert_same_run(of_outlets(cut(arrived, settings), 1), settings, PLAIN)


@cache
def demo_articles() -> tuple[PreparedArticle, ...]:
    """Return the articles of the demo in order of time, with the encoder of tests."""
    source = open_source(str(demo_stream()))
    articles: list[Article] = [arrival.article for arrival in source.read()]
    prepared = prepare(articles, FastPipeline(), ENCODER, Stopwatch())
    return tuple(sorted(prepared, key=lambda p: (p.article.published_at, p.article.id)))


def demo_slides(count: int) -> list[Slide]:
    """Return the first days of the demo."""
    articles = demo_articles()
    first = articles[0].article.published_at
    begin = first.replace(hour=0, minute=0, second=0, microsecond=0)
    return [
        Slide(
            end=begin + (day + 1) * DAY,
            articles=[
                p
                for p in articles
                if begin + day * DAY <= p.article.published_at < begin + (day + 1) * DAY
            ],
        )
        for day in range(count)
    ]


def test_the_first_days_of_the_demo() -> None:
    stories = assert_same_run(demo_slides(8), Settings(), PLAIN)

    assert max(stories) > 3
