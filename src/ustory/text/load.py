"""Chooses a text pipeline by name."""

from __future__ import annotations

from ustory.core import registry
from ustory.core.protocols import TextPipeline


def load_pipeline(name: str) -> TextPipeline:
    """Return the pipeline registered as `name` (group `ustory.pipelines`)."""
    pipeline: TextPipeline = registry.find("pipelines", name)()
    return registry.made_of(pipeline, name)
