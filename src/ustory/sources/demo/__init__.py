"""A small labelled stream of fictional news, to try everything on."""

from __future__ import annotations

from pathlib import Path

EXPLAINED = "a-0035"
"""The article to explain: one earthquake, while another is still in the news."""


def demo_stream() -> Path:
    """Return the file of the demo stream: 122 articles, 15 stories and some noise.

    Everything in it is invented for this project. Two earthquakes and two trials
    run side by side: events of one kind that only their themes tell apart.
    """
    return Path(__file__).with_name("stream.jsonl")
