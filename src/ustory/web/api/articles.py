"""Articles: sent in, found, read, explained, and matched with stories."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path, Query, Response

from ustory.core.errors import StateError
from ustory.service.set_aside import set_aside, taken_back
from ustory.service.withdrawal import WithdrawalRule
from ustory.store.articles import article as find_article
from ustory.store.articles import aside, changes_of, newest_revision
from ustory.store.listing import search_articles
from ustory.store.tables import ArticleRow
from ustory.web.access import ASKS, Calling, Served, writes
from ustory.web.errors import ApiError
from ustory.web.explanation import explain, explanation_out
from ustory.web.keys import ADMIN
from ustory.web.models.articles import (
    ArticleDetail,
    ArticleIn,
    ArticlesIn,
    AsideIn,
    Explanation,
    Matches,
    OneOrMany,
    Receipts,
    RevisionOut,
    RevisionPage,
    WithdrawalIn,
    WithdrawalOut,
)
from ustory.web.models.operations import AsideOut
from ustory.web.models.shared import Line, example_of
from ustory.web.models.stories import ArticleOut, ArticlePage
from ustory.web.openapi_answers import answers, refusals
from ustory.web.posting import match_text, take_in, withdraw
from ustory.web.service import Service
from ustory.web.story_reader import check_text, cursor_checked

router = APIRouter(prefix="/api", tags=["articles"])

RECENT = 50
"""Revisions that an article is shown with; the others have a list of their own."""
ArticleId = Annotated[
    str, Path(min_length=1, max_length=1_000, examples=["a-0001"], alias="article")
]


@router.get("/articles", responses=answers(ArticlePage, 400, 404))
def articles(
    service: Served,
    q: Annotated[Line, Query(description="Words; all of them must be in an article.")],
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[
        str | None, Query(pattern="^[A-Za-z0-9_-]+$", max_length=1_000)
    ] = None,
) -> ArticlePage:
    """Search the articles; those that came in last are the first."""
    check_text(q)
    with service.store.read() as connection, cursor_checked():
        page = search_articles(connection, q, limit, cursor)
    found = [ArticleOut.of(row) for row in page.items]
    return ArticlePage(articles=found, total=page.total, next=page.cursor)


@router.post(
    "/articles", dependencies=writes("articles"), responses=answers(Receipts, 400, 413)
)
def send(
    service: Served,
    caller: Calling,
    sent: Annotated[
        OneOrMany,
        Body(examples=[example_of(ArticleIn), example_of(ArticlesIn)]),
    ],
) -> Receipts:
    """Take in an article, or many; each gets its likely story in the answer.

    They are stored before this answers. Sending one again does nothing (`known`), and
    sending a new text for a known address is an edit. When too much is waiting, the
    answer is 429 with `Retry-After`: nothing was taken in then, send all again.
    """
    given = sent.articles if isinstance(sent, ArticlesIn) else [sent]
    return Receipts(receipts=take_in(service, given, caller.origin))


@router.get("/articles/{article:path}/explanation", responses=answers(Explanation, 404))
def explanation(service: Served, article: ArticleId) -> Explanation:
    """Say why an article is where it is: in words, and in numbers."""
    found = explain(service, _found(service, article))
    return explanation_out(found, service.loop.settings.mode)


@router.post(
    "/articles/{article:path}/set-aside",
    dependencies=writes(ADMIN),
    responses=answers(AsideOut, 400, 404, 413),
)
def put_aside(
    service: Served,
    caller: Calling,
    article: ArticleId,
    given: Annotated[AsideIn, Body(examples=[example_of(AsideIn)])],
) -> AsideOut:
    """Set an article aside: its slide is computed without it.

    Where the slide is done already, this is only recorded (`left_out` is false).
    """
    with service.store.write() as connection:
        row = set_aside(connection, article, given.why, caller.origin, service.clock())
    if row is None:
        raise ApiError(404, "there is no article with this id")
    return AsideOut.of(row)


@router.delete(
    "/articles/{article:path}/set-aside",
    status_code=204,
    dependencies=writes(ADMIN),
    responses={204: {"description": "It is taken back."}, **refusals(404, 409)},
)
def take_back(service: Served, article: ArticleId) -> Response:
    """Take back an article that was set aside, while its slide is not done."""
    with service.store.write() as connection:
        try:
            found = taken_back(connection, article)
        except StateError as error:
            raise ApiError(409, str(error)) from None
    if not found:
        raise ApiError(404, "no article with this id is set aside")
    return Response(status_code=204)


@router.get("/articles/{article:path}/revisions", responses=answers(RevisionPage, 404))
def revisions(
    service: Served,
    article: ArticleId,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[
        int | None, Query(ge=1, le=2**53, description="`next` of a page.")
    ] = None,
) -> RevisionPage:
    """List the revisions of an article, the newest first, without their texts."""
    row = _found(service, article)
    with service.store.read() as connection:
        found = changes_of(connection, row.id, limit + 1, before)
    page = found[:limit]
    return RevisionPage(
        revisions=[RevisionOut.of(each) for each in page],
        next=page[-1].number if len(found) > limit else None,
    )


@router.get("/articles/{article:path}", responses=answers(ArticleDetail, 404))
def article(service: Served, article: ArticleId) -> ArticleDetail:
    """Return an article with its text, and when it was changed."""
    row = _found(service, article)
    with service.store.read() as connection:
        newest = newest_revision(connection, row.id)
        changes = changes_of(connection, row.id, RECENT)
        put = aside(connection, row.id)
    return ArticleDetail.of(
        row,
        text=None if newest is None else newest.text,
        revisions=[RevisionOut.of(each) for each in reversed(changes)],
        set_aside=None if put is None else AsideOut.of(put),
    )


@router.delete(
    "/articles/{article:path}",
    dependencies=writes(ADMIN),
    responses=answers(WithdrawalOut, 404),
)
def remove(service: Served, article: ArticleId) -> WithdrawalOut:
    """Withdraw an article: from store, search, stories, exports and the state.

    It does not come back from its feed. See `POST /api/withdrawals` for more at once.
    """
    row = _found(service, article)
    return withdraw(service, WithdrawalRule("article", row.id))


@router.post(
    "/withdrawals", dependencies=writes(ADMIN), responses=answers(WithdrawalOut, 400)
)
def withdrawals(
    service: Served,
    sent: Annotated[WithdrawalIn, Body(examples=[example_of(WithdrawalIn)])],
) -> WithdrawalOut:
    """Withdraw articles: one, those of a source or an origin, or of a text.

    They are gone from store, search, stories, exports and the state, and do not come
    back. The ledger says how many were withdrawn, and not what.
    """
    return withdraw(service, WithdrawalRule(sent.kind, sent.value))


@router.post("/match", dependencies=ASKS, responses=answers(Matches, 400, 413))
def match(
    service: Served,
    text: Annotated[ArticleIn, Body(examples=[example_of(ArticleIn)])],
) -> Matches:
    """Say which stories a text is likely to be of. Nothing is stored."""
    return Matches(matches=match_text(service, text))


def _found(service: Service, article: str) -> ArticleRow:
    with service.store.read() as connection:
        row = find_article(connection, article)
    if row is None:
        raise ApiError(404, "there is no article with this id")
    return row
