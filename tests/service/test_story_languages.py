"""Languages of stories in an archive: counted, told, searched, withdrawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from tests.polyglot import TITLES, polyglot, tags_hold
from tests.service.running import ORIGIN, Hand, Rig, opened
from ustory.core.article import Article
from ustory.service.retell import retell
from ustory.service.withdrawal import WithdrawalRule
from ustory.store import Store
from ustory.store.export import export
from ustory.store.export_filters import ExportFilter
from ustory.store.mapping import load_all
from ustory.store.migrate import downgrade, migrate
from ustory.store.query import Selection, StoryQuery, count_facets, list_stories
from ustory.store.tables import StoryRow, stories
from ustory.store.upkeep import check
from ustory.stories.language_rows import language_for_reader
from ustory.stories.story_languages import language_in

COUNTS = {"en": 2, "es": 2, "ar": 1, "en-GB": 1, "zh": 1}


@pytest.fixture(autouse=True, scope="module")
def _tags() -> Iterator[None]:
    with tags_hold():
        yield


def told(store: Store, *more: Article) -> Rig:
    rig = Rig(store)
    rig.intake.accept(
        sorted([*polyglot(), *more], key=lambda a: a.published_at), ORIGIN
    )
    rig.loop.finish()
    return rig


def bridge(store: Store) -> StoryRow:
    with store.read() as connection:
        rows = load_all(connection, select(stories), StoryRow)
    return max(rows, key=lambda row: (row.status == "live", row.articles))


def ended(store: Store) -> StoryRow:
    with store.read() as connection:
        rows = load_all(connection, select(stories), StoryRow)
    return max(rows, key=lambda row: (row.status == "expired", row.articles))


def found(
    store: Store,
    text: str | None = None,
    lang: str | None = None,
    keyword: str | None = None,
) -> list[str]:
    query = StoryQuery(text=text, lang=lang, keyword=keyword, sort="size")
    with store.read() as connection:
        page = list_stories(connection, query)
        assert page.total == len(page.items)
    return [row.id for row in page.items]


def test_a_story_says_its_languages_and_is_told_in_each(url: str) -> None:
    with opened(url) as store:
        told(store)
        row = bridge(store)

        assert {each.lang: each.articles for each in row.in_languages} == COUNTS
        assert row.lang == "en"
        for reader in ("en", "es", "ar", "zh"):
            titles = [t for tag, t in TITLES["bridge"] if language_in(tag) == reader]
            assert language_for_reader(row, [reader]).headline in titles
        assert language_for_reader(row, ["de"]).headline == row.headline
        assert check(store) == []


def test_lists_and_counts_are_of_all_languages_of_a_story(url: str) -> None:
    with opened(url) as store:
        told(store)
        both = found(store)
        assert len(both) == 2
        for lang in ("es", "AR", "zh", "en-GB"):
            assert found(store, lang=lang) == both[:1], lang
        assert found(store, lang="en") == both
        assert found(store, lang="de") == []
        assert found(store, text="Marlow lang:es") == both[:1]
        assert found(store, text="puente derrumba lang:de") == []
        with store.read() as connection:
            query = StoryQuery()
            selection = Selection.of(connection, query)
            counts = count_facets(connection, selection, polyglot()[0].published_at)
            for lang, count in counts.langs.items():
                chosen = Selection.of(connection, replace(query, lang=lang))
                assert chosen.total == count, lang
        assert counts.langs == {"en": 2, "ar": 1, "en-GB": 1, "es": 1, "zh": 1}


def test_a_story_is_found_by_its_name_in_any_language(url: str) -> None:
    with opened(url) as store:
        told(store)
        row = bridge(store)
        with store.read() as connection:
            for lang in ("es", "ar", "zh"):
                headline = language_for_reader(row, [lang]).headline
                page = list_stories(connection, StoryQuery(text=f'"{headline}"'))
                assert [one.id for one in page.items] == [row.id], headline
        assert found(store, text="大桥") == [row.id]
        assert found(store, text="انهيار جسر") == [row.id]
        for word in language_for_reader(row, ["es"]).keywords:
            assert row.id in found(store, keyword=word)


def test_what_is_withdrawn_takes_its_headline_with_it(url: str) -> None:
    with opened(url) as store:
        rig = told(store)
        first = bridge(store)
        gone = language_for_reader(first, ["es"]).headline
        name = next(a.id for a in polyglot() if a.title == gone)
        rig.loop.withdraw(WithdrawalRule("article", name))
        row = bridge(store)
        assert language_for_reader(row, ["es"]).headline not in ("", gone)
        assert {e.lang: e.articles for e in row.in_languages} == COUNTS | {"es": 1}
        rig.loop.withdraw(WithdrawalRule("text", "انهيار جسر"))
        row = bridge(store)
        assert language_for_reader(row, ["ar"]).headline == row.headline
        assert found(store, lang="ar") == found(store, text="انهيار") == []
        assert check(store) == []


def test_an_ended_story_loses_the_headline_of_what_is_withdrawn(url: str) -> None:
    chess = [
        replace(
            polyglot()[0],
            id=f"chess-{n}",
            url=f"https://chess.example/{n}",
            title=f"Chess final in Oslo, day {n}",
            text=f"Grandmasters met in Oslo for a final of chess; game {n} was drawn.",
            published_at=polyglot()[0].published_at + timedelta(days=n),
        )
        for n in (3, 6, 9)
    ]
    with opened(url) as store:
        rig = told(store, *chess)
        row = ended(store)
        assert language_for_reader(row, ["zh"]).headline
        rig.loop.withdraw(WithdrawalRule("text", "马洛大桥"))
        row = ended(store)
        assert "zh" not in {each.lang for each in row.in_languages}
        assert language_for_reader(row, ["zh"]).headline == row.headline
        assert language_for_reader(row, ["es"]).lang == "es"
        assert check(store) == []


def test_a_language_that_left_the_window_is_told_as_before(url: str) -> None:
    with opened(url) as store:
        clock = Hand()
        rig = Rig(store, clock=clock)
        rig.intake.accept(polyglot(), ORIGIN)
        for day in (4, 9):
            clock.time = polyglot()[0].published_at + timedelta(days=day)
            later = replace(
                polyglot()[0],
                id=f"later-{day}",
                url=f"https://later.example/{day}",
                title=f"Marlow bridge, day {day}",
                published_at=clock.time,
            )
            rig.loop.catch_up()
            rig.intake.accept([later], ORIGIN)
        rig.loop.finish()
        row = bridge(store)
        assert row.status == "live"
        assert row.inside < row.articles
        assert {e.lang: e.articles for e in row.in_languages} == COUNTS | {"en": 4}
        assert language_for_reader(row, ["zh"]).headline == TITLES["bridge"][6][1]
        assert check(store) == []


def test_stories_computed_again_have_the_same_languages(url: str) -> None:
    with opened(url) as store:
        rig = told(store)
        before = bridge(store)
        retell(store, rig.loop.runner, rig.clock)
        assert bridge(store).in_languages == before.in_languages
        assert check(store) == []


def test_exports_have_languages_and_find_all_of_them(url: str) -> None:
    with opened(url) as store:
        told(store)
        rows = b"".join(export(store.read, "stories", "jsonl")).decode().splitlines()
        assert any('"languages": {"en": 2, "es": 2, "ar": 1,' in row for row in rows)
        for lang, count in {"es": 1, "zh": 1, "en": 2, "ES": 0, "s": 0}.items():
            wanted = ExportFilter(lang=lang)
            some = b"".join(export(store.read, "stories", "jsonl", wanted))
            assert len(some.splitlines()) == count, lang


def test_an_older_archive_counts_languages_and_tells_them_when_a_story_changes(
    url: str,
) -> None:
    with opened(url) as store:
        told(store)
        before = bridge(store)
        downgrade(store, "0014")
        migrate(store)
        after = bridge(store)
        assert {e.lang: e.articles for e in after.in_languages} == COUNTS
        assert language_for_reader(after, ["es"]).headline == before.headline
        assert after.headline == before.headline
        assert check(store) == []
        new = replace(
            polyglot()[0],
            id="new",
            url="https://new.example/",
            title="Marlow bridge is gone",
            published_at=polyglot()[-1].published_at + timedelta(hours=1),
        )
        rig = Rig(store)
        rig.intake.accept([new], ORIGIN)
        rig.loop.finish()
        row = bridge(store)
        assert row.articles == 8
        told_again = language_for_reader(row, ["es"]).headline
        assert told_again == language_for_reader(before, ["es"]).headline
        assert check(store) == []
