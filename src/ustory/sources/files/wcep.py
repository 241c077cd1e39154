"""WCEP: stories of the Wikipedia Current Events Portal (Gholipour Ghalandari et al.).

Each line of `train`, `val` and `test.jsonl.gz` (ACL 2020) is a story: `id`, `date`,
`summary` and its `articles`, with `title`, `text`, `url` and `time`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from ustory.sources.files.dataset import Found, Layout, Spot
from ustory.sources.records.place import shown

PAPER_LEAST = 50
"""Articles that a story of the paper's WCEP18 and WCEP19 has at least."""


def wcep(least: int = 1) -> Layout:
    """Return the layout, of which only stories of `least` articles are read."""
    return Layout(
        name="WCEP",
        unit="story",
        needs=("id", "articles"),
        records=partial(_records, least),
    )


def _records(least: int, value: Mapping[str, object], spot: Spot) -> Iterator[Found]:
    articles = value.get("articles")
    if not isinstance(articles, list):
        reason = f"`articles` must be a list; got {shown(articles)}"
        yield spot, spot.problem("bad-field", reason)
    elif value.get("id") in (None, ""):
        reason = f"`id` must name the story; got {shown(value.get('id'))}"
        yield spot, spot.problem("bad-field", reason)
    elif len(articles) >= least:
        for number, article in enumerate(articles, start=1):
            yield from _record(
                article, value, Spot(spot.file, 0, f"{spot.what}, article {number}")
            )


def _record(
    article: object, story: Mapping[str, object], spot: Spot
) -> Iterator[Found]:
    if not isinstance(article, Mapping):
        reason = f"it must be a JSON object; got {shown(article)}"
        yield spot, spot.problem("not-an-object", reason)
    # An address that could not be fetched is listed without an article.
    elif article.get("state") != "failed":
        # Of many pages the extractor found no time: the event's day stands in.
        found = article.get("time") or article.get("date")
        record = {name: article.get(name) for name in ("id", "title", "text")}
        record["url"] = article.get("url") or article.get("archive_url")
        record["published_at"] = found or story.get("date")
        yield spot, record | {"label": story["id"]}
