"""News for a service that somebody looks at, and the list that shows it."""

from __future__ import annotations

from typing import Any

from tests.browser.visiting import Visit
from tests.web.conftest import WRITER

BAR = "#changes .change-in:not([hidden])"
TEXT = (
    "A strong earthquake shook Kestrel Bay again on Monday. The Tavarre Geological "
    "Institute said the aftershock hit Port Sella and Marram. A tsunami advisory was "
    "issued for the bay, and crews in Port Sella looked for survivors of the quake."
)


def send(tab: Visit, **article: str) -> dict[str, Any]:
    """Send an article."""
    answer = tab.page.request.post("/api/articles", data=article, headers=WRITER)
    assert answer.ok, answer.text()
    told: dict[str, Any] = answer.json()
    return told


def slide(tab: Visit) -> None:
    """Send news of a story, and what ends its slide."""
    send(
        tab,
        id="new-1",
        title="Aftershock of the Kestrel Bay earthquake shakes Port Sella",
        text=TEXT,
        source="The new one",
        published_at="2024-03-18T20:00:00Z",
    )
    send(
        tab,
        id="new-2",
        title="A quiet day at the market of Orrin",
        text="Little was sold.",
        published_at="2024-03-20T01:00:00Z",
    )


def rows(tab: Visit) -> list[str]:
    """Return the stories of the list, in their order."""
    found: list[str] = tab.page.evaluate(
        "[...document.querySelectorAll('#list [data-id]')].map((e) => e.dataset.id)"
    )
    return found
