"""The language of an article: its source, its text, its outlet, its stream."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.many_languages import REPORTS
from ustory.core.article import Article
from ustory.engine import languages
from ustory.engine.languages import UsualLanguages, decided
from ustory.text.languages import language_of

START = datetime(2024, 3, 1, tzinfo=UTC)
SHORT = "Oslo 2:1 Turin"
"""In no language."""


def article(lang: str | None, told: str | None = None, **fields: str) -> Article:
    """Return a report in a language; its source says `told`."""
    title, text = REPORTS[lang][0][0] if lang else (SHORT, "")
    given = {"id": "a", "title": title, "text": text, **fields}
    return Article(published_at=START, lang=told, **given)  # type: ignore[arg-type]


def one(read: Article, usual: UsualLanguages | None = None) -> str | None:
    """Return the language of an article that comes alone."""
    return decided([read], usual or UsualLanguages())[0].lang


def wrote(lang: str, source: str = "", times: int = 1) -> UsualLanguages:
    """Return what is known after an outlet wrote in a language."""
    return UsualLanguages().after([article(lang, source=source)] * times, 1.0)


@pytest.mark.parametrize("lang", REPORTS)
def test_what_a_source_says_of_its_text_stays(lang: str) -> None:
    assert one(article(lang, lang)) == lang


@pytest.mark.parametrize("told", [None, "", "und", "mul", "no language at all", "zxx"])
def test_where_a_source_says_nothing_the_text_does(told: str | None) -> None:
    assert one(article("pl", told)) == "pl"


@pytest.mark.parametrize("told", ["ru", "ja", "en", "xx", "tlh"])
def test_a_text_that_is_clearly_something_else_is_read_as_that(told: str) -> None:
    assert one(article("pl", told)) == "pl"


def test_a_short_text_does_not_contradict_its_source() -> None:
    assert one(article(None, "de", title="Marine Le Pen")) == "de"
    assert one(article(None, "ja", title="NATO")) == "ja"
    assert one(article(None, "xx")) == "xx"


def test_languages_that_are_hard_to_tell_apart_are_left_to_the_source() -> None:
    text = "Pemerintah mengumumkan rencana baru untuk ekonomi negara tahun depan. " * 3
    for told in ("id", "ms"):
        assert one(article(None, told, text=text)) == told


def test_an_unsure_text_is_in_the_usual_language_of_its_outlet() -> None:
    usual = wrote("de", "Blatt", 3)
    assert one(article(None, source="Blatt"), usual) == "de"
    assert one(article(None, source=" BLATT "), usual) == "de"
    assert one(article(None, source="Blatt", title="🎉"), usual) == "de"


def test_an_outlet_without_history_writes_as_the_stream_does() -> None:
    usual = wrote("de", "Blatt", 3).after([article("pl", source="Pismo")], 2.0)
    assert one(article(None, source="Neu"), usual) == "de"
    assert one(article(None), usual) == "de"
    assert one(article(None, source="Pismo"), usual) == "pl"


def test_without_any_history_it_is_english_if_that_can_be() -> None:
    assert one(article(None)) == "en"
    assert one(article(None, title="🎉🎉")) == "en"
    assert one(article(None, title="Київ")) in ("uk", "ru", "bg", "be")


def test_no_outlet_makes_a_text_of_one_script_one_of_another() -> None:
    usual = wrote("de", "Blatt", 50)
    assert one(article(None, source="Blatt", title="東京"), usual) == "zh"
    assert (
        one(article(None, source="Blatt", title="東京"), wrote("ja", "Blatt")) == "ja"
    )


def test_all_articles_of_a_slide_count_in_whatever_order() -> None:
    short = article(None, source="Blatt")
    sure = [replace(article("de", source="Blatt"), id=f"b{n}") for n in range(3)]
    for some in ([short, *sure], [*sure, short]):
        found = {each.id: each.lang for each in decided(some, UsualLanguages())}
        assert set(found.values()) == {"de"}


@given(st.permutations([*REPORTS, *REPORTS]), st.integers(1, 5))
def test_what_is_known_does_not_depend_on_the_order(order: list[str], few: int) -> None:
    some = [
        article(lang, source=f"S{place % few}") for place, lang in enumerate(REPORTS)
    ]
    by_lang = dict(zip(REPORTS, some, strict=True))
    first = UsualLanguages().after([by_lang[lang] for lang in sorted(order)], 1.0)
    second = UsualLanguages().after([by_lang[lang] for lang in order], 1.0)
    assert np.array_equal(first.outlets, second.outlets)
    assert first.languages == second.languages
    assert np.array_equal(first.counts, second.counts)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "MAX_ROWS", 4)
    usual = UsualLanguages()
    for day in range(20):
        usual = usual.after([article("de", source=f"Blatt {day}")], float(day))
    assert len(usual.outlets) == 4
    assert usual.of("Blatt 19", "Latin") == "de"


def test_an_outlet_that_changes_its_language_is_followed() -> None:
    usual = wrote("de", "Blatt", 2_000)
    for day in range(2):
        usual = usual.after([article("pl", source="Blatt")] * 200, day + 2.0)
    assert usual.of("Blatt", "Latin") == "pl"


@given(st.text(max_size=80), st.text(max_size=80), st.none() | st.text(max_size=12))
def test_whatever_comes_has_a_language(title: str, text: str, told: str | None) -> None:
    found = one(Article(id="a", published_at=START, title=title, text=text, lang=told))
    assert found
    assert language_of(found)
