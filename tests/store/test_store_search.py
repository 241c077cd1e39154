"""Words are found on both databases alike, newest first, page by page."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.builders import article_row, revision_row, take_in
from ustory.core.errors import ConfigError
from ustory.store import Connection, Store, fulltext
from ustory.store.articles import add_revisions, insert_articles
from ustory.store.fulltext import ARTICLES, Document
from ustory.store.listing import search_articles
from ustory.store.reindex import rebuild_search
from ustory.store.search_query import Phrase, Query, parse_query
from ustory.store.search_words import MOST_WORDS, words_of

TEXTS = {
    1: "The old Bridge was closed after the storm",
    2: "Él puente está cerrado; 3.5 million paid",
    3: "東京で橋が閉鎖された",
    4: "bridges and tunnels, closed for good",
    5: "Straße gesperrt: die Brücke ist zu",
    6: "'quoted' \"words\" & | ! : * <-> \\ (brackets)",
}


@pytest.fixture
def full(store: Store) -> Store:
    rows = [article_row(n, title="", id=f"a{n}") for n in TEXTS]
    with store.write() as connection:
        insert_articles(connection, rows)
        add_revisions(connection, [revision_row(row, TEXTS[row.seq]) for row in rows])
    return store


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("bridge", [1]),
        ("BRIDGE closed", [1]),
        ("closed", [4, 1]),
        ("closed -storm", [4]),
        ('closed -"after the storm"', [4]),
        ("bridge*", [4, 1]),
        ('"old bridge"', [1]),
        ('"bridge old"', []),
        ('"the sto', []),
        ('"the storm', [1]),
        ("el puente esta", [2]),
        ("3.5", [2]),
        ("東京", [3]),
        ("京東", []),
        ("橋", [3]),
        ("strasse brucke", [5]),
        ("STRASSE", [5]),
        ("quoted words brackets", [6]),
        ("-storm", []),
        ("& | ! : * <-> ' \" \\ ( )", []),
        ("bridge' AND 1=1 --", []),
        ("bridge' OR 1=1 --", [1]),
        ("bridge OR puente OR 橋", [3, 2, 1]),
        ("closed storm OR good", [4, 1]),
        ("closed OR", [4, 1]),
        ("OR closed", [4, 1]),
        ("closed OR -storm", [4]),
        ("quoted:words", [6]),
        ("NEAR(bridge", []),
        ("", []),
    ],
)
def test_the_same_is_found_on_both(full: Store, query: str, found: list[int]) -> None:
    with full.read() as connection:
        page = search_articles(connection, query)
    assert [row.seq for row in page.items] == found


def test_hits_come_in_pages(store: Store) -> None:
    with store.write() as connection:
        take_in(connection, 25)
    seen: list[int] = []
    cursor = None
    with store.read() as connection:
        while True:
            page = search_articles(connection, "bridge", 10, cursor)
            seen += [row.seq for row in page.items]
            cursor = page.cursor
            if cursor is None:
                break
    assert seen == list(range(25, 0, -1))


def numbers(connection: Connection, text: str) -> list[int]:
    return [int(n) for n in ARTICLES.find(connection, parse_query(text))]


def test_no_phrase_begins_in_the_title_and_ends_in_the_text(store: Store) -> None:
    with store.write() as connection:
        ARTICLES.add(connection, [Document(1, "old bridge", "closed today")])
        assert numbers(connection, '"bridge closed"') == []
        assert numbers(connection, '"old bridge" "closed today"') == [1]
        title = {"bridge": True, "closed": False, "bri*": True}
        for word, there in title.items():
            [phrase] = parse_query(word).wanted
            found = ARTICLES.with_phrase(connection, phrase, title=True)
            assert found.tolist() == ([1] if there else [])


def test_what_was_removed_is_not_found(store: Store) -> None:
    documents = [Document(n, f"title {n}", "some text") for n in (1, 2, 3)]
    with store.write() as connection:
        ARTICLES.add(connection, documents)
        ARTICLES.remove(connection, documents[1:2])
        assert numbers(connection, "text") == [1, 3]
        assert numbers(connection, '"title 2"') == []
        assert ARTICLES.count(connection) == 2
        ARTICLES.add(connection, documents[1:2])
        assert numbers(connection, '"title 2"') == [2]


def test_the_index_can_be_made_again(full: Store) -> None:
    with full.write() as connection:
        ARTICLES.clear(connection)
        assert numbers(connection, "closed") == []
        rebuild_search(connection)
        assert numbers(connection, "closed") == [1, 4]
        assert ARTICLES.count(connection) == len(TEXTS)


def test_the_longest_text_can_be_found(store: Store) -> None:
    rows = [article_row(1), article_row(2), article_row(3)]
    unlike = " ".join(f"{n:x}" + "é" * 70 for n in range(30_000))
    texts = ["word " * 200_000, unlike, "\N{CJK UNIFIED IDEOGRAPH-4E00}" * 400_000]
    with store.write() as connection:
        insert_articles(connection, rows)
        pairs = zip(rows, texts, strict=True)
        add_revisions(connection, [revision_row(row, text) for row, text in pairs])
    with store.read() as connection:
        found = search_articles(connection, "storm").items
        assert [row.seq for row in found] == [3, 2, 1]


@pytest.mark.parametrize(
    "cursor", ["x", "WyJzZWFyY2giLCJhIl0", "WyJzZWFyY2giLDFlOTldXQ"]
)
def test_a_wrong_cursor_is_refused_in_words(full: Store, cursor: str) -> None:
    with pytest.raises(ConfigError, match="cursor"), full.read() as connection:
        search_articles(connection, "bridge", 5, cursor)


def test_a_page_of_nothing_is_refused(full: Store) -> None:
    with pytest.raises(ConfigError, match="at least one"), full.read() as connection:
        search_articles(connection, "bridge", 0)


@given(st.text(max_size=60))
def test_words_are_the_same_whatever_the_case_and_form(text: str) -> None:
    found = words_of(text)
    assert words_of(" ".join(found)) == found
    assert all(word and not word.isspace() for word in found)


@given(st.text(alphabet="ab -\"*'é", max_size=30))
def test_any_text_can_be_asked(text: str) -> None:
    with suppress(ConfigError):  # too many words, or beginnings of one letter
        query = parse_query(text)
        check_phrases(query)


def check_phrases(query: Query) -> None:
    for phrase in (*query.wanted, *query.unwanted):
        assert phrase.words


def test_only_the_beginning_of_a_long_text_is_searched() -> None:
    assert len(words_of("a b " * MOST_WORDS)) == MOST_WORDS
    assert parse_query("brid* bridge").wanted == (
        Phrase(("brid",), prefix=True),
        Phrase(("bridge",)),
    )


@given(st.text(max_size=40))
def test_no_query_breaks_a_database(text: str) -> None:
    """Checked against SQLite here; the next test asks both."""
    query = Query()
    with suppress(ConfigError):
        query = parse_query(text)
    if query.wanted:
        assert '""' not in fulltext._fts(query)
        assert "''" not in fulltext._tsquery(query)


def test_strange_queries_are_answered_by_both(full: Store) -> None:
    strange = ["\0", "a\0b", "\ud800 x", "'" * 50, '"' * 51, "x" * 5000, "a " * 500]
    strange += ["𝔅ridge", "ﬁn*", "\u200b", "ß", "İ", "ا", "क्षि*", "-", "--a b", '-""']
    with full.read() as connection:
        for query in strange:
            with suppress(ConfigError):
                search_articles(connection, query)
