"""Articles set aside: by hand, or because they make their slide fail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from ustory.core.errors import StateError
from ustory.engine.poison import Poison
from ustory.store import Connection
from ustory.store.articles import article as find_article
from ustory.store.articles import aside, put_aside, take_back
from ustory.store.slides import slide
from ustory.store.tables import AsideRow


def aside_rows(
    found: Iterable[Poison],
    numbers: Mapping[str, int],
    slide: int,
    at: datetime,
    by: str,
) -> list[AsideRow]:
    """Return the rows of articles that a slide is computed without."""
    return [
        AsideRow(
            article=each.article.id,
            seq=numbers[each.article.id],
            slide=slide,
            at=at,
            reason=each.reason,
            by=by,
            left_out=True,
        )
        for each in found
    ]


def set_aside(
    connection: Connection, article: str, why: str, by: str, now: datetime
) -> AsideRow | None:
    """Set an article aside and return its row; None if there is no such article.

    Its slide is computed without it; if the slide is done, this is only recorded.
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
        left_out=not _is_done(connection, found.slide)
        if before is None
        else before.left_out,
    )
    put_aside(connection, [row])
    return row


def taken_back(connection: Connection, article: str) -> bool:
    """Take an article back; return whether it was set aside.

    Refused if its slide was computed without it: computed again, that slide would
    differ from what the archive says.
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
