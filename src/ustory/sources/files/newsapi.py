"""NewsAPI results: the answers of its `everything` and `top-headlines`, unlabelled.

A page is an object with `status`, `totalResults` and at most a hundred `articles`. The
paper's USNews was collected so, with the query "United States".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ustory.sources.files.dataset import Found, Layout, Spot
from ustory.sources.records.place import shown

_REMOVED = "[Removed]"
_CUT = re.compile(r"\s*…?\s*\[\+\d+ chars\]\s*$")
_KEPT = ("title", "url", "source", "author", "publishedAt")


def _records(value: Mapping[str, object], spot: Spot) -> Iterator[Found]:
    articles = value.get("articles")
    if value.get("status") == "error":
        reason = (
            f"NewsAPI answered with an error, {shown(value.get('code'))}: "
            f"{shown(value.get('message'))}; fetch the page again"
        )
        yield spot, spot.problem("bad-field", reason)
    elif not isinstance(articles, list):
        reason = f"`articles` must be a list; got {shown(articles)}"
        yield spot, spot.problem("bad-field", reason)
    else:
        for number, article in enumerate(articles, start=1):
            place = Spot(spot.file, 0, f"{spot.what}, article {number}")
            yield from _record(article, place)


def _record(article: object, spot: Spot) -> Iterator[Found]:
    if not isinstance(article, Mapping):
        reason = f"it must be a JSON object; got {shown(article)}"
        yield spot, spot.problem("not-an-object", reason)
    # What a publisher took back is listed without its content and its date.
    elif article.get("title") != _REMOVED:
        record = {name: article.get(name) for name in _KEPT}
        yield spot, record | {"text": article.get("text") or _text(article)}


def _text(article: Mapping[str, object]) -> object:
    """Return what there is of the text.

    `content` is cut off after 200 characters, `description` is the teaser: where one
    does not hold the other, both together say more.
    """
    content, description = article.get("content"), article.get("description")
    if not isinstance(content, str):
        return description if content is None else content
    content = _CUT.sub("", content)
    if not isinstance(description, str) or description in content:
        return content
    return f"{description}\n{content}"


NEWSAPI = Layout(
    name="NewsAPI results", unit="page", needs=("status",), records=_records
)
