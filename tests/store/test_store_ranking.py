"""What a search finds, and in which order, is what an exhaustive scan finds."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.search import (
    ExhaustiveSearch,
    PlainAnswer,
    PlainArticle,
    day,
)
from tests.store.searching import stories_of, write_plain
from ustory.store import Store
from ustory.store.article_hits import list_articles
from ustory.store.query import (
    MAX_NAMED,
    Selection,
    StoryQuery,
    count_facets,
    list_stories,
)
from ustory.store.search import Search
from ustory.store.search_words import words_of
from ustory.store.upkeep import _search

LOAD = Path(__file__).parents[3] / "shared" / "data" / "load-6000.jsonl.gz"
WORDS = ("storm", "flood", "bridge", "old", "bay", "stormy", "Él", "the")
OUTLETS = ("Vox", "Fox News", "Harbour Post", None)


def answer(store: Store, text: str) -> PlainAnswer:
    """Return all pages of what the store finds."""
    articles: list[int] = []
    stories: list[str] = []
    with store.read() as connection:
        search = Search.of(connection, text)
        query = StoryQuery(text=text, sort="relevance", limit=700)
        selection = Selection.of(connection, query, search)
        cursor: str | None = None
        while True:
            asked = StoryQuery(text=text, limit=700, cursor=cursor)
            page = list_articles(connection, asked, search)
            articles += [row.seq for row in page.items]
            assert page.total == len(search.articles)
            cursor = page.cursor
            if cursor is None:
                break
        while True:
            asked = StoryQuery(text=text, sort="relevance", limit=700, cursor=cursor)
            found = list_stories(connection, asked, selection)
            stories += [row.id for row in found.items]
            cursor = found.cursor
            if cursor is None:
                break
        facets = count_facets(connection, selection, day(0))
        assert found.total == selection.total == len(stories)
        ids = dict(zip(search.stories.tolist(), search.story_scores, strict=True))
    return PlainAnswer(
        articles,
        stories,
        {f"{n}": float(score) for n, score in ids.items()},
        dict(facets.sources),
        dict(facets.langs),
        {name: n for name, n in facets.statuses.items() if n},
    )


def most(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts that are shown of many."""
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(ranked[:MAX_NAMED])


def check_alike(store: Store, exhaustive: ExhaustiveSearch, text: str) -> int:
    expected, found = exhaustive.ask(text), answer(store, text)
    assert found.articles == expected.articles, text
    assert found.stories == expected.stories, text
    scores = sorted(expected.scores.values())
    assert sorted(found.scores.values()) == scores, text
    assert found.sources == most(expected.sources), text
    assert found.langs == most(expected.langs), text
    assert found.statuses == dict(expected.statuses), text
    return len(found.articles)


_texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
_articles = st.lists(
    st.tuples(
        _texts, _texts, st.integers(0, 40), st.sampled_from(OUTLETS), st.integers(0, 4)
    ),
    max_size=12,
)
_part = st.sampled_from(
    [
        *WORDS,
        "sto*",
        '"old bridge"',
        "-flood",
        "OR",
        "source:Vox",
        "-source:Vox",
        "source:Vox -storm",
    ]
)
_queries = st.lists(_part, min_size=1, max_size=4).map(" ".join)


@given(_articles, st.lists(_queries, min_size=1, max_size=4))
@settings(max_examples=60)
def test_a_search_finds_what_a_scan_finds(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[str, str, int, str | None, int]],
    queries: list[str],
) -> None:
    articles = [
        PlainArticle(
            seq=seq,
            title=title,
            text=text,
            published=day(hour),
            source=source,
            lang=("en", "de")[hour % 2],
            story=f"s{story:06d}" if story else None,
        )
        for seq, (title, text, hour, source, story) in enumerate(made, start=1)
    ]
    stories = stories_of(articles)
    exhaustive = ExhaustiveSearch(articles, stories)
    store = Store.open(str(tmp_path_factory.mktemp("ranking") / "a.db"))
    with store.write() as connection:
        write_plain(connection, articles, stories)
    known = {word for a in articles for word in words_of(f"{a.title} {a.text}")}
    for text in queries:
        # words that nothing has are mended, which a scan does not do
        if all(word in known for word in words_of(text.replace("OR", ""))):
            check_alike(store, exhaustive, text)
    with store.read() as connection:
        assert list(_search(connection)) == []
    store.close()


@pytest.fixture(scope="module")
def real_articles() -> list[PlainArticle]:
    if not LOAD.exists():
        pytest.skip("needs load-6000.jsonl.gz in ../shared/data")
    found = []
    with gzip.open(LOAD, "rt") as file:
        for seq, line in enumerate(file, start=1):
            one = json.loads(line)
            found.append(
                PlainArticle(
                    seq=seq,
                    title=one["title"],
                    text=one["text"][:1_500],
                    published=_moment(one["date"]),
                    source=one.get("source"),
                    lang=one.get("lang"),
                    story=None if seq % 3 == 0 else f"s{seq % 1_300 + 1:06d}",
                )
            )
    return found


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment if moment.tzinfo else moment.replace(tzinfo=day(0).tzinfo)


def real_queries(articles: Sequence[PlainArticle]) -> Iterator[str]:
    """Yield a hundred queries: of rare and of common words, half of two words."""
    chance = random.Random(7)
    counts = Counter(w for a in articles for w in set(words_of(a.title)))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    for number in range(80):
        low, high = ((0, 40), (40, 400), (400, 4_000), (4_000, 9_000))[number % 4]
        first = chance.choice(ranked[low:high])
        second = f" {chance.choice(ranked[:300])}" if number % 2 else ""
        yield first + second
    sources = sorted({a.source for a in articles if a.source})
    for number in range(20):
        first, second = chance.choice(ranked[:200]), chance.choice(ranked[:2_000])
        yield (
            f"{first} OR {second}",
            f'"{first} {second}" OR {second}*',
            f'{first} source:"{chance.choice(sources)}"',
            f"{second} -{first} after:2024-01-06",
            f"{second} before:2024-01-04",
        )[number % 5]


def test_a_hundred_queries_on_real_news(
    store: Store, real_articles: list[PlainArticle]
) -> None:
    stories = stories_of(real_articles)
    exhaustive = ExhaustiveSearch(real_articles, stories)
    with store.write() as connection:
        write_plain(connection, real_articles, stories)
    hits = [check_alike(store, exhaustive, q) for q in real_queries(real_articles)]
    assert len(hits) == 100
    assert sum(count > 0 for count in hits) > 80
