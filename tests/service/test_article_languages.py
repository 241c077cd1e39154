"""The language of articles in the archive: as it is, and as their sources said."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import func, select

from tests.service.running import START, Rig, opened, pipeline, tell_all
from tests.text.many_languages import REPORTS
from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.service.provisional import Answers
from ustory.service.recovery import to_article
from ustory.service.retell import retell
from ustory.service.slide_runner import SlideRunner
from ustory.service.verify import replay
from ustory.store import Store
from ustory.store.articles import texts_of_slide
from ustory.store.languages import said_language
from ustory.store.migrate import downgrade, migrate
from ustory.store.tables import ArticleRow, articles, stories
from ustory.store.upkeep import check
from ustory.testing import TinyEncoder

DAILY = Settings(window=timedelta(days=3))


def told(
    lang: str, source: str, *, tag: str | None = None, day: int = 0
) -> list[Article]:
    """Return the reports of a language as an outlet sends them, with a tag."""
    return [
        Article(
            id=f"{source}-{day}-{number}",
            published_at=START + timedelta(days=day, hours=number),
            title=title,
            text=text,
            source=source,
            lang=tag,
            url=f"https://{source}.example/{day}/{number}",
        )
        for number, (title, text) in enumerate(REPORTS[lang][0])
    ]


SHORT = Article(
    id="short",
    published_at=START + timedelta(days=1, hours=5),
    title="Dresden 2:1 Leipzig",
    source="blatt",
    url="https://blatt.example/short",
)
STREAM = sorted(
    [
        *told("de", "blatt"),
        *told("de", "falsch", tag="en"),
        *told("pl", "pismo", tag="pl"),
        *told("zh", "bao", day=1),
        SHORT,
    ],
    key=lambda one: (one.published_at, one.id),
)


def languages(store: Store) -> dict[str, tuple[str | None, str | None]]:
    """Return what articles are in, and what is kept of what their sources said."""
    with store.read() as connection:
        rows = connection.execute(select(articles))
        return {row.id: (row.lang, row.sent_lang) for row in rows}


def as_told(store: Store) -> dict[str, str | None]:
    """Return what sources said, as slides read it."""
    with store.read() as connection:
        last = connection.execute(select(func.max(articles.c.slide))).scalar_one()
        slides = range(1, last + 1)
        rows = [pair for n in slides for pair in texts_of_slide(connection, n)]
    return {row.id: to_article(row, text).lang for row, text in rows}


def test_articles_are_stored_in_the_language_that_they_are_in(url: str) -> None:
    with opened(url) as store:
        tell_all(store, STREAM)
        found = languages(store)
        assert found["blatt-0-0"] == ("de", "")
        assert found["falsch-0-0"] == ("de", "en")
        assert found["pismo-0-0"] == ("pl", None)
        assert found["bao-1-0"] == ("zh", "")
        assert found["short"] == ("de", "")
        assert as_told(store) == {article.id: article.lang for article in STREAM}
        with store.read() as connection:
            named = set(connection.execute(select(stories.c.lang)).scalars())
        assert named == {"de", "pl", "zh"}
        assert check(store) == []


def test_a_replay_and_another_telling_find_the_same_languages(url: str) -> None:
    with opened(url) as store:
        rig = tell_all(store, STREAM)
        before = languages(store)
        verdict = replay(store, encoder=TinyEncoder(), pipeline=pipeline())
        assert verdict.slides
        assert verdict.problems == ()
        runner = SlideRunner(rig.loop.settings, TinyEncoder(), pipeline())
        assert retell(store, runner, lambda: START + timedelta(days=9))
        assert languages(store) == before
        assert check(store) == []


def test_an_archive_of_before_gets_its_languages_when_it_is_told_again(
    url: str,
) -> None:
    with opened(url) as store:
        rig = tell_all(store, STREAM)
        before = languages(store)
        downgrade(store, "0014")
        migrate(store)
        assert {said for _, said in languages(store).values()} == {None}
        with store.write() as connection:
            blank = articles.update().where(articles.c.source == "blatt")
            connection.execute(blank.values(lang=None))
        runner = SlideRunner(rig.loop.settings, TinyEncoder(), pipeline())
        retell(store, runner, lambda: START + timedelta(days=9))
        after = languages(store)
        assert after["blatt-0-0"] == before["blatt-0-0"]
        assert after["short"] == before["short"]


def test_one_stream_in_two_pieces_has_the_same_languages(url: str) -> None:
    with opened(url) as store:
        half = len(STREAM) // 2
        tell_all(store, STREAM[:half])
        rig = Rig(store)
        rig.accept(*STREAM[half:])
        rig.loop.finish()
        assert languages(store)["short"] == ("de", "")


def test_an_answer_before_the_slide_is_in_the_language_of_the_outlet(
    url: str,
) -> None:
    with opened(url) as store:
        rig = tell_all(store, STREAM)
        [first, *_] = told("de", "blatt", day=3)
        again = replace(first, id="new", url="https://blatt.example/new")
        [matches] = Answers(rig.loop).match([again])
        [same] = Answers(rig.loop).match([replace(again, lang="de")])
        assert matches
        assert matches == same


def test_what_a_source_said_can_be_told_from_what_is_so() -> None:
    row = ArticleRow(
        id="a", seq=1, slide=1, published_at=START, fetched_at=START, fingerprint="f"
    )
    assert said_language(replace(row, lang="de")) == "de"
    assert said_language(replace(row, lang="de", sent_lang="en")) == "en"
    assert said_language(replace(row, lang="de", sent_lang="")) is None
