"""Articles that callers send: stored, and matched with the current stories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ustory.core.article import Article
from ustory.core.errors import PackageError
from ustory.core.wording import many
from ustory.service.backpressure import Full, Strained
from ustory.service.intake import Receipt
from ustory.service.withdrawal import WithdrawalRule
from ustory.sources.records.identity import derived_id
from ustory.store.listing import stories_by_id
from ustory.store.withdraw import backups_beside
from ustory.web.errors import ApiError
from ustory.web.models.articles import (
    ArticleIn,
    MatchOut,
    ReceiptOut,
    WithdrawalOut,
)
from ustory.web.service import Service

_MATCH_WAIT = 1.0
"""Seconds that a text waits for its turn to be matched."""


def take_in(
    service: Service, sent: Sequence[ArticleIn], origin: str
) -> list[ReceiptOut]:
    """Store articles, and return the outcome of each, with its likely story.

    `origin` is the sender: others may not change these articles.
    """
    articles = [to_article(each, service.rules.wall()) for each in sent]
    known = service.intake.left_out.is_turning_away
    try:
        receipts = service.intake.accept(articles, origin)
    except Full as full:
        if not known:  # once, however often they are sent again
            service.loop.problems.log(origin, "full", str(full))
        raise _refusal(full) from None
    _name_refused(service, receipts, origin)
    for receipt in receipts:
        service.metrics.received.labels(receipt.outcome).inc()
    answered = service.answers.provisional(articles, receipts)
    done = service.loop.slide
    return [_out(receipt, done) for receipt in answered]


def _name_refused(service: Service, receipts: Sequence[Receipt], origin: str) -> None:
    """Record that some articles were refused: one problem for all of them."""
    refused = [receipt for receipt in receipts if receipt.is_problem]
    if refused:
        count = many(len(refused), "article")
        said = f"{count} refused, such as {refused[0].article!r}: {refused[0].reason}"
        service.loop.problems.log(origin, "refused", said)


def withdraw(service: Service, rule: WithdrawalRule) -> WithdrawalOut:
    """Remove articles from the archive; return how many, and the backups that exist.

    Files are named without their folders, which callers need not know.
    """
    done = service.loop.withdraw(rule)
    backups = backups_beside(service.store) if done.articles else []
    return WithdrawalOut(
        articles=done.articles,
        stories=done.stories,
        backups=[file.name for file in backups],
    )


def match_text(service: Service, text: ArticleIn) -> list[MatchOut]:
    """Return the likely stories of a text, the likeliest first."""
    longest = service.rules.limits.match
    if len(text.title) + len(text.text) > longest:
        raise ApiError(
            413, f"title and text to match may have {longest:,} characters at most"
        )
    article = to_article(text, service.clock())
    try:
        service.check_memory()
    except Full as full:
        raise _refusal(full) from None
    # anybody may call this, and it is expensive: posted articles come first
    if not service.matching.acquire(timeout=_MATCH_WAIT):
        raise ApiError(
            503, "too many texts are being matched", headers={"Retry-After": "2"}
        )
    try:
        [found] = service.answers.match([article])
    except PackageError as error:
        raise ApiError(422, f"the text cannot be read: {error}") from error
    finally:
        service.matching.release()
    with service.store.read() as connection:
        rows = stories_by_id(connection, [match.story for match in found])
    return [
        MatchOut(
            story=match.story,
            headline=rows[match.story].headline if match.story in rows else "",
            probability=match.probability,
            joins=match.joins,
            evidence=None if match.evidence is None else dict(match.evidence),
            words=None if match.evidence is None else match.evidence.get("words", 0.0),
            meaning=None
            if match.evidence is None
            else match.evidence.get("meaning", 0.0),
            cosine=match.cosine,
            divergence=match.divergence,
            keywords=list(match.keywords),
            links=dict(match.links),
        )
        for match in found
    ]


def _refusal(full: Full) -> ApiError:
    """Return the answer if articles cannot be accepted now."""
    status = 503 if isinstance(full, Strained) else 429
    return ApiError(status, str(full), headers={"Retry-After": str(full.retry_after)})


def to_article(sent: ArticleIn, now: datetime) -> Article:
    """Return an article for the intake; without a date it is dated `now`."""
    made = derived_id(sent.url, sent.source, sent.title, sent.text)
    return Article(
        id=sent.id or made,
        published_at=sent.published_at or now,
        title=sent.title,
        text=sent.text,
        url=sent.url,
        lang=sent.lang.partition("-")[0].lower() if sent.lang else None,
        fetched_at=now,
        source=sent.source,
        authors=tuple(sent.authors),
    )


def _out(receipt: Receipt, done: int) -> ReceiptOut:
    return ReceiptOut(
        article=receipt.article,
        seq=receipt.seq,
        slide=receipt.slide,
        outcome=receipt.outcome,
        story=receipt.story,
        probability=receipt.probability,
        provisional=receipt.slide is not None and receipt.slide > done,
        reason=receipt.reason,
    )
