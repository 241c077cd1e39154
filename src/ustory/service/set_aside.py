"""Articles set aside by hand, and taken back."""

from __future__ import annotations

from datetime import datetime

from ustory.core.errors import StateError
from ustory.store import Connection
from ustory.store.articles import article as find_article
from ustory.store.articles import aside, put_aside, take_back
from ustory.store.slides import slide
from ustory.store.tables import AsideRow


def set_aside(
    connection: Connection, article: str, why: str, by: str, now: datetime
) -> AsideRow | None:
    """Set an article aside and return what was written; None without such an article.

    Its slide is computed without it, unless it is done: then this is only recorded.
    """
    found = find_article(connection, article)
    if found is None:
        return None
    before = aside(connection, article)
    row = AsideRow(
        article=article,
        seq=found.seq,
        slide=found.slide,
        at=now,
        reason=why,
        by=by,
        left_out=before.left_out
        if before is not None
        else not _is_done(connection, found.slide),
    )
    put_aside(connection, [row])
    return row


def taken_back(connection: Connection, article: str) -> bool:
    """Take an article back; say whether it was set aside.

    Refused where its slide was computed without it: that slide would come out
    otherwise than it was written down.
    """
    row = aside(connection, article)
    if row is None:
        return False
    if row.left_out and _is_done(connection, row.slide):
        raise StateError(
            f"slide {row.slide} was computed without article {article!r}, so it cannot "
            "be taken back; send its text again under another id and address"
        )
    take_back(connection, article)
    return True


def _is_done(connection: Connection, number: int) -> bool:
    found = slide(connection, number)
    return found is not None and found.status == "done"
