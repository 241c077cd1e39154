"""ustory: reads a stream of news and tells the stories in it."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ustory.core.article import Article
    from ustory.core.errors import UStoryError
    from ustory.core.settings import Settings
    from ustory.core.story import Decision, Event, LinkDecision, Story, ThemeDecision
    from ustory.encode import load_encoder
    from ustory.engine.online import Engine
    from ustory.sources import open_source
    from ustory.stories.discovery import Discovery, find_stories

    __version__: str

__all__ = [
    "Article",
    "Decision",
    "Discovery",
    "Engine",
    "Event",
    "LinkDecision",
    "Settings",
    "Story",
    "ThemeDecision",
    "UStoryError",
    "__version__",
    "find_stories",
    "load_encoder",
    "open_source",
]

_HOMES = {
    "Article": "ustory.core.article",
    "Decision": "ustory.core.story",
    "Discovery": "ustory.stories.discovery",
    "Engine": "ustory.engine.online",
    "Event": "ustory.core.story",
    "LinkDecision": "ustory.core.story",
    "Settings": "ustory.core.settings",
    "Story": "ustory.core.story",
    "ThemeDecision": "ustory.core.story",
    "UStoryError": "ustory.core.errors",
    "find_stories": "ustory.stories.discovery",
    "load_encoder": "ustory.encode",
    "open_source": "ustory.sources",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Import a public name when it is first used; the engine takes seconds to."""
    if name == "__version__":
        return version("ustory")
    if name not in _HOMES:
        raise AttributeError(f"module 'ustory' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__})
