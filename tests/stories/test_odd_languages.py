"""Languages that are wrong, none or many at once: nothing fails or is joined."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.text.many_languages import REPORTS
from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.engine.languages import UsualLanguages, decided
from ustory.stories.discovery import find_stories

START = datetime(2024, 3, 1, tzinfo=UTC)
LINKS = Settings(encoder="tiny")
PAPER = Settings(encoder="tiny", mode="paper", min_articles=2)
TAGS = (
    "en",
    "xx",
    "tlh",
    "zh-TW",
    "und",
    "de_CH",
    "",
    "no such language",
    "\u202e",
    None,
)
ODD = (
    ("🎉🎉🎉", ""),
    ("🔥🔥", "🎉"),
    ("!!!", "…"),
    ("\u202eשלום לכולם\u202c", "ראש הממשלה נאם."),
    ("مرحبا hello 你好", "สวัสดี привет"),
    ("Pоlice and Роlісе", "Homoglyphs: Вlаdіmіr Рutіn."),
    ("\u0301\u0301\u0301 a", "\u200b\u200b"),
    ("\ud83d half", "a \udc00 half"),
    ("A" * 3_000, "中" * 3_000),
    ("123 456", "7.8.9"),
)


def told() -> list[Article]:
    """Return the reports of all languages with wrong tags, and odd ones among them."""
    reports = [
        (f"{lang} {n}", *r) for lang in REPORTS for n, r in enumerate(REPORTS[lang][0])
    ]
    rows = reports + [(f"odd {n}", *each) for n, each in enumerate(ODD)]
    return [
        Article(
            id=name,
            published_at=START + timedelta(minutes=place),
            title=title,
            text=text,
            lang=TAGS[place % len(TAGS)],
        )
        for place, (name, title, text) in enumerate(rows)
    ]


@pytest.mark.parametrize("settings", [LINKS, PAPER], ids=["links", "paper"])
def test_wrong_tags_and_odd_texts_stop_nothing(settings: Settings) -> None:
    assert find_stories(told(), settings).state.arrivals == len(told())


def test_odd_texts_join_no_stories() -> None:
    stories = find_stories(told(), LINKS).stories()
    for story in stories:
        assert len({name.split()[0] for name in story.articles}) == 1
    assert {name.split()[0] for s in stories for name in s.articles} == {*REPORTS}


def test_the_same_articles_give_the_same_languages_in_any_order() -> None:
    first = decided(told(), UsualLanguages())
    last = decided(told()[::-1], UsualLanguages())[::-1]
    assert [each.lang for each in first] == [each.lang for each in last]
