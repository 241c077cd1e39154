"""Stories of which each has articles in several languages, for tests.

The texts of a story share their words, so that any method links them; only titles and
tags are of several languages. So tests must believe the tags: `tags_hold`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from ustory.core.article import Article

START = datetime(2024, 3, 4, 6, tzinfo=UTC)
HOUR = timedelta(hours=1)
_BRIDGE = (
    "The Marlow bridge at Kestrel Bay collapsed in a storm on Monday. "
    "Engineers of Marlow county closed the harbour of Kestrel Bay after the collapse. "
    "The ferry Aurora carries commuters of Kestrel Bay across the strait meanwhile. "
)
_VOTE = (
    "Parliament in Port Sella voted on the fishing quota of the northern islands. "
    "Minister Lindqvane defended the quota before the vote in Port Sella. "
    "Fishermen of the northern islands had protested against the quota for weeks. "
)
TITLES: dict[str, Sequence[tuple[str, str]]] = {
    "bridge": [
        ("en", "Marlow bridge collapses in storm"),
        ("en-GB", "Bridge at Kestrel Bay collapses"),
        ("en", "Storm brings down Marlow bridge"),
        ("es", "El puente de Marlow se derrumba"),
        ("es", "Tormenta derriba el puente de Marlow"),
        ("ar", "انهيار جسر مارلو في عاصفة (3)"),
        ("zh", "马洛大桥在风暴中倒塌"),
    ],
    "vote": [
        ("en", "Parliament votes on fishing quota"),
        ("en", "Fishing quota of northern islands passes"),
    ],
}
TEXTS = {"bridge": _BRIDGE, "vote": _VOTE}


def polyglot() -> list[Article]:
    """Return two stories: one in four languages, one in English alone."""
    found = []
    for name, titles in TITLES.items():
        for number, (lang, title) in enumerate(titles):
            text = f"{TEXTS[name]}Reporter number {number} was there."
            article = Article(
                id=f"{name}-{number}",
                published_at=START + number * HOUR,
                title=title,
                text=text,
                url=f"https://outlet{number}.example/{name}",
                lang=lang,
                source=f"Outlet {number}",
            )
            found.append(article)
    return sorted(found, key=lambda article: (article.published_at, article.id))


@contextmanager
def tags_hold() -> Iterator[None]:
    """Believe what tags say, though the texts of `polyglot` are all in English."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ustory.engine.languages._contradiction", lambda *_: None)
        yield
