"""A record with anybody's field names becomes an article, or says why not."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.article import Article
from ustory.core.errors import PROBLEM_KINDS, InputError
from ustory.sources.records.fields import (
    MAX_ARTICLE_BYTES,
    MAX_FIELD_LENGTH,
    NAMES,
    claimed_article,
    judged_article,
    to_article,
)
from ustory.sources.records.problems import Place
from ustory.testing.checks import check_article

PLACE = Place("news.jsonl", 3)
NOW = datetime(2024, 6, 1, tzinfo=UTC)
DAY = datetime(2024, 3, 7, tzinfo=UTC)


def article(**fields: object) -> Article:
    record = {"id": "a", "date": "2024-03-07", "title": "Title", **fields}
    return to_article(record, PLACE, NOW)


def refusal(**fields: object) -> InputError:
    with pytest.raises(InputError) as caught:
        article(**fields)
    return caught.value


def test_a_full_record_keeps_every_field() -> None:
    record = {
        "id": "a1", "url": "https://news.org/a", "title": "Title", "text": "Text.",
        "lang": "en", "published_at": "2024-03-07T01:00:00+01:00",
        "fetched_at": "2024-03-08", "source": "News", "authors": ["A", "B"],
        "story": "s1", "unknown": {"deep": [1]},
    }  # fmt: skip

    assert to_article(record, PLACE, NOW) == Article(
        id="a1", url="https://news.org/a", title="Title", text="Text.", lang="en",
        published_at=DAY, fetched_at=DAY + timedelta(days=1), source="News",
        authors=("A", "B"), label="s1",
    )  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["date", "published_at", "publishedAt", "published", "pubDate", "created_at",
     "timestamp", "Publish Date", "date_publish", "datePublished"],
)  # fmt: skip
def test_the_date_has_many_names(name: str) -> None:
    assert (
        to_article({"title": "T", name: "2024-03-07"}, PLACE, NOW).published_at == DAY
    )


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("text", "body"), ("text", "content"), ("text", "maintext"), ("text", "Text"),
        ("text", "description"), ("title", "headline"), ("url", "link"),
        ("source", "publisher"), ("source", "domain"), ("label", "story"),
        ("label", "label"), ("label", "cluster"), ("label", "event"), ("id", "guid"),
        ("id", "uid"), ("id", "_id"), ("lang", "language"),
    ],
)  # fmt: skip
def test_other_fields_have_many_names_too(field: str, name: str) -> None:
    record = {"date": "2024-03-07", "headline": "T", name: "en"}

    assert getattr(to_article(record, PLACE, NOW), field) == "en"


def test_the_most_trusted_name_with_a_value_wins() -> None:
    assert article(published_at="2024-03-08").published_at == DAY + timedelta(days=1)
    assert article(published_at=None).published_at == DAY
    assert article(description="Lead.", text="Full.").text == "Full."
    assert article(description="Lead.", text=" ").text == "Lead."


@pytest.mark.parametrize(
    ("value", "authors"),
    [
        ("Ann Lee", ("Ann Lee",)),
        ("Ann Lee; Bo Ek ;", ("Ann Lee", "Bo Ek")),
        (["Ann Lee", None, " Bo\nEk "], ("Ann Lee", "Bo Ek")),
        ([{"name": "Ann Lee"}, {}], ("Ann Lee",)),
        ([], ()),
        (None, ()),
    ],
)
def test_authors_are_a_list_or_a_text(value: object, authors: tuple[str, ...]) -> None:
    assert article(authors=value).authors == authors


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("News", "News"),
        ({"name": "News", "id": "n"}, "News"),
        ({"id": None, "title": "News"}, "News"),
        ({"name": None}, None),
        ("", None),
    ],
)
def test_a_source_is_a_text_or_an_object(value: object, source: str | None) -> None:
    assert article(source=value).source == source


@pytest.mark.parametrize(
    ("value", "lang"),
    [("en-US", "en"), ("DE", "de"), ("pt_BR", "pt"), ("zh-Hans-CN", "zh"), ("", None),
     ("und", None), ("English", None), (None, None)],
)  # fmt: skip
def test_a_language_is_its_primary_subtag(value: object, lang: str | None) -> None:
    assert article(lang=value).lang == lang


@pytest.mark.parametrize(
    ("value", "expected"), [(7, "7"), (7.0, "7"), (" 7\n8 ", "7 8"), ("a\0b", "ab")]
)
def test_ids_and_labels_are_texts_or_whole_numbers(
    value: object, expected: str
) -> None:
    assert article(id=value).id == expected
    assert article(label=value).label == expected


def test_a_label_that_is_not_a_number_is_absent() -> None:
    assert article(label=float("nan")).label is None


@pytest.mark.parametrize("value", [None, "", " \n", "\0"])
def test_a_missing_id_is_derived(value: object) -> None:
    assert article(id=value, url="https://news.org/a").id.startswith("u:")
    assert article(id=value).id.startswith("c:")


def test_a_title_is_one_line_and_a_text_keeps_its_lines() -> None:
    found = article(title=" Two\r\nlines\0 ", text="\n<p>One\r\nTwo</p>\n")

    assert found.title == "Two lines"
    assert found.text == "<p>One\nTwo</p>"


def test_bytes_are_read_as_utf8() -> None:
    assert article(title="Zoë".encode()).title == "Zoë"
    assert article(date=b"2024-03-07").published_at == DAY
    assert refusal(title=b"Zo\xeb").kind == "not-utf8"


@pytest.mark.parametrize("value", [None, "", "  ", float("nan")])
def test_a_record_needs_a_date(value: object) -> None:
    error = refusal(date=value)

    assert error.kind == "missing-date"
    assert str(error).startswith("news.jsonl, line 3: there is no publication date")


@pytest.mark.parametrize(
    "value", ["soon", "2024-02-30", True, [], {"a": 1}, 10**400, "0001-01-01"]
)
def test_a_date_must_be_possible(value: object) -> None:
    error = refusal(date=value)

    assert error.kind == "bad-date"
    assert "`date`" in error.reason


def test_a_date_may_be_a_day_ahead_and_no_more() -> None:
    edge = NOW + timedelta(days=1)

    assert article(date=edge).published_at == edge
    error = refusal(date=edge + timedelta(microseconds=1))
    assert error.kind == "future-date"
    assert NOW.isoformat() in error.reason


@pytest.mark.parametrize("nothing", [None, "", " \t\n", "\0\ud800", "\u200b\ufeff"])
def test_an_article_needs_a_title_or_a_text(nothing: object) -> None:
    assert article(title=nothing, text="Text").title == ""
    assert article(title="Title", text=nothing).text == ""
    assert refusal(title=nothing, text=nothing).kind == "no-text"


def test_an_article_has_a_largest_size_in_bytes() -> None:
    title, text = "é" * 10, "é" * (MAX_ARTICLE_BYTES // 2 - 10)

    assert article(title=title, text=text).text == text
    for oversize in (text + "a", text * 2):
        error = refusal(title=title, text=oversize)
        assert error.kind == "too-large"
        assert "1,000,000 bytes" in error.reason


@pytest.mark.parametrize("field", ["id", "url", "source", "label", "authors", "lang"])
def test_short_fields_have_a_largest_size(field: str) -> None:
    error = refusal(**{field: "x" * (MAX_FIELD_LENGTH + 1)})

    assert error.kind == "too-large"
    assert f"`{field}`" in error.reason


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", 5), ("text", ["a"]), ("text", {"p": "a"}), ("url", 1), ("lang", True),
        ("id", True), ("id", 1.5), ("id", float("inf")), ("id", [1]),
        pytest.param("id", 10**5000, id="huge"),
        ("label", {"id": 1}), ("source", 3), ("authors", [1]), ("authors", 1),
        ("fetched_at", "soon"),
    ],
)  # fmt: skip
def test_a_field_of_the_wrong_type_is_named(field: str, value: object) -> None:
    error = refusal(**{field: value})

    assert error.kind == "bad-field"
    assert f"`{field}`" in error.reason


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.binary()
    | st.text(st.characters(codec=None, exclude_categories=())) | st.dates()
    | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["name", "title", "x"]), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
names = st.sampled_from([name for names in NAMES.values() for name in names])


@given(st.dictionaries(names | st.text(), values))
def test_any_record_is_an_article_or_a_known_problem(record: dict[str, object]) -> None:
    found = attempt({"date": "2024-03-07", **record})

    if isinstance(found, InputError):
        assert found.kind in PROBLEM_KINDS
        assert str(found).startswith("news.jsonl, line 3: ")
    else:
        check_article(found)


def attempt(record: dict[str, object]) -> Article | InputError:
    try:
        return to_article(record, PLACE, NOW)
    except InputError as error:
        return error


def test_a_future_date_is_kept_for_a_service_and_refused_otherwise() -> None:
    record = {"title": "T", "date": NOW + timedelta(days=2)}
    place = Place("kafka://host/topic", 0, "partition 0, offset 7")

    assert claimed_article(record, place, NOW).published_at == record["date"]
    with pytest.raises(InputError, match="offset 7: the publication date must not"):
        judged_article(record, place, NOW)


def test_an_article_without_a_date_is_published_when_it_is_fetched() -> None:
    place = Place("archive", 0, "byte 3")

    for make in (claimed_article, judged_article):
        article = make({"title": "T"}, place, NOW)
        assert (article.published_at, article.fetched_at) == (NOW, NOW)
