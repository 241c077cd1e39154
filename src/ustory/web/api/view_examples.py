"""Examples of what is behind the pages; a test holds them against the shapes."""

from __future__ import annotations

from typing import Any

from ustory.web.api.examples import STANDING, STORY

TIMELINE: dict[str, Any] = {
    "zoom": "day",
    "since": "2024-03-05T00:00:00Z",
    "until": "2024-03-07T00:00:00Z",
    "window_hours": 168,
    "steps": ["2024-03-05T00:00:00Z", "2024-03-06T00:00:00Z"],
    "stories": [
        {
            "story": STORY,
            "articles": [4, 3],
            "sizes": [9, 12],
            "keywords": [["rescue", "kestrel"], ["toll", "kestrel"]],
        }
    ],
}
MAP: dict[str, Any] = {
    "slide": 12,
    "end": "2024-03-07T12:00:00Z",
    "behind": False,
    "inside": 71,
    "thematic": 0.91,
    "plain": 0.78,
    "stories": [
        {
            "id": "s000001",
            "headline": STORY["headline"],
            "keywords": STORY["keywords"],
            "articles": 11,
        }
    ],
    "articles": [
        {
            "id": "a-0001",
            "title": STORY["headline"],
            "story": "s000001",
            "published_at": "2024-03-04T06:48:00Z",
            "thematic": [3.21, -7.5],
            "plain": [2.98, -4.02],
        }
    ],
}
OPERATIONS: dict[str, Any] = {
    "status": "ok",
    "standing": STANDING,
    "slides_done": 12,
    "slide_end": "2024-03-07T12:00:00Z",
    "lag_seconds": 95.2,
    "behind": 0,
    "queue": 3,
    "queue_most": 20_000,
    "stories": 15,
    "inside": 71,
    "waiting": 9,
    "events": 160,
    "listeners": 2,
    "memory_bytes": 201_326_592,
    "memory_peak_bytes": 230_686_720,
    "encoder": "wordllama",
    "slides": [
        {
            "number": 12,
            "end": "2024-03-07T12:00:00Z",
            "done_at": "2024-03-07T12:00:01Z",
            "articles": 8,
            "stories": 15,
            "seconds": {"encoding": 0.02, "links": 0.01, "total": 0.06},
        }
    ],
    "now": {},
    "set_aside": [],
    "problems": [
        {
            "id": 4,
            "at": "2024-03-07T11:15:00Z",
            "origin": "https://harbourpost.example/rss.xml",
            "kind": "http",
            "message": "the feed answered 503; it is asked again in 30 minutes",
        }
    ],
}
