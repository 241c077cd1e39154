"""Words of every script are found, on both databases alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.search import ExhaustiveSearch, PlainArticle, day, plain_words
from tests.store.builders import fill
from tests.store.searching import stories_of, write_plain
from tests.store.test_store_ranking import check_alike
from ustory.store import Store
from ustory.store.article_hits import list_articles
from ustory.store.migrate import downgrade, migrate
from ustory.store.query import StoryQuery
from ustory.store.search import Search
from ustory.store.search_words import is_unspaced, word_pattern, words_of
from ustory.store.upkeep import check

TITLES = (
    "東京で地震、橋が閉鎖された",
    "ビルの火災で橋が閉鎖",
    "ヒルズで京都の東を語る",
    "北京地震后桥梁关闭",
    "แผ่นดินไหวในกรุงเทพ สะพานปิด",
    "หวานเย็น",
    "हिन्दी में भूकंप की ख़बर",
    "हनद",
    "زلزال في القاهرة يغلق الجسر",
    "الزِّلزال يضرب القـــاهرة",
    "רעידת אדמה סגרה את הגשר",
    "Землетрясение закрыло мост",
    "Σεισμός στην Αθήνα",
    "Wałęsa w Gdańsku",
    "İstanbul'da KADIKÖY köprüsü",
    "서울에서 지진으로 다리가 폐쇄",
    "Đà Nẵng đóng cầu",
    "၂၀၂၄ ရန်ကုန် ငလျင်",
    "🌉 ** 𠮷野家 ٣ x²",
)
QUERIES = {
    "東京": [1],
    "橋が閉鎖": [1, 2],
    "京": [1, 3, 4],
    "東京 OR 京都": [1, 3],
    "地震": [1, 4],
    "京東": [],
    "ビル": [2],
    "ヒル": [3],
    "ﾋﾞﾙ": [2],
    "กรุงเทพ": [5],
    "ไหว": [5],
    "หว": [5, 6],
    "หวาน": [6],
    "हिन्दी": [7],
    "हनद": [8],
    "खबर": [7],
    "القاهرة": [9, 10],
    "الزلزال": [10],
    "زلزال": [9],
    "زلز*": [9],
    "הגשר": [11],
    "МОСТ": [12],
    "σεισμος": [13],
    "walesa gdansku": [14],
    "kadıköy": [15],
    "Kadikoy istanbul": [15],
    "지진*": [16],
    "da nang": [17],
    "ရန်ကုန်": [18],
    "2024": [18],
    "𠮷": [19],
    "3 x2": [19],
}


def archive(titles: Sequence[str]) -> list[PlainArticle]:
    return [
        PlainArticle(
            seq=seq,
            title=title,
            text=f"{titles[-seq]} {title}" if seq % 2 else "",
            published=day(seq),
            source="Vox",
            lang=None,
            story=f"s{seq % 5:06d}" if seq % 5 else None,
        )
        for seq, title in enumerate(titles, start=1)
    ]


def test_titles_of_every_script_are_found_on_both_databases(store: Store) -> None:
    articles = [
        PlainArticle(n, title, "", day(n), "Vox", None, None)
        for n, title in enumerate(TITLES, start=1)
    ]
    with store.write() as connection:
        write_plain(connection, articles, [])
    exhaustive = ExhaustiveSearch(articles, [])
    for text, expected in QUERIES.items():
        with store.read() as connection:
            search = Search.of(connection, text)
            page = list_articles(connection, StoryQuery(text=text), search)
        assert sorted(row.seq for row in page.items) == expected, text
        check_alike(store, exhaustive, text)


def test_order_totals_and_counts_are_those_of_a_scan(store: Store) -> None:
    articles = archive(TITLES)
    stories = stories_of(articles)
    with store.write() as connection:
        write_plain(connection, articles, stories)
    exhaustive = ExhaustiveSearch(articles, stories)
    for text in [*QUERIES, "京 OR 橋", "閉鎖 -東京", '"橋が" 火災']:
        check_alike(store, exhaustive, text)


_WRITTEN = "".join(TITLES) + "ab é"


@given(st.text(alphabet=_WRITTEN, max_size=30), st.text(max_size=12))
def test_words_are_cut_the_same_once_they_were_cut(text: str, more: str) -> None:
    found = words_of(f"{text} {more}")
    assert found == plain_words(f"{text} {more}")
    assert words_of(" ".join(found)) == found
    for word in found:
        assert word_pattern().fullmatch(word)
        assert len(re.findall(r"\w", word)) == 1 or not is_unspaced(word)


def test_no_character_breaks_either_index(store: Store) -> None:
    """Each letter and each mark that there is, in one document."""
    every = [
        chr(n)
        for n in range(0x80, 0x33480, 7)
        if unicodedata.category(chr(n))[0] in "LMN"
    ]
    titles = [" ".join(every[at : at + 60]) for at in range(0, len(every), 60)]
    articles = [
        PlainArticle(n, "", text, day(n), None, None, None)
        for n, text in enumerate(titles, start=1)
    ]
    with store.write() as connection:
        write_plain(connection, articles, [])
    for article in articles[::17]:
        for word in {w for w in words_of(article.text) if not w.isascii()}:
            with store.read() as connection:
                found = Search.of(connection, f'"{word}"').articles.tolist()
            assert article.seq in found, word


def test_a_slip_is_mended_in_words_and_never_in_a_run(store: Store) -> None:
    articles = archive(("ที่ เชียงใหม่ earthquake", "東京 bridge"))
    with store.write() as connection:
        write_plain(connection, articles, [])
    with store.read() as connection:
        assert Search.of(connection, "earthqake", mend=True).corrected == "earthquake"
        assert Search.of(connection, "ที้", mend=True).corrected is None
        assert Search.of(connection, "東亰", mend=True).corrected is None


@pytest.mark.parametrize("older", ["0014", "0010"])
def test_an_older_index_is_made_anew_on_the_way_there_and_back(
    store: Store, older: str
) -> None:
    fill(store)
    downgrade(store, older)
    migrate(store)
    assert check(store) == []
    with store.read() as connection:
        assert len(Search.of(connection, "storm").articles) == 12
