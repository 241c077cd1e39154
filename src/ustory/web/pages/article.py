"""Article: its text, what weighs in it, and why it is in its story."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import Response

from ustory.core.story import Decision, LinkDecision
from ustory.store import Connection
from ustory.store.articles import article as find_article
from ustory.store.articles import articles_by_id, aside, changes_of, newest_revision
from ustory.store.results import last_event
from ustory.web.access import Served
from ustory.web.api.articles import RECENT, ArticleId
from ustory.web.errors import ApiError
from ustory.web.explanation import explain
from ustory.web.models.stories import ArticleOut
from ustory.web.pages.error_pages import page_router
from ustory.web.pages.render import Page, reader_of, show
from ustory.web.pages.shading import body_of
from ustory.web.pages.why import figures_of
from ustory.web.story_reader import StoryReader

router = page_router()
_FLAGS = {
    "future": "Its publisher dates it in the future; the time it came in counts.",
    "old": "Its publisher's date is too old to be true; the time it came in counts.",
    "backdated": "It came later than its date says: its feed had been read since then "
    "without it.",
    "missing": "Its publisher gives no date; the time it came in counts.",
}


@dataclass(frozen=True, slots=True)
class Linked:
    """A linked article, and how likely both report the same story."""

    id: str
    article: ArticleOut | None
    probability: float


@router.get("/articles/{article:path}")
def article(request: Request, service: Served, article: ArticleId) -> Response:
    """Show an article, and why it is where it is."""
    with service.store.read() as connection:
        row = find_article(connection, article)
        if row is None:
            raise ApiError(404, "There is no article with this id.")
        newest = newest_revision(connection, row.id)
        changes = changes_of(connection, row.id, RECENT)
        put_aside = aside(connection, row.id)
        event = last_event(connection)
    found = explain(service, row)
    with service.store.read() as connection:
        tags = reader_of(request).tags
        stories = StoryReader(connection, service.clock(), tags).named(
            filter(None, [row.story])
        )
        copied = articles_by_id(connection, [row.copy_of] if row.copy_of else [])
        links = _linked(connection, found.decision)
    keywords = found.decision.keywords if found.decision else {}
    text = None if newest is None else newest.text
    values = {
        "article": ArticleOut.of(row),
        "story": stories.get(row.story or ""),
        "body": body_of(row.title, text, found.sentences),
        "kept": text is not None,
        "why": found.reasons,
        "due": found.place.due,
        "figures": figures_of(found.decision),
        "keywords": sorted(keywords.items(), key=lambda pair: (-pair[1], pair[0])),
        "links": links,
        "original": copied.get(row.copy_of or ""),
        "revisions": changes[::-1],
        "edits": row.edits,
        "aside": put_aside,
        "flag": _FLAGS.get(row.date_flag or ""),
    }
    page = Page(
        "article",
        row.title or row.id,
        values,
        nav="now",
        twin=f"/api/articles/{quote(row.id, safe='')}",
        event=event,
        story=row.story,
    )
    return show(request, service, page)


def _linked(connection: Connection, decision: Decision | None) -> list[Linked]:
    """Return the linked articles, the likeliest first."""
    links = decision.links if isinstance(decision, LinkDecision) else {}
    rows = articles_by_id(connection, list(links))
    ranked = sorted(links.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        Linked(name, ArticleOut.of(rows[name]) if name in rows else None, likely)
        for name, likely in ranked
    ]
