"""Articles that say no language, in many languages, all the way to keywords."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.text.many_languages import REPORTS

from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.engine.languages import UsualLanguages, decided
from ustory.stories.discovery import find_stories
from ustory.text.fast import FastPipeline
from ustory.text.languages import language_of

START = datetime(2024, 3, 1, tzinfo=UTC)


def articles(lang: str) -> list[Article]:
    """Return the reports of a language, each of an outlet of its own."""
    return [
        Article(
            id=f"{lang}-{number}",
            published_at=START.replace(hour=number),
            title=title,
            text=text,
            source=f"{lang} {number}",
        )
        for number, (title, text) in enumerate(REPORTS[lang][0])
    ]


EVERY = [article for lang in REPORTS for article in articles(lang)]


@pytest.mark.parametrize("lang", REPORTS)
def test_reports_are_read_in_their_language(lang: str) -> None:
    found = decided(articles(lang), UsualLanguages())
    assert {article.lang for article in found} == {language_of(lang)}


@pytest.mark.parametrize("lang", REPORTS)
def test_no_word_of_a_report_is_a_function_word(lang: str) -> None:
    pipeline = FastPipeline()
    known = decided(articles(lang), UsualLanguages())
    for article in known:
        counts = pipeline.count(pipeline.split(article), article.lang)
        assert not set(counts.words) & set(REPORTS[lang][1].split())


def test_each_language_has_its_story_and_no_function_word_is_a_keyword() -> None:
    stories = find_stories(EVERY, Settings(encoder="tiny")).stories()
    found = {frozenset(story.articles): story.keywords for story in stories}
    assert found.keys() == {
        frozenset(article.id for article in articles(lang)) for lang in REPORTS
    }
    for lang, (_, function_words) in REPORTS.items():
        mine = found[frozenset(article.id for article in articles(lang))]
        said = {word for keyword in mine for word in keyword.split()}
        assert mine
        assert not said & set(function_words.split())


def test_sentences_end_where_each_script_ends_them() -> None:
    pipeline = FastPipeline()
    ends = {
        "zh": "洪水来了。居民撤离！谁来帮忙？",
        "ja": "川が氾濫した。住民は避難した。雨はやまない。",
        "ko": "강이 넘쳤다. 주민이 대피했다. 비가 온다.",
        "ar": "ارتفع النهر. غادر السكان؟ نعم غادروا.",
        "hi": "नदी में बाढ़ आई। लोग चले गए। बारिश जारी है।",
        "tr": "Nehir taştı. Halk kaçtı. Yağmur sürüyor.",
    }
    for lang, text in ends.items():
        article = Article(id="a", published_at=START, text=text, lang=lang)
        assert len(pipeline.split(article)) == 3, lang


def test_vietnamese_needs_no_list() -> None:
    [story] = find_stories(articles("vi"), Settings(encoder="tiny")).stories()
    assert {"lũ", "huế", "sông hương"} <= set(story.keywords)
