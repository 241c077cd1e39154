"""Feeds that an archive was read from, and watchlists that people follow it by."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from sqlalchemy import Connection

from ustory.store.tables import FeedRow, Match, Watchlist
from ustory.store.watchlists import add_matches, put_watchlist
from ustory_bench.service.rows import feed_url, moment, story_id
from ustory_bench.service.story_rows import Standing
from ustory_bench.service.synthetic import START, Synthetic
from ustory_bench.service.vocabulary import OUTLETS, outlet

WATCHLISTS = 20
_MATCHES = 50
_NEVER = datetime(2999, 1, 1, tzinfo=UTC)


def feed_rows(made: Synthetic) -> list[FeedRow]:
    """Return a feed for each outlet; none is read before a day far ahead."""
    counts = np.bincount(made.source, minlength=OUTLETS + 1)
    end = moment(int(made.published[-1]))
    return [
        FeedRow(
            url=feed_url(number),
            title=outlet(number),
            added_at=moment(START),
            next_at=_NEVER,
            last_ok=end,
            status=200,
            articles=int(counts[number]),
        )
        for number in range(1, OUTLETS + 1)
    ]


def follow_stories(connection: Connection, at: Standing) -> None:
    """Write watchlists, each with a keyword of a live story and some matches."""
    made = at.made
    end, last = (
        moment(int(made.published[made.told - 1])),
        int(made.slide[made.told - 1]),
    )
    live = np.flatnonzero(at.live).tolist()
    for number in range(min(WATCHLISTS, len(live))):
        name = f"w{number:02d}"
        row = Watchlist(
            id=name,
            name=f"Watch {number}",
            created_at=moment(START),
            keywords=(at.keywords[live[number]][0],),
        )
        put_watchlist(connection, row)
        found = [
            Match(id=0, watchlist=name, story=story_id(story), slide=last, at=end)
            for story in live[number :: len(live) // _MATCHES + 1]
        ]
        add_matches(connection, found)
