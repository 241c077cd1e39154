"""Messages about matches of watchlists, as CloudEvents 1.0 or in the older form.

A message is written once, when its match is found, and is never changed afterwards.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from ustory.core.wording import many, utc_text
from ustory.service.to_json import plain
from ustory.store.tables import Delivery, Match, StoryRow, Watchlist
from ustory.store.watchlists import CLOUDEVENTS

EVENT_TYPE = "ustory.watchlist.match"
"""The `type` of these events; one with another meaning would have another."""
_LONGEST_PART = 300
"""Characters of a name or a headline in a sentence."""
_PLANES = "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}"
                  for plane in range(17))  # fmt: skip
_NO_TEXT = re.compile(
    f"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff\ufdd0-\ufdef{_PLANES}]+"
)
"""Blanks, and what a string of a CloudEvent must not have."""
_MENTIONS = str.maketrans({"<": "‹", ">": "›", "@": "＠"})
"""Chats read commands and links in these, such as `<!channel>` or `@all`."""


def match_message(
    watchlist: Watchlist, match: Match, row: StoryRow | None, site: str = ""
) -> Delivery:
    """Return the message about a match; its id makes sending it twice harmless.

    Addresses in it begin with `site`; where that is empty they are paths.
    """
    assert watchlist.webhook is not None
    name = f"{watchlist.id}.{match.story}"
    body = _body(watchlist, match, row)
    if watchlist.webhook_format == CLOUDEVENTS:
        body = _event(name, body, row, site.rstrip("/"))
    return Delivery(
        id=name,
        watchlist=watchlist.id,
        match=match.id,
        url=watchlist.webhook,
        next_at=match.at,
        body=body,
    )


def _body(watchlist: Watchlist, match: Match, row: StoryRow | None) -> dict[str, Any]:
    """Return what was found: the whole message in the older form."""
    story: dict[str, object] = {"id": match.story}
    if row is not None:
        story |= {
            "headline": row.headline,
            "keywords": plain(row.keywords),
            "articles": row.articles,
            "sources": row.sources,
            "first_seen": plain(row.first_seen),
            "last_seen": plain(row.last_seen),
        }
    return {
        "kind": "match",
        "watchlist": {"id": watchlist.id, "name": watchlist.name},
        "story": story,
        "article": match.article,
        "slide": match.slide,
        "at": utc_text(match.at),
    }


def _event(
    name: str, body: dict[str, Any], row: StoryRow | None, site: str
) -> dict[str, Any]:
    """Return what was found as a CloudEvent, with a sentence and a link for people."""
    story, watchlist = body["story"]["id"], body["watchlist"]
    url = f"{site}/stories/{quote(story, safe='')}"
    return {
        "specversion": "1.0",
        "id": name,
        "source": f"{site}/api/watchlists/{watchlist['id']}",
        "type": EVENT_TYPE,
        "subject": story,
        "time": body["at"],
        "datacontenttype": "application/json",
        "text": _sentence(watchlist["name"], story, row, url),
        "url": url,
        "data": body,
    }


def _sentence(watchlist: str, story: str, row: StoryRow | None, url: str) -> str:
    """Return the match in a sentence, with the address of the story's page."""
    found = _one_line(row.headline if row and row.headline else story)
    counts = ""
    if row is not None:
        sources = many(row.sources, "independent source")
        counts = f" ({many(row.articles, 'article')}, {sources})"
    return f"{_one_line(watchlist)}: {found}{counts} {url}"


def _one_line(text: str) -> str:
    r"""Return text on one line, in which no chat finds a command.

    >>> _one_line("Quake\n <!channel> & @all\x07")
    'Quake ‹!channel› & ＠all'
    """
    plain_text = _NO_TEXT.sub(" ", text).strip().translate(_MENTIONS)
    if len(plain_text) <= _LONGEST_PART:
        return plain_text
    return f"{plain_text[: _LONGEST_PART - 1].rstrip()}…"
