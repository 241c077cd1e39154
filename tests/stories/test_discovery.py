"""The front door: a stream in, stories out, and nothing lost on the way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from tests.engine.sameness import assert_same
from ustory.core.arrays import SentenceVectors
from ustory.core.article import Article
from ustory.core.errors import InputError, StateError
from ustory.core.settings import Settings
from ustory.core.story import Event
from ustory.stories.discovery import Discovery, SlideResult, find_stories
from ustory.testing import TinyEncoder, tiny_slides
from ustory.text.fast import FastPipeline

PAIRS = Settings(mode="paper", min_articles=2, window=timedelta(days=3))
ARTICLES = [p.article for slide in tiny_slides() for p in slide.articles]
"""Three stories in five days, two late articles, and one story a year later."""


PIPELINE = FastPipeline()


def tiny(settings: Settings = PAIRS) -> Discovery:
    return Discovery(settings, encoder=TinyEncoder(), pipeline=PIPELINE)


def everything(discovery: Discovery, articles: Sequence[Article]) -> list[SlideResult]:
    return [*discovery.add(articles), *discovery.finish()]


def happened(results: Sequence[SlideResult]) -> list[Event]:
    return [event for result in results for event in result.events]


UNDISTURBED = everything(tiny(), ARTICLES)


def test_a_stream_becomes_stories() -> None:
    discovery = find_stories(ARTICLES[:20], PAIRS, encoder=TinyEncoder())

    labels = {article.id: article.label for article in ARTICLES}
    topics = [{labels[a] for a in story.articles} for story in discovery.stories()]
    assert all(len(topic) == 1 for topic in topics)
    assert set().union(*topics) == {"flood", "vote", "final"}


def test_slides_come_one_by_one_and_only_as_articles_are_read() -> None:
    read: list[str] = []

    def stream() -> Iterator[Article]:
        for article in ARTICLES:
            read.append(article.id)
            yield article

    results = tiny().add(stream())

    assert read == []
    first = next(results)
    # the first article of the second day has closed the first
    assert read == [article.id for article in ARTICLES[:9]]
    assert [article.id for article in first.slide.articles] == read[:-1]


def test_the_last_slide_stays_open_until_finish() -> None:
    discovery = tiny()

    assert list(discovery.add(ARTICLES[:8])) == []
    assert discovery.pending == tuple(ARTICLES[:8])
    assert discovery.state.end is None
    (result,) = discovery.finish()
    assert len(result.slide.articles) == 8
    assert discovery.state is result.state
    assert discovery.pending == ()
    assert list(discovery.finish()) == []


def test_a_stream_in_pieces_is_the_same_stream() -> None:
    discovery = tiny()
    pieces = [result for article in ARTICLES for result in discovery.add([article])]

    assert happened([*pieces, *discovery.finish()]) == happened(UNDISTURBED)


def test_quiet_slides_are_told_until_the_window_is_empty() -> None:
    ends = [result.slide.end for result in UNDISTURBED]
    gaps = [after - before for before, after in pairwise(ends)]

    # the last articles are of the fifth day, and stay for three
    assert gaps[:-1] == [timedelta(days=1)] * 7
    assert gaps[-1] > timedelta(days=300)
    assert not UNDISTURBED[-2].state.records
    assert [event.kind for event in UNDISTURBED[-2].events] == ["expired"]


def test_why_an_article_is_where_it_is_can_be_asked() -> None:
    discovery = find_stories(ARTICLES[:20], PAIRS, encoder=TinyEncoder())
    story = discovery.stories()[0]

    decision = discovery.decision(story.articles[0])

    assert decision is not None
    assert decision.story == story.id
    assert discovery.decision("nobody") is None


def test_the_time_of_every_step_is_taken() -> None:
    discovery = find_stories(ARTICLES[:20], PAIRS, encoder=TinyEncoder())

    assert {"text", "encoding", "assignment", "seeding"} <= set(
        discovery.stopwatch.seconds
    )


class _Failing(TinyEncoder):
    """Fails at one of its calls, once."""

    def __init__(self, at: int) -> None:
        self.calls = 0
        self._at = at

    def encode(self, sentences: Sequence[str]) -> SentenceVectors:
        self.calls += 1
        if self.calls == self._at:
            raise RuntimeError("out of memory")
        return super().encode(sentences)


CONCATENATED = PAIRS.with_({"representation": "ThemSentConc"})
"""Here the engine itself calls the encoder, in the middle of a slide."""


@pytest.mark.parametrize("settings", [PAIRS, CONCATENATED])
def test_a_failing_encoder_leaves_the_last_complete_state(settings: Settings) -> None:
    articles = ARTICLES[:20]
    calls = _Failing(at=0)
    undisturbed = everything(Discovery(settings, encoder=calls), articles)
    assert calls.calls > 2
    for place in range(1, calls.calls + 1):
        discovery = Discovery(settings, encoder=_Failing(at=place), pipeline=PIPELINE)
        before: list[SlideResult] = []
        with pytest.raises(RuntimeError, match="out of memory"):
            before.extend(chain(discovery.add(articles), discovery.finish()))
        assert len(before) < len(undisturbed)
        read = len(discovery.pending) + sum(len(r.slide.articles) for r in before)

        # the failed slide is tried again, and the rest follows
        after = everything(discovery, articles[read:])

        assert happened([*before, *after]) == happened(undisturbed)
        assert discovery.engine.assignments(
            discovery.state
        ) == discovery.engine.assignments(undisturbed[-1].state)


def test_the_state_of_a_failed_slide_can_be_saved(tmp_path: Path) -> None:
    discovery = Discovery(PAIRS, encoder=_Failing(at=3))
    with pytest.raises(RuntimeError):
        everything(discovery, ARTICLES)

    discovery.save(tmp_path / "state")
    resumed, _ = Discovery.load(tmp_path / "state", encoder=TinyEncoder())

    assert_same(resumed.state, UNDISTURBED[1].state)


def test_a_reader_that_stops_halfway_loses_no_slide() -> None:
    discovery, stream = tiny(), iter(ARTICLES)
    results: list[SlideResult] = []
    while (result := next(discovery.add(stream), None)) is not None:
        results.append(result)
    results += discovery.finish()

    assert happened(results) == happened(UNDISTURBED)


@budget(max_examples=20, deadline=None)
@given(place=st.integers(0, len(ARTICLES)))
def test_a_run_saved_at_any_article_goes_on_as_if_it_had_not_stopped(
    place: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("run") / "state"
    first = tiny()
    before = list(first.add(ARTICLES[:place]))
    first.save(path, {"cursor": place})
    second, extra = Discovery.load(path, encoder=TinyEncoder(), pipeline=PIPELINE)
    after = everything(second, ARTICLES[extra["cursor"] :])

    assert extra == {"cursor": place}
    assert happened([*before, *after]) == happened(UNDISTURBED)
    assert [r.slide for r in [*before, *after]] == [r.slide for r in UNDISTURBED]
    assert_same(second.state, UNDISTURBED[-1].state)


def test_slides_that_wait_are_saved_too(tmp_path: Path) -> None:
    discovery = tiny()
    last = replace(
        ARTICLES[0], id="z", published_at=ARTICLES[0].published_at + timedelta(3)
    )
    next(discovery.add([ARTICLES[0], last]))  # two quiet slides are still to be told
    discovery.save(tmp_path / "state")

    resumed, _ = Discovery.load(tmp_path / "state", encoder=TinyEncoder())

    here, there = list(discovery.finish()), list(resumed.finish())
    assert [r.slide for r in there] == [r.slide for r in here]
    assert len(here) == 3


def test_a_state_file_brings_its_own_settings_and_encoder(tmp_path: Path) -> None:
    named = PAIRS.with_({"encoder": "tiny", "gist_encoder": "none"})
    find_stories(ARTICLES[:9], named).save(tmp_path / "state")

    discovery, extra = Discovery.load(tmp_path / "state")

    assert discovery.settings == named
    assert discovery.state.records
    assert extra == {}


class _Named(TinyEncoder):
    """The tiny encoder under another name, or of another size."""

    def __init__(self, name: str, dim: int) -> None:
        self.name = name
        self._dim = dim

    @property
    def dim(self) -> int:
        return self._dim


def test_another_encoder_is_refused(tmp_path: Path) -> None:
    discovery = tiny()
    list(discovery.add(ARTICLES[:9]))
    discovery.save(tmp_path / "state")
    assert discovery.settings.encoder == "tiny"

    with pytest.raises(StateError, match="encoder is tiny, not other; use the same"):
        Discovery.load(tmp_path / "state", encoder=_Named("other", 32))
    with pytest.raises(StateError, match=r"vectors of 32 numbers.* now gives 16"):
        Discovery.load(tmp_path / "state", encoder=_Named("tiny", 16))


def test_other_settings_are_refused(tmp_path: Path) -> None:
    tiny().save(tmp_path / "state")
    same = PAIRS.with_({"encoder": "tiny"})

    Discovery.load(tmp_path / "state", settings=same, encoder=TinyEncoder())
    with pytest.raises(
        StateError, match=r"state was made with other settings: keywords is"
    ):
        Discovery.load(tmp_path / "state", settings=same.with_({"keywords": 3}))
    with pytest.raises(StateError, match="encoder is tiny, not wordllama"):
        Discovery.load(tmp_path / "state", settings=PAIRS)


def test_another_pipeline_is_refused(tmp_path: Path) -> None:
    class Other(FastPipeline):
        name = "other"

    tiny().save(tmp_path / "state")

    with pytest.raises(StateError, match="text is fast, not other"):
        Discovery.load(tmp_path / "state", encoder=TinyEncoder(), pipeline=Other())


def test_an_id_that_is_in_the_window_is_refused_and_changes_nothing() -> None:
    discovery = tiny()
    list(discovery.add(ARTICLES[:9]))
    state = discovery.state

    with pytest.raises(InputError, match="'flood-0-0' is already in the window"):
        everything(discovery, [replace(ARTICLES[9], id="flood-0-0")])
    assert discovery.state is state


RUN = """
from hashlib import sha256
from ustory.core.settings import Settings
from ustory.stories.discovery import Discovery
from ustory.testing import TinyEncoder, tiny_slides

articles = [p.article for slide in tiny_slides() for p in slide.articles]
discovery = Discovery(Settings(mode="paper", window="3d"), encoder=TinyEncoder())
states = [r.state for r in (*discovery.add(articles), *discovery.finish())]
whole = b"".join(map(discovery.engine.freeze, states))
print(len(discovery.state.stories), sha256(whole).hexdigest())
"""


def started(seed: str) -> subprocess.Popen[str]:
    """Start the run in a process of its own, the only way to another hash seed."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", RUN]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_the_hash_seed_changes_nothing() -> None:
    processes = [started("0"), started("1")]
    told = {process.communicate()[0] for process in processes}

    assert [process.returncode for process in processes] == [0, 0]
    assert len(told) == 1
    assert int(told.pop().split()[0]) > 0
