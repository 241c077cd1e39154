"""Stories of several languages: which there are, and how each is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.polyglot import TITLES, polyglot, tags_hold
from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.core.story import Story, StoryLanguage
from ustory.stories.discovery import Discovery, find_stories
from ustory.stories.record import SavedRecords, StoryRecord, StoryRecords
from ustory.stories.story_languages import (
    common_language,
    counted,
    language_in,
    part_for_reader,
)
from ustory.testing import TinyEncoder

SETTINGS = Settings(slide=timedelta(days=1))
LANGUAGES = {"en": 2, "es": 2, "ar": 1, "en-GB": 1, "zh": 1}
BRIDGE = dict(enumerate(title for _, title in TITLES["bridge"]))


@pytest.fixture(autouse=True, scope="module")
def _tags() -> Iterator[None]:
    with tags_hold():
        yield


def found(articles: list[Article] | None = None, mode: str = "links") -> Discovery:
    settings = replace(SETTINGS, mode=mode)
    return find_stories(articles or polyglot(), settings, encoder=TinyEncoder())


def bridge(discovery: Discovery, *reader: str) -> Story:
    (story,) = [s for s in discovery.stories(reader) if "bridge-0" in s.articles]
    assert len(story.articles) == len(TITLES["bridge"])
    return story


def test_a_story_has_its_languages_with_counts_the_most_first() -> None:
    discovery = found()
    story = bridge(discovery)
    other = next(s for s in discovery.stories() if s.id != story.id)

    assert {each.lang: each.articles for each in story.languages} == LANGUAGES
    counts = [each.articles for each in story.languages]
    assert counts == sorted(counts, reverse=True)
    assert [(each.lang, each.articles) for each in other.languages] == [("en", 2)]
    assert other.languages[0].headline == ""


@pytest.mark.parametrize(
    ("reader", "language"),
    [((), "en"), (("es",), "es"), (("ar",), "ar"), (("zh-TW",), "zh"),
     (("de", "es-MX", "en"), "es"), (("de",), "en"), (("en-US",), "en"),
     (("no language",), "en")],
)  # fmt: skip
def test_headline_and_keywords_are_in_the_language_of_the_reader(
    reader: tuple[str, ...], language: str
) -> None:
    story = bridge(found(), *reader)

    titles = [title for tag, title in TITLES["bridge"] if language_in(tag) == language]
    assert story.headline in titles
    assert story.lang == language
    words = " ".join(a.title + a.text for a in polyglot()
                     if language_in(a.lang) == language).lower()  # fmt: skip
    assert story.keywords
    assert all(word in words for key in story.keywords for word in key.split())


def test_the_headline_of_one_language_is_chosen_among_its_articles_alone() -> None:
    """What others write in other languages makes no difference to it."""
    discovery = found([a for a in polyglot() if language_in(a.lang) == "en"])
    (alone,) = [s for s in discovery.stories() if "bridge-0" in s.articles]

    assert bridge(found()).headline == alone.headline


def test_in_the_papers_mode_headlines_have_languages_and_keywords_have_not() -> None:
    discovery = found(mode="paper")
    stories = [s for s in discovery.stories(["es"]) if "bridge-3" in s.articles]

    assert [s.headline in (BRIDGE[3], BRIDGE[4]) for s in stories] in ([], [True])


def test_one_outlet_does_not_choose_the_language_of_a_headline() -> None:
    first, one = polyglot()[0], "Outlet 3"
    flood = [
        replace(first, id=f"x{n}", lang="es", title=f"Título {n}", source=one)
        for n in range(20)
    ]
    story = next(
        s for s in found([*flood, *polyglot()]).stories() if "bridge-0" in s.articles
    )

    assert story.languages[0].lang == "es"
    assert story.lang == "en"
    assert story.headline in BRIDGE.values()


_TAGS = st.sampled_from(["en", "en-GB", "de", "DE", "", None, "zh-TW", "no such tag"])


@given(st.lists(st.tuples(_TAGS, st.sampled_from("abcd"))))
def test_the_common_language_is_that_of_most_outlets(
    articles: list[tuple[str | None, str]],
) -> None:
    best, most = None, (0, 0)
    for language in ("de", "en", "zh"):
        own = [outlet for tag, outlet in articles if language_in(tag) == language]
        if (len(set(own)), len(own)) > most:
            best, most = language, (len(set(own)), len(own))
    assert common_language(articles) == best
    assert common_language(reversed(articles)) == best


@given(st.dictionaries(_TAGS, st.integers(1, 9)))
def test_no_article_of_a_known_language_is_left_out(
    counts: Mapping[str | None, int],
) -> None:
    main = StoryLanguage(lang="en", articles=0, headline="Storm", keywords=("storm",))
    in_languages = counted(counts, [], main)

    known = {tag: n for tag, n in counts.items() if language_in(tag) != "und"}
    assert {each.lang: each.articles for each in in_languages} == known
    headlines = [each.headline for each in in_languages if each.headline]
    assert len(headlines) <= 1
    told = part_for_reader(in_languages, ["en"])
    assert told is None or told.keywords == ("storm",)


def test_records_of_a_run_count_languages_and_survive_a_file() -> None:
    discovery = Discovery(SETTINGS, encoder=TinyEncoder())
    records = StoryRecords(SETTINGS, discovery.state, SavedRecords())
    for results in (discovery.add(polyglot()), discovery.finish()):
        for result in results:
            records.update(result.state, result.events)
    records.describe(discovery.state)
    story = records.largest()[0]

    table = story.to_dict()
    assert table["languages"] == LANGUAGES
    assert list(table["languages"].values()) == sorted(LANGUAGES.values())[::-1]
    assert table["headlines"]["zh"] == BRIDGE[6]
    assert StoryRecord.from_dict(json.loads(json.dumps(table))) == story
    old = {k: v for k, v in table.items() if k not in ("languages", "headlines")}
    assert StoryRecord.from_dict(old).languages == {}


def test_a_state_keeps_the_languages_of_its_articles(tmp_path: Path) -> None:
    path = tmp_path / "state.ustory"
    discovery = found()
    discovery.save(path)
    again, _ = Discovery.load(path, encoder=TinyEncoder())

    assert bridge(again, "ar") == bridge(discovery, "ar")
