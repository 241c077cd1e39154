"""Decisions of mode `links` name their log-odds by the evidence that gave them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import sqlalchemy as sa
from alembic import op

from ustory.store.migrations.kinds import NUMBER, WORDS

revision = "0009"
down_revision = "0008"

Record: TypeAlias = dict[str, Any]

_META = sa.table("meta", sa.column("key"), sa.column("value"))
_SLIDES = sa.table("slides", sa.column("number", NUMBER), sa.column("digest", WORDS))
_DECISIONS = sa.table(
    "decisions",
    sa.column("article", WORDS),
    sa.column("slide", NUMBER),
    sa.column("story", WORDS),
    sa.column("record", WORDS),
)
_EVENTS = sa.table(
    "events",
    *(sa.column(name, NUMBER) for name in ("id", "slide", "at")),
    *(sa.column(name, WORDS) for name in ("kind", "story", "articles", "details")),
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def upgrade() -> None:
    """Give the log-odds by words and by meaning their names.

    In mode `links` they were in `divergence` and `cosine`, and `similarity` was the
    probability. Evidence that says nothing is not named. In mode `paper` decisions
    have no links.
    """
    _rewrite({"links": _by_evidence, "paper": _without_links})


def downgrade() -> None:
    """Put the log-odds back where the older release looks for them."""
    _rewrite({"links": _by_parts, "paper": _with_links})


def _by_evidence(record: Record) -> None:
    if "cosine" not in record:  # nothing was decided: the article came too late
        return
    both = {"words": record.pop("divergence"), "meaning": record.pop("cosine")}
    record["evidence"] = {name: odds for name, odds in both.items() if odds}
    record["probability"] = record.pop("similarity")


def _by_parts(record: Record) -> None:
    if "evidence" not in record:
        return
    evidence = record.pop("evidence")
    record["divergence"] = evidence.get("words", 0.0)
    record["cosine"] = evidence.get("meaning", 0.0)
    record["similarity"] = record.pop("probability")


def _without_links(record: Record) -> None:
    if "cosine" in record:
        record.pop("links", None)


def _with_links(record: Record) -> None:
    if "cosine" in record:
        record["links"] = {}


def _rewrite(changes: Mapping[str, Callable[[Record], None]]) -> None:
    """Change the decisions of every slide, and the digests, which are chained."""
    connection = op.get_bind()
    settings = sa.select(_META.c.value).where(_META.c.key == "settings")
    found = connection.execute(settings).scalar()
    if found is None:
        return
    change = changes[json.loads(found)["mode"]]
    slides = connection.execute(sa.select(_SLIDES).order_by(_SLIDES.c.number)).all()
    before = ""
    for number, digest in slides:
        rows = _changed(connection, number, change)
        if digest is not None:
            before = _digest(before, [*rows, *_events(connection, number)])
            here = _SLIDES.c.number == number
            connection.execute(sa.update(_SLIDES).where(here).values(digest=before))


def _changed(
    connection: sa.Connection, slide: int, change: Callable[[Record], None]
) -> list[list[Any]]:
    """Change the decisions of a slide, and return their rows."""
    query = sa.select(_DECISIONS).where(_DECISIONS.c.slide == slide)
    rows = []
    for article, _, story, text in connection.execute(
        query.order_by(_DECISIONS.c.article)
    ).all():
        record = json.loads(text)
        change(record)
        rows.append([article, slide, story, record])
    if rows:
        here = _DECISIONS.c.article == sa.bindparam("whose")
        here &= _DECISIONS.c.slide == slide
        update = sa.update(_DECISIONS).where(here).values(record=sa.bindparam("told"))
        told = [{"whose": row[0], "told": _canonical(row[3])} for row in rows]
        connection.execute(update, told)
    return rows


def _events(connection: sa.Connection, slide: int) -> list[list[Any]]:
    """Return the rows of a slide's events, less those of the whole archive."""
    query = sa.select(_EVENTS).where(_EVENTS.c.slide == slide, _EVENTS.c.story != "")
    return [
        [
            event.id,
            event.slide,
            str(_EPOCH + timedelta(microseconds=event.at)),
            event.kind,
            event.story,
            json.loads(event.articles),
            json.loads(event.details),
        ]
        for event in connection.execute(query.order_by(_EVENTS.c.id))
    ]


def _digest(before: str, rows: list[list[Any]]) -> str:
    """Return what `slide_digest` returned for a slide when this was written."""
    whole = hashlib.sha256(before.encode())
    for row in rows:
        whole.update(_canonical(row).encode() + b"\n")
    return whole.hexdigest()


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
