"""WCEP is read story by story from its lines, and given article by article in time."""

import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError, UStoryError
from ustory.sources import Problems, open_source
from ustory.testing.checks import check_source

Write = Callable[[str, bytes], str]


def crawled(identity: str, time: str | None, **changes: object) -> dict[str, object]:
    """Return an article that came from Common Crawl."""
    return {
        "id": identity,
        "cc_file": "crawl-data/CC-NEWS/2018/09/CC-NEWS-20180901000000-00001.warc.gz",
        "time": time,
        "title": f"Title {identity}",
        "text": f"The text of {identity}.",
        "url": f"https://news.example/{identity}",
        "collection": "test",
        "origin": "CommonCrawl",
        **changes,
    }


CITED = {
    "time": None,
    "title": "Cited",
    "text": "What the portal cites.",
    "url": "https://post.example/cited",
    "archive_url": "https://archive.example/cited",
    "collection": "test",
    "state": "successful",
    "error": None,
    "origin": "WCEP",
}
FAILED = {"archive_url": "https://archive.example/f", "state": "failed", "error": "404"}


def story(identity: object, date: str, *articles: object) -> dict[str, object]:
    return {
        "id": identity,
        "date": date,
        "summary": "Something happens.",
        "articles": list(articles),
        "collection": "test",
        "wiki_links": [],
        "reference_urls": [],
        "category": "Disasters",
    }


STORIES = [
    story(
        17, "2018-09-02", crawled("b", "2018-09-03T10:00:00+02:00"), CITED, FAILED,
        crawled("a", "2018-09-01T00:00:00"),
    ),
    story(4, "2017-12-31", crawled("c", "2017-12-31T20:00:00")),
]  # fmt: skip


def lines(stories: list[dict[str, object]]) -> bytes:
    return gzip.compress("\n".join(map(json.dumps, stories)).encode())


def articles(path: str, kind: str = "wcep", policy: str = "stop") -> list[Article]:
    source = open_source(path, Problems(policy), kind=kind)
    return [arrival.article for arrival in source.read()]


def test_articles_of_all_stories_come_in_order_of_time(write: Write) -> None:
    found = articles(write("test.jsonl.gz", lines(STORIES)))

    assert [each.title for each in found] == ["Title c", "Title a", "Cited", "Title b"]
    assert [each.label for each in found] == ["4", "17", "17", "17"]
    assert found[3] == Article(
        id="b",
        published_at=datetime(2018, 9, 3, 8, tzinfo=UTC),
        title="Title b",
        text="The text of b.",
        url="https://news.example/b",
        label="17",
    )


def test_without_a_time_the_day_of_the_event_stands_in(write: Write) -> None:
    cited = articles(write("test.jsonl.gz", lines(STORIES)))[2]

    assert cited.published_at == datetime(2018, 9, 2, tzinfo=UTC)
    assert cited.id.startswith("u:")


def test_the_streams_of_the_paper_have_large_stories_of_one_year(write: Write) -> None:
    def large(identity: int, size: int) -> dict[str, object]:
        times = ["2018-12-31T10:00:00", "2019-01-01T10:00:00"]
        return story(
            identity,
            "2018-12-31",
            *(crawled(f"{identity}-{n}", times[n % 2]) for n in range(size)),
        )

    path = write("all.jsonl.gz", lines([large(1, 49), large(2, 50), large(3, 51)]))

    for kind, sizes in (("wcep18", {"2": 25, "3": 26}), ("wcep19", {"2": 25, "3": 25})):
        found = articles(path, kind)
        assert {label: sum(a.label == label for a in found) for label in sizes} == sizes
        assert len(found) == sum(sizes.values())
        assert {each.published_at.year for each in found} == {2000 + int(kind[-2:])}


def test_packed_files_joined_by_cat_are_one_file(write: Write) -> None:
    path = write("all.jsonl.gz", lines(STORIES[:1]) + b"" + lines(STORIES[1:]))

    assert len(articles(path)) == 4


def test_the_file_is_known_without_its_name(write: Write) -> None:
    path = write("test.jsonl.gz", lines(STORIES))

    assert [a.article for a in open_source(path).read()] == articles(path)


def test_the_source_keeps_the_contract(write: Write) -> None:
    path = write("test.jsonl.gz", lines(STORIES))

    check_source(lambda: open_source(path, Problems(), kind="wcep"))


@pytest.mark.parametrize(
    ("kind", "bad", "reason"),
    [
        (
            "missing-date",
            story(1, "", crawled("y", None)),
            "story 2, article 1: there is no publication date",
        ),
        (
            "bad-date",
            story(1, "2018-09-01", crawled("y", "yesterday")),
            "story 2, article 1: the date in `published_at` cannot be read",
        ),
        (
            "no-text",
            story(1, "2018-09-01", crawled("y", None, title="", text="")),
            "story 2, article 1: an article needs a title or a text",
        ),
        (
            "not-an-object",
            story(1, "2018-09-01", "an article"),
            "story 2, article 1: it must be a JSON object; got 'an article'",
        ),
        (
            "bad-field",
            story(None, "2018-09-01", crawled("y", None)),
            "story 2: `id` must name the story; got null",
        ),
        (
            "bad-field",
            {**story(1, "2018-09-01"), "articles": 3},
            "story 2: `articles` must be a list; got 3",
        ),
    ],
)
def test_a_bad_article_or_story_stops_or_is_skipped_and_counted(
    kind: str, bad: dict[str, object], reason: str, write: Write
) -> None:
    path = write("test.jsonl.gz", lines([STORIES[0], bad, STORIES[1]]))
    problems = Problems("skip")

    with pytest.raises(InputError) as caught:
        articles(path)

    assert caught.value.kind == kind
    assert str(caught.value).startswith(f"{path}: {reason}")
    assert len(list(open_source(path, problems, kind="wcep").read())) == 4
    assert problems.counts == {kind: 1}


def test_an_older_list_of_stories_without_articles_is_another_format(
    write: Write,
) -> None:
    initial = {"id": 1, "summary": "S.", "wcep_articles": [], "cc_articles": []}
    path = write("initial_dataset.jsonl", json.dumps(initial).encode())

    with pytest.raises(
        ConfigError, match="not in the format of WCEP: its first story"
    ) as caught:
        articles(path)

    assert "must be an object with `id` and `articles`" in str(caught.value)
    assert "`wcep_articles`" in str(caught.value)


def test_a_packed_file_that_is_cut_short_is_refused(write: Write) -> None:
    data = lines([story(n, "2018-09-01", crawled(str(n), None)) for n in range(200)])
    path = write("test.jsonl.gz", data[:-100])

    with pytest.raises(UStoryError, match="damaged or cut short"):
        articles(path, policy="skip")
