"""The true stories of a stream, and what a stream must have to be scored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypeAlias

from ustory.core.errors import ConfigError
from ustory.scores.slides import Stories

Truth: TypeAlias = Mapping[str, str | None]
"""The true story of each article of a stream, None where it has no label."""


def labelled_only(truth: Truth) -> dict[str, str]:
    """Return the articles that have a true story; refuse a stream without any."""
    labelled = {article: story for article, story in truth.items() if story is not None}
    if not labelled:
        raise ConfigError(
            "no article of the stream has a true story; scores need a labelled stream"
        )
    return labelled


def refuse_strangers(truth: Truth, stories: Stories, end: datetime) -> None:
    """Raise ConfigError if an article is assigned that the stream does not have."""
    strangers = stories.keys() - truth.keys()
    if strangers:
        raise ConfigError(
            f"the stream has no article {min(strangers)!r}, which is assigned in the "
            f"slide ending {end.isoformat()}; score assignments against the stream "
            "they were made from"
        )
