"""NewsAPI results are read page by page, without what publishers took back."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.sources import Problems, open_source
from ustory.testing.checks import check_source

Write = Callable[[str, bytes], str]


def result(name: str, time: str, **changes: object) -> dict[str, object]:
    """Return an article as `/v2/everything` lists it."""
    return {
        "source": {"id": None, "name": "Harbour Post"},
        "author": "R. Vane",
        "title": f"Title {name}",
        "description": f"What {name} is about.",
        "url": f"https://harbourpost.example/{name}",
        "urlToImage": None,
        "publishedAt": time,
        "content": f"The beginning of {name}… [+1234 chars]",
        **changes,
    }


def page(*articles: object) -> dict[str, object]:
    return {"status": "ok", "totalResults": 2744, "articles": list(articles)}


REMOVED = result(
    "gone",
    "1970-01-01T00:00:00Z",
    source={"id": None, "name": "[Removed]"},
    author=None,
    title="[Removed]",
    description="[Removed]",
    url="https://removed.com",
    content="[Removed]",
)
PAGES = [
    page(result("b", "2022-08-02T12:00:00Z"), REMOVED),
    page(result("a", "2022-08-01T12:00:00Z")),
]


def packed(pages: list[dict[str, object]]) -> bytes:
    return "\n".join(json.dumps(each, indent=1) for each in pages).encode()


def articles(path: str, policy: str = "stop") -> list[Article]:
    source = open_source(path, Problems(policy), kind="newsapi")
    return [arrival.article for arrival in source.read()]


def test_articles_of_all_pages_come_in_order_of_time(write: Write) -> None:
    first, second = articles(write("usnews.json", packed(PAGES)))

    assert second.title == "Title b"
    assert first == Article(
        id=first.id,
        published_at=datetime(2022, 8, 1, 12, tzinfo=UTC),
        title="Title a",
        text="What a is about.\nThe beginning of a",
        url="https://harbourpost.example/a",
        source="Harbour Post",
        authors=("R. Vane",),
    )
    assert first.id.startswith("u:")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"content": None}, "What a is about."),
        ({"description": None}, "The beginning of a"),
        ({"description": "The beginning"}, "The beginning of a"),
        ({"description": None, "content": None}, ""),
        ({"content": "All of it."}, "What a is about.\nAll of it."),
        ({"text": "The full text, fetched since."}, "The full text, fetched since."),
    ],
)
def test_the_text_is_what_there_is_of_it(
    changes: dict[str, object], text: str, write: Write
) -> None:
    data = packed([page(result("a", "2022-08-01T12:00:00Z", **changes))])

    assert [each.text for each in articles(write("usnews.json", data))] == [text]


def test_the_file_is_known_without_its_name(write: Write) -> None:
    path = write("page-1.json", packed(PAGES))

    assert [a.article for a in open_source(path).read()] == articles(path)


def test_the_source_keeps_the_contract(write: Write) -> None:
    path = write("usnews.json", packed(PAGES))

    check_source(lambda: open_source(path, Problems()))


@pytest.mark.parametrize(
    ("kind", "bad", "reason"),
    [
        (
            "bad-field",
            {"status": "error", "code": "rateLimited", "message": "Too many."},
            "page 2: NewsAPI answered with an error, 'rateLimited': 'Too many.'; fetch",
        ),
        (
            "bad-field",
            {"status": "ok", "articles": None},
            "page 2: `articles` must be a list; got null",
        ),
        (
            "not-an-object",
            page(7),
            "page 2, article 1: it must be a JSON object; got 7",
        ),
        (
            "missing-date",
            page(result("y", "")),
            "page 2, article 1: there is no publication date",
        ),
        (
            "bad-field",
            page(result("y", "2022-08-01T12:00:00Z", content=5)),
            "page 2, article 1: `text` must be text; got 5",
        ),
    ],
)
def test_a_bad_page_or_article_stops_or_is_skipped_and_counted(
    kind: str, bad: dict[str, object], reason: str, write: Write
) -> None:
    path = write("usnews.json", packed([PAGES[0], bad, PAGES[1]]))
    problems = Problems("skip")

    with pytest.raises(InputError) as caught:
        articles(path)

    assert caught.value.kind == kind
    assert str(caught.value).startswith(f"{path}: {reason}")
    assert len(list(open_source(path, problems, kind="newsapi").read())) == 2
    assert problems.counts == {kind: 1}


def test_articles_without_their_page_are_another_format(write: Write) -> None:
    data = json.dumps(result("a", "2022-08-01T12:00:00Z")).encode()

    with pytest.raises(ConfigError, match="its first page must be an object with"):
        articles(write("usnews.json", data))
