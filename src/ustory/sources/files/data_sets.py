"""The data sets of the paper: Newsfeed14, WCEP and results of NewsAPI.

Newsfeed14 has the English articles of Miranda et al. (EMNLP 2018): `dataset.dev.json`
and `dataset.test.json` are each one JSON list of articles with `id`, `date`, `lang`,
`title`, `text` and `cluster`, the true story.

WCEP has stories of the Wikipedia Current Events Portal (Gholipour Ghalandari et al.,
ACL 2020). Each line of `train`, `val` and `test.jsonl.gz` is a story: `id`, `date`,
`summary` and its `articles`, with `title`, `text`, `url` and `time`.

Results of NewsAPI are the answers of its `everything` and `top-headlines`, unlabelled:
a page is an object with `status`, `totalResults` and at most a hundred `articles`. The
paper's USNews was collected so, with the query "United States".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from ustory.core.errors import InputError
from ustory.sources.files.dataset import Found, Layout
from ustory.sources.records.problems import Place, shown

PAPER_MIN_ARTICLES = 50
"""Articles that a story of the paper's WCEP18 and WCEP19 has at least."""

_ENGLISH = "eng"
_REMOVED = "[Removed]"
_CUT = re.compile(r"\s*…?\s*\[\+\d+ chars\]\s*$")
_NEWSAPI_FIELDS = ("title", "url", "source", "author", "publishedAt")


def _newsfeed(value: Mapping[str, object], place: Place) -> Iterator[Found]:
    """Yield the article if it is English; the others are no part of the stream."""
    lang, cluster = value.get("lang"), value.get("cluster")
    if not isinstance(lang, str):
        reason = f"`lang` must be a language like eng; got {shown(lang)}"
        yield place, place.problem("bad-field", reason)
    elif lang == _ENGLISH and cluster in (None, ""):
        reason = (
            f"`cluster` must name the true story; got {shown(cluster)}: articles "
            "without a label are no part of this data set"
        )
        yield place, place.problem("bad-field", reason)
    elif lang == _ENGLISH:
        yield place, {**value, "lang": "en"}


def _wcep(
    min_articles: int, value: Mapping[str, object], place: Place
) -> Iterator[Found]:
    """Yield the articles of a story, if it has `min_articles`."""
    found = list(_articles(value, place))
    if isinstance(value.get("articles"), list) and value.get("id") in (None, ""):
        reason = f"`id` must name the story; got {shown(value.get('id'))}"
        yield place, place.problem("bad-field", reason)
        return
    if isinstance(value.get("articles"), list) and len(found) < min_articles:
        return
    for where, article in found:
        if isinstance(article, InputError):
            yield where, article
        # An address that could not be fetched is listed without an article.
        elif article.get("state") != "failed":
            # Of many pages the extractor found no time: the event's day stands in.
            day = article.get("time") or article.get("date") or value.get("date")
            record = {name: article.get(name) for name in ("id", "title", "text")}
            record["url"] = article.get("url") or article.get("archive_url")
            yield where, record | {"published_at": day, "label": value["id"]}


def _newsapi(value: Mapping[str, object], place: Place) -> Iterator[Found]:
    """Yield the articles of a page."""
    if value.get("status") == "error":
        reason = (
            f"NewsAPI answered with an error, {shown(value.get('code'))}: "
            f"{shown(value.get('message'))}; fetch the page again"
        )
        yield place, place.problem("bad-field", reason)
        return
    for where, article in _articles(value, place):
        if isinstance(article, InputError):
            yield where, article
        # What a publisher took back is listed without its content and its date.
        elif article.get("title") != _REMOVED:
            record = {name: article.get(name) for name in _NEWSAPI_FIELDS}
            text = article.get("text") or _newsapi_text(article)
            yield where, record | {"text": text}


def _newsapi_text(article: Mapping[str, object]) -> object:
    """Return what there is of the text.

    `content` is cut off after 200 characters, `description` is the teaser: if one
    does not hold the other, both together say more.
    """
    content, description = article.get("content"), article.get("description")
    if not isinstance(content, str):
        return description if content is None else content
    content = _CUT.sub("", content)
    if not isinstance(description, str) or description in content:
        return content
    return f"{description}\n{content}"


def _articles(value: Mapping[str, object], place: Place) -> Iterator[Found]:
    """Yield what is listed under `articles`, or what is wrong with it."""
    articles = value.get("articles")
    if not isinstance(articles, list):
        reason = f"`articles` must be a list; got {shown(articles)}"
        yield place, place.problem("bad-field", reason)
        return
    for number, article in enumerate(articles, start=1):
        where = Place(place.file, 0, f"{place.what}, article {number}")
        if isinstance(article, Mapping):
            yield where, article
        else:
            reason = f"it must be a JSON object; got {shown(article)}"
            yield where, where.problem("not-an-object", reason)


NEWSFEED = Layout(
    name="Newsfeed14",
    unit="article",
    needs=("lang", "cluster"),
    records=_newsfeed,
    keys=frozenset({"lang", "cluster"}),
    listed=True,
)
NEWSFEED14 = replace(NEWSFEED, keys=frozenset(), year=2014)
WCEP = Layout(
    name="WCEP",
    unit="story",
    needs=("id", "articles"),
    records=partial(_wcep, 1),
    keys=frozenset({"id", "summary", "articles"}),
)
WCEP18 = replace(
    WCEP, records=partial(_wcep, PAPER_MIN_ARTICLES), keys=frozenset(), year=2018
)
WCEP19 = replace(WCEP18, year=2019)
NEWSAPI = Layout(
    name="NewsAPI results",
    unit="page",
    needs=("status",),
    records=_newsapi,
    keys=frozenset({"status", "articles"}),
)
