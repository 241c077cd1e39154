"""Examples for the OpenAPI document; a test holds them against the shapes."""

from __future__ import annotations

from typing import Any

STORY: dict[str, Any] = {
    "id": "s000001",
    "status": "live",
    "headline": "Strong earthquake shakes Kestrel Bay, tsunami advisory issued",
    "keywords": ["kestrel", "bay", "earthquake"],
    "articles": 14,
    "inside": 11,
    "sources": 6,
    "heat": 3.1416,
    "trend": "growing",
    "first_seen": "2024-03-04T06:48:00Z",
    "last_seen": "2024-03-07T11:02:00Z",
    "born_at": "2024-03-04T12:00:00Z",
    "changed_slide": 12,
    "lang": "en",
    "top_sources": ["Continental Wire", "Harbour Post"],
    "merged_into": None,
    "split_from": None,
}
ARTICLE: dict[str, Any] = {
    "id": "a-0001",
    "title": "Strong earthquake shakes Kestrel Bay, tsunami advisory issued",
    "url": "https://continentalwire.example/2024/03/04/kestrel-bay",
    "source": "Continental Wire",
    "source_claimed": False,
    "origin": "api",
    "lang": "en",
    "authors": ["Petra Lindqvane"],
    "published_at": "2024-03-04T06:48:00Z",
    "claimed_at": "2024-03-04T06:48:00Z",
    "date_flag": None,
    "fetched_at": "2024-03-04T06:50:00Z",
    "story": "s000001",
    "how": "seeded",
    "confidence": 0.91,
    "copy_of": None,
    "edits": 0,
    "waiting": False,
}
EVENT: dict[str, Any] = {
    "id": 17,
    "kind": "grew",
    "story": "s000001",
    "at": "2024-03-07T12:00:00Z",
    "slide": 12,
    "articles": ["a-0035"],
    "details": {},
}
DAY: dict[str, Any] = {
    "day": "2024-03-04",
    "articles": 5,
    "sources": 4,
    "keywords": ["earthquake", "tsunami", "kestrel"],
    "central": ARTICLE,
}
STORIES = {"stories": [STORY], "next": None}
ARTICLES = {"articles": [ARTICLE], "next": None}
TIMELINE = {"story": "s000001", "days": [DAY], "events": [EVENT]}
DETAIL = {
    "story": STORY,
    "articles": ARTICLES,
    "days": [DAY],
    "events": [EVENT],
    "related": [],
}
RELATED: dict[str, Any] = {"stories": [{**STORY, "id": "s000004"}]}
CHANGES = {
    "since": "2024-03-07T00:00:00Z",
    "until": "2024-03-07T12:00:00Z",
    "after": "41-9f3ac2d1b07e",
    "stories": [STORY],
    "next": None,
}
NEW_ARTICLE = {
    "title": "Kestrel Bay counts its dead after the quake",
    "text": "PORT SELLA - Rescue teams searched the old quarter for a second night.",
    "url": "https://harbourpost.example/kestrel-bay-count",
    "source": "Harbour Post",
    "published_at": "2024-03-05T08:00:00Z",
    "lang": "en",
}
NEW_WITHDRAWAL = {"kind": "source", "value": "Gossip Daily"}
WITHDRAWAL = {"articles": 3, "stories": 1, "backups": ["ustory.db.0006.backup"]}
RECEIPTS = {
    "receipts": [
        {
            "article": "a-0200",
            "seq": 123,
            "slide": 13,
            "outcome": "new",
            "story": "s000001",
            "probability": 0.87,
            "provisional": True,
            "reason": None,
        }
    ]
}
ARTICLE_DETAIL = {
    **ARTICLE,
    "text": "PORT SELLA, Tavarre - A powerful earthquake struck the coast.",
    "revisions": [
        {
            "number": 1,
            "title": ARTICLE["title"],
            "fetched_at": "2024-03-04T06:50:00Z",
        }
    ],
    "set_aside": None,
}
REVISIONS = {"revisions": ARTICLE_DETAIL["revisions"], "next": None}
ASIDE = {
    "article": "a-0001",
    "slide": 13,
    "at": "2024-03-04T06:55:00Z",
    "reason": "It was withdrawn by its publisher.",
    "by": "api:editor",
    "left_out": True,
}
WHY = {"why": ASIDE["reason"]}
EXPLANATION = {
    "article": "a-0001",
    "title": ARTICLE["title"],
    "published_at": "2024-03-04T06:48:00Z",
    "story": "s000001",
    "how": "seeded",
    "decided_at": "2024-03-04T12:00:00Z",
    "best": "s000001",
    "runner_up": None,
    "margin": 0.91,
    "probability": 0.91,
    "evidence": {"words": 2.4, "meaning": 1.2},
    "words": 2.4,
    "meaning": 1.2,
    "similarity": None,
    "cosine": None,
    "divergence": None,
    "log_odds": 2.3,
    "keywords": {"earthquake": 3},
    "links": {"a-0002": 0.94},
    "stories": [
        {"id": "s000001", "headline": STORY["headline"], "status": "live"},
    ],
    "reasons": ["It helped to start story s000001 in the slide that ended …"],
    "sentences": [
        {"number": 0, "text": ARTICLE["title"], "weight": 0.4},
    ],
    "decision": {"story": "s000001", "how": "seeded"},
}
MATCHES = {
    "matches": [
        {
            "story": "s000001",
            "headline": STORY["headline"],
            "probability": 0.87,
            "joins": True,
            "words": 2.1,
            "meaning": 1.4,
            "keywords": ["kestrel", "earthquake"],
            "links": {"a-0001": 0.9},
        }
    ]
}
NEW_WATCHLIST = {
    "name": "Earthquakes",
    "keywords": ["earthquake"],
    "webhook": "https://hooks.example/ustory",
}
WATCHLIST = {
    "id": "w-4f1c",
    "name": "Earthquakes",
    "keywords": ["earthquake"],
    "example": None,
    "webhook": "https://hooks.example/…",
    "active": True,
    "created_at": "2024-03-04T06:00:00Z",
}
WATCHLIST_MADE = {**WATCHLIST, "secret": "kept by you, and told only once"}
WATCHLISTS = {"watchlists": [WATCHLIST]}
MATCHED = {
    "matches": [
        {
            "id": 3,
            "at": "2024-03-04T12:00:00Z",
            "slide": 1,
            "article": None,
            "story": STORY,
        }
    ],
    "next": None,
}
FEED = {
    "id": "1f6d7c5f0a3b9e24",
    "url": "https://harbourpost.example/rss.xml",
    "title": "Harbour Post",
    "active": True,
    "added_at": "2024-03-04T06:00:00Z",
    "articles": 42,
    "status": 200,
    "last_ok": "2024-03-07T11:00:00Z",
    "last_error": None,
    "failures": 0,
    "next_at": "2024-03-07T11:15:00Z",
}
NEW_FEED = {"url": "https://harbourpost.example/rss.xml", "title": "Harbour Post"}
FEEDS = {"feeds": [FEED]}
OPML = (
    '<?xml version="1.0"?><opml version="2.0"><body>'
    '<outline text="Harbour Post" type="rss" '
    'xmlUrl="https://harbourpost.example/rss.xml"/></body></opml>'
)
IMPORTED = {"added": 12, "known": 1, "refused": 0}
HEALTH = {"status": "ok", "version": "0.2.0"}
STANDING: dict[str, Any] = {
    "state": "waiting",
    "waiting": 3,
    "behind": 0,
    "dropped": {"refused": 2, "turned_away": 0, "set_aside": 0, "webhooks": 1},
    "failing": {"feeds": 1},
}
READY = {
    "status": "ok",
    "database": True,
    "loop": True,
    "slide": 12,
    "slide_end": "2024-03-07T12:00:00Z",
    "behind": 0,
    "pending": 3,
    "problem": None,
    "standing": STANDING,
}
NOT_READY = {
    **READY,
    "status": "not ready",
    "database": False,
    "slide": None,
    "slide_end": None,
    "problem": "the database cannot be reached",
    "standing": {
        "state": "failing",
        "waiting": 0,
        "behind": 0,
        "dropped": {},
        "failing": {"database": 1},
    },
}
SSE = {"id": "17", "event": "grew", "data": '{"id": 17, "kind": "grew", …}'}
ATOM = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<feed xmlns="http://www.w3.org/2005/Atom">…</feed>'
)
JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Stories",
    "home_page_url": "http://127.0.0.1:8000/",
    "feed_url": "http://127.0.0.1:8000/api/stories.json",
    "items": [],
}
METRICS = "# TYPE ustory_stories gauge\nustory_stories 15.0\n"
