"""Newsfeed14 is read from the files of Miranda et al.: English, labelled, in order."""

import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.sources import Problems, open_source
from ustory.testing.checks import check_source

Write = Callable[[str, bytes], str]


def entry(identity: str, date: str, **changes: object) -> dict[str, object]:
    """Return a record as `dataset.test.json` has it."""
    return {
        "id": identity,
        "date": date,
        "lang": "eng",
        "title": f"Title {identity}",
        "text": f"The first sentence of {identity}. The second.",
        "cluster": "eng-12",
        "source": "The Harbour Post",
        **changes,
    }


ENTRIES = [
    entry("c", "2014-10-02 11:00:00", cluster="7"),
    entry("a", "2014-09-26 05:15:00"),
    entry("x", "2014-09-27 00:00:00", lang="deu"),
    entry("d", "2015-01-03 09:30:00", cluster="7"),
    entry("b", "2014-09-26 05:15:00"),
]


def packed(entries: list[Any]) -> bytes:
    return json.dumps(entries, indent=1).encode()


def articles(path: str, kind: str = "newsfeed", policy: str = "stop") -> list[Article]:
    source = open_source(path, Problems(policy), kind=kind)
    return [arrival.article for arrival in source.read()]


def test_english_articles_come_in_order_of_time(write: Write) -> None:
    found = articles(write("dataset.test.json", packed(ENTRIES)))

    assert [each.id for each in found] == ["a", "b", "c", "d"]
    assert found[0] == Article(
        id="a",
        published_at=datetime(2014, 9, 26, 5, 15, tzinfo=UTC),
        title="Title a",
        text="The first sentence of a. The second.",
        lang="en",
        source="The Harbour Post",
        label="eng-12",
    )


def test_the_year_of_the_paper_leaves_out_the_others(write: Write) -> None:
    path = write("dataset.test.json", packed(ENTRIES))

    assert [each.id for each in articles(path, "newsfeed14")] == ["a", "b", "c"]


def test_the_two_files_may_be_joined(write: Write) -> None:
    both = packed(ENTRIES[:2]) + packed(ENTRIES[2:])

    assert [each.id for each in articles(write("all.json", both))] == list("abcd")


def test_the_file_is_known_without_its_name(write: Write) -> None:
    for name, data in (
        ("dataset.dev.json", packed(ENTRIES)),
        ("any.jsonl", json.dumps(ENTRIES).encode()),
        ("packed.json.gz", gzip.compress(packed(ENTRIES))),
    ):
        found = [a.article.id for a in open_source(write(name, data)).read()]
        assert found == ["a", "b", "c", "d"]


def test_the_source_keeps_the_contract(write: Write) -> None:
    path = write("dataset.test.json", packed(ENTRIES))

    check_source(lambda: open_source(path, Problems()))


@pytest.mark.parametrize(
    ("kind", "changes", "reason"),
    [
        ("missing-date", {"date": None}, "article 2: there is no publication date"),
        ("bad-date", {"date": "2014-02-30 00:00:00"}, "article 2: the date in `date`"),
        ("no-text", {"title": "", "text": " "}, "article 2: an article needs a title"),
        ("bad-field", {"text": ["One."]}, "article 2: `text` must be text; got a list"),
        ("bad-field", {"cluster": None}, "article 2: `cluster` must name the true"),
        ("bad-field", {"lang": None}, "article 2: `lang` must be a language like eng"),
    ],
)
def test_a_bad_article_stops_or_is_skipped_and_counted(
    kind: str, changes: dict[str, object], reason: str, write: Write
) -> None:
    bad = [ENTRIES[0], entry("y", "2014-09-01 00:00:00") | changes, ENTRIES[1]]
    path = write("dataset.test.json", packed(bad))
    problems = Problems("skip")

    with pytest.raises(InputError) as caught:
        articles(path)

    assert caught.value.kind == kind
    assert str(caught.value).startswith(f"{path}: {reason}")
    left = open_source(path, problems, kind="newsfeed").read()
    assert [arrival.article.id for arrival in left] == ["a", "c"]
    assert problems.counts == {kind: 1}


def test_what_is_no_object_is_skipped_and_counted(write: Write) -> None:
    path = write("dataset.test.json", packed([ENTRIES[0], "a text", ENTRIES[1]]))

    with pytest.raises(InputError, match="article 2: it must be a JSON object"):
        articles(path)
    assert [each.id for each in articles(path, policy="skip")] == ["a", "c"]


def test_a_list_that_is_cut_off_is_refused_under_every_policy(write: Write) -> None:
    path = write("dataset.test.json", packed(ENTRIES)[:-40])

    for policy in ("stop", "skip"):
        with pytest.raises(InputError, match="article 5 is not whole JSON") as caught:
            articles(path, policy=policy)
        assert caught.value.kind == "broken-json"


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (b'{"id": "a", "features": {}}\n', "an object with `id`, `features`"),
        (b'{"status": "ok", "articles": []}', "an object with `status`, `articles`"),
        (b"[{}]", "an object with nothing in it"),
        (b'["a"]', "got 'a'"),
        (b"null", "got null"),
    ],
)
def test_another_format_is_named_with_a_remedy(
    data: bytes, got: str, write: Write
) -> None:
    path = write("clustering.test.json", data)

    with pytest.raises(ConfigError) as caught:
        articles(path, policy="skip")

    text = str(caught.value)
    assert text.startswith(f"{path} is not in the format of Newsfeed14: its first ")
    assert "must be an object with `lang` and `cluster`" in text
    assert got in text
    assert text.endswith("or leave --format out")


@pytest.mark.parametrize("data", [b"", b"[]", b" \n"])
def test_a_file_without_an_article_says_so(data: bytes, write: Write) -> None:
    with pytest.raises(InputError, match="the file holds no article"):
        articles(write("dataset.test.json", data))


def test_only_the_articles_behind_a_cursor_are_given_and_problems_once(
    write: Write,
) -> None:
    bad = [*ENTRIES, entry("y", "soon"), entry("z", "later")]
    path = write("dataset.test.json", packed(bad))
    first, again = Problems("skip"), Problems("skip")

    arrivals = list(open_source(path, first, kind="newsfeed").read())
    rest = list(open_source(path, again, kind="newsfeed").read(arrivals[1].cursor))

    assert rest == arrivals[2:]
    assert first.counts == {"bad-date": 2}
    assert again.counts == {}


def test_another_file_is_not_taken_for_the_one_that_was_read(write: Write) -> None:
    path = write("dataset.test.json", packed(ENTRIES))
    arrivals = list(open_source(path, Problems(), kind="newsfeed").read())
    write("dataset.test.json", packed([entry("0", "2014-01-01 00:00:00"), *ENTRIES]))

    with pytest.raises(ConfigError, match="another article was read here before"):
        list(open_source(path, Problems(), kind="newsfeed").read(arrivals[1].cursor))
