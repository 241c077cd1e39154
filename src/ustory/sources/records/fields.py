"""From a record with anybody's field names to an article."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import isnan
from typing import TypeAlias

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.sources.records.clean import clean, one_line
from ustory.sources.records.dates import parse_date
from ustory.sources.records.identity import derived_id
from ustory.sources.records.problems import Place, shown

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "guid", "uid", "article id"),
    "published_at": (
        "published at", "published", "date", "pub date", "publish date",
        "published date", "publication date", "date published", "date publish",
        "created at", "timestamp", "datetime", "time",
    ),
    "title": ("title", "headline"),
    "text": (
        "text", "body", "content", "maintext", "full text", "article body",
        "description", "summary",
    ),
    "url": ("url", "link"),
    "lang": ("lang", "language"),
    "fetched_at": ("fetched at", "crawled at", "date download"),
    "source": ("source", "publisher", "outlet", "domain", "source domain"),
    "authors": ("authors", "author", "byline"),
    "label": (
        "story", "label", "cluster", "event", "story id", "cluster id", "event id",
    ),
}  # fmt: skip
"""The names each field of an article may have, the most trusted first.

Letter case, spaces and punctuation make no difference: `pub date` is also pubDate
and pub_date.
"""

_LONGEST_NAME = 40
_JOINTS = re.compile(r"[\W_]+")


def plain(name: str) -> str:
    """Return a field name without letter case, spaces and punctuation.

    >>> plain("publishedAt") == plain("Published_at") == plain("published at")
    True
    """
    return _JOINTS.sub("", name[: _LONGEST_NAME + 1]).lower()


_SPELLINGS = {
    field: tuple(plain(name) for name in names) for field, names in NAMES.items()
}
_KNOWN = frozenset(name for names in _SPELLINGS.values() for name in names)


def is_known(name: str) -> bool:
    """Tell whether a field of this name is read at all."""
    return plain(name) in _KNOWN


class RecordFields:
    """The values of one record; what is null, blank or not a number is absent."""

    def __init__(self, record: Mapping[str, object], place: Place) -> None:
        self.place = place
        self._values: dict[str, tuple[str, object]] = {}
        for name, value in record.items():
            key = plain(name)
            if key in _KNOWN and not _is_absent(value):
                self._values.setdefault(key, (name, value))

    def find(self, field: str) -> tuple[str, object]:
        """Return the name and the value of `field`, None for a value if absent."""
        for key in _SPELLINGS[field]:
            if key in self._values:
                return self._values[key]
        return field, None

    def text(self, field: str, *, numbers: bool = False) -> str:
        """Return `field` as text, empty if absent; whole `numbers` only on demand."""
        name, value = self.find(field)
        if value is None:
            return ""
        if numbers and isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(name, value)
        return self.as_text(name, value)

    def as_text(self, name: str, value: object) -> str:
        """Return a value that must be text."""
        value = self.decoded(name, value)
        if isinstance(value, str):
            return value
        raise self._unreadable(name, "text", value)

    def decoded(self, name: str, value: object) -> object:
        """Return bytes as the text they are, and any other value as it is."""
        try:
            return value.decode("utf-8") if isinstance(value, bytes) else value
        except UnicodeDecodeError:
            raise self.place.problem("not-utf8", f"`{name}` is not UTF-8") from None

    def _number(self, name: str, value: float) -> str:
        try:
            if value == int(value):
                return str(int(value))
        except (ValueError, OverflowError):
            pass  # infinite, or with too many digits to write out
        raise self._unreadable(name, "text or a whole number", value)

    def _unreadable(self, name: str, wanted: str, value: object) -> InputError:
        return self.place.problem(
            "bad-field", f"`{name}` must be {wanted}; got {shown(value)}"
        )


def _is_absent(value: object) -> bool:
    if isinstance(value, str | bytes):
        return not value.strip()
    return value is None or (isinstance(value, float) and isnan(value))


Clock: TypeAlias = Callable[[], datetime]
"""Returns the time, aware UTC."""

ArticleMaker: TypeAlias = Callable[[Mapping[str, object], Place, datetime], Article]
"""Makes an article of a record at a place, which was read at a time."""

MAX_ARTICLE_BYTES = 1_000_000
"""The longest title and text together, in bytes of UTF-8."""

MAX_FIELD_LENGTH = 10_000
"""The longest id, address, source, label or list of authors, in characters."""

_TOLERANCE = timedelta(days=1)
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_].*)?")
_SOURCE_NAMES = ("name", "title", "domain", "id", "url")
_DATE = "published_at"
_PLAIN_DATE = plain(_DATE)


def to_article(record: Mapping[str, object], place: Place, now: datetime) -> Article:
    """Return the article in `record`, or raise the InputError that says why not.

    A publication date more than a day after `now` is refused. The fields may have any
    of the names in `record.NAMES`.
    """
    fields = RecordFields(record, place)
    published_at = _published(fields, now)
    title, text = _title_and_text(fields)
    url = _short(fields, "url")
    source = _source(fields)
    identity = _short(fields, "id", numbers=True)
    return Article(
        id=identity or derived_id(url, source, title, text),
        published_at=published_at,
        title=title,
        text=text,
        url=url,
        lang=_language(fields),
        fetched_at=_fetched(fields),
        source=source,
        authors=_authors(fields),
        label=_short(fields, "label", numbers=True),
    )


def claimed_article(
    record: Mapping[str, object], place: Place, now: datetime
) -> Article:
    """Return the article in `record`, with the date that its publisher claims.

    A date in the future is kept: the service that takes the article in corrects it.
    An article without a date is published when it is fetched, which is `now`.
    """
    claim = _claim(
        RecordFields(record, place),
        "write it like 2024-03-07T12:00:00Z, or leave it out",
    )
    rest = {name: value for name, value in record.items() if plain(name) != _PLAIN_DATE}
    # The date is replaced by `now`, so the check of `to_article` always passes.
    article = to_article({_DATE: now, **rest}, place, now)
    if claim is None:
        return replace(article, published_at=now, fetched_at=now)
    return replace(article, published_at=claim)


def judged_article(
    record: Mapping[str, object], place: Place, now: datetime
) -> Article:
    """Return the article as `claimed_article` does; refuse a date in the future."""
    article = claimed_article(record, place, now)
    _check_future(article.published_at, place, now)
    return article


def make_clock(now: datetime | None, *, live: bool) -> Clock:
    """Return the clock of a source: `now` if given, else the real one.

    The real one is read once, so that a file is judged as a whole; only a `live`
    source, which may run for days, is judged article by article.
    """
    if now is not None and now.tzinfo is None:
        raise ConfigError(f"`now` must name its time zone; got {now.isoformat()}")
    if now is None and live:
        return lambda: datetime.now(UTC)
    moment = now or datetime.now(UTC)
    return lambda: moment


def _published(fields: RecordFields, now: datetime) -> datetime:
    published_at = _claim(fields, "write it like 2024-03-07T12:00:00Z")
    if published_at is None:
        raise fields.place.problem(
            "missing-date", "there is no publication date; give it as `published_at`"
        )
    _check_future(published_at, fields.place, now)
    return published_at


def _claim(fields: RecordFields, advice: str) -> datetime | None:
    name, value = fields.find(_DATE)
    try:
        return None if value is None else parse_date(fields.decoded(name, value))
    except ValueError as error:
        raise fields.place.problem(
            "bad-date",
            f"the date in `{name}` cannot be read: {error}; got {shown(value)}, "
            f"{advice}",
        ) from None


def _check_future(published_at: datetime, place: Place, now: datetime) -> None:
    if published_at - now > _TOLERANCE:
        raise place.problem(
            "future-date",
            f"the publication date must not be more than a day after now; got "
            f"{published_at.isoformat()}, and now is {now.isoformat()}",
        )


def _fetched(fields: RecordFields) -> datetime | None:
    name, value = fields.find("fetched_at")
    try:
        return None if value is None else parse_date(fields.decoded(name, value))
    except ValueError as error:
        raise fields.place.problem(
            "bad-field", f"the date in `{name}` cannot be read: {error}"
        ) from None


def _title_and_text(fields: RecordFields) -> tuple[str, str]:
    title, text = fields.text("title"), fields.text("text")
    _check_size(fields, len(title) + len(text))
    title, text = one_line(title), clean(text)
    _check_size(fields, len(title.encode()) + len(text.encode()))
    if not title and not text:
        raise fields.place.problem(
            "no-text", "an article needs a title or a text; this one has neither"
        )
    return title, text


def _check_size(fields: RecordFields, size: int) -> None:
    if size > MAX_ARTICLE_BYTES:
        raise fields.place.problem(
            "too-large",
            f"title and text may have {MAX_ARTICLE_BYTES:,} bytes together; "
            f"these have {size:,} or more: shorten the text",
        )


def _short(fields: RecordFields, field: str, *, numbers: bool = False) -> str | None:
    text = one_line(fields.text(field, numbers=numbers))
    return _bounded(fields, field, text) or None


def _bounded(fields: RecordFields, field: str, text: str) -> str:
    if len(text) > MAX_FIELD_LENGTH:
        raise fields.place.problem(
            "too-large",
            f"`{field}` may have {MAX_FIELD_LENGTH:,} characters; it has {len(text):,}",
        )
    return text


def _language(fields: RecordFields) -> str | None:
    # A word such as "English" is not a tag: the language then counts as unknown.
    match = _LANGUAGE.fullmatch((_short(fields, "lang") or "").lower())
    return match[1] if match and match[1] != "und" else None


def _source(fields: RecordFields) -> str | None:
    name, value = fields.find("source")
    if isinstance(value, Mapping):
        names = (value.get(key) for key in _SOURCE_NAMES)
        value = next((name for name in names if isinstance(name, str) and name), "")
        return _bounded(fields, name, one_line(value)) or None
    return _short(fields, "source")


def _authors(fields: RecordFields) -> tuple[str, ...]:
    name, value = fields.find("authors")
    people = value if isinstance(value, list | tuple) else [value]
    texts = (_person(fields, name, person) for person in people)
    authors = [one_line(part) for text in texts for part in text.split(";")]
    _bounded(fields, name, ";".join(authors))
    return tuple(author for author in authors if author)


def _person(fields: RecordFields, name: str, person: object) -> str:
    if isinstance(person, Mapping):
        person = person.get("name")
    return "" if person is None else fields.as_text(name, person)
