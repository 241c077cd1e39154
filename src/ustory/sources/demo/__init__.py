"""Two small labelled streams of fictional news, to try everything on."""

from __future__ import annotations

from pathlib import Path

EXPLAINED = "a-0035"
"""The article to explain: one earthquake, while another is still in the news."""
EXPLAINED_LANGUAGES = "es-0016"
"""The same in the stream of many languages."""
TWINS = (
    ("tamsor-earthquake", "lirande-earthquake"),
    ("aurelka-ferry", "nimuela-ferry"),
    ("dravex-lumenta-merger", "orvald-sembria-merger"),
    ("coronet-cup-final", "sable-cup-final"),
)
"""Stories of `languages_stream`, two of a kind: names and numbers tell them apart."""


def demo_stream() -> Path:
    """Return the file of the demo stream: 122 articles, 15 stories and some noise.

    Everything in it is invented for this project. Two earthquakes and two trials
    run side by side: events of one kind that only their themes tell apart.
    """
    return Path(__file__).with_name("stream.jsonl")


def languages_stream() -> Path:
    """Return the file of the stream in six languages: 89 articles, 18 stories, noise.

    It is invented, too. An id begins with the language that its article is written
    in (ar, de, en, es, ru or zh); `lang` is what the outlet says, which is missing in
    seven articles and wrong in two. Four kinds of events happen twice (`TWINS`).
    """
    return Path(__file__).with_name("languages.jsonl")
