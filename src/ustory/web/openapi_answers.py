"""Responses in the OpenAPI document: examples, media types and errors."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from ustory.web.errors import AWAY, error_body
from ustory.web.models.shared import ErrorBody, example_of

Responses = dict[int | str, dict[str, Any]]

_ERRORS = {
    400: (
        "A parameter is unknown or does not fit, or the body cannot be read.",
        "this address has no parameter utm_source; those it has are limit, sort",
        [{"where": "query.utm_source", "problem": "there is no such parameter"}],
    ),
    401: ("A key is missing or unknown.", "this needs an API key", None),
    403: (
        "The key lacks the scope, or a page of another site sent it.",
        "the key reader may not do this; it needs the scope articles",
        None,
    ),
    404: ("There is no such thing.", "there is no story s000099", None),
    409: ("It cannot be both.", "there is a feed with this address already", None),
    413: ("The body is too large.", "a body may have 10,000,000 bytes at most", None),
    421: (
        "The service is not known by that name.",
        "this service is not known by that name",
        None,
    ),
    422: (
        "The request breaks a rule of this document.",
        "query.limit: Input should be less than or equal to 200",
        [
            {
                "where": "query.limit",
                "problem": "Input should be less than or equal to 200",
            }
        ],
    ),
    429: ("Too much at once.", "too many requests; try again in 2 s", None),
    501: (
        "An optional part is not installed.",
        "pyarrow is not installed; install it with: pip install 'ustory[parquet]'",
        None,
    ),
    503: ("Not at the moment.", AWAY, None),
}
_RETRY = {
    "Retry-After": {
        "description": "Seconds to wait.",
        "schema": {"type": "integer", "minimum": 1},
        "example": 2,
    }
}


def refusals(*statuses: int) -> Responses:
    """Return the errors that an endpoint may answer with, each with an example.

    Every endpoint may say 400 (an unknown parameter), 401 and 403 (when reading needs
    a key), 421, 422, 429 and 503.
    """
    found: Responses = {}
    for status in sorted({400, 401, 403, 421, 422, 429, 503, *statuses}):
        words, message, details = _ERRORS[status]
        example = error_body(status, message, details)
        found[status] = {
            "model": ErrorBody,
            "description": words,
            "content": {"application/json": {"example": example}},
        }
        if status in (429, 503):
            found[status]["headers"] = _RETRY
    return found


def answers(
    model: type[BaseModel], *statuses: int, status: int = 200, words: str = "As asked."
) -> Responses:
    """Return a successful response with an example, and the errors there may be."""
    return {**shown(model, status=status, words=words), **refusals(*statuses)}


def shown(
    model: type[BaseModel], *, status: int = 200, words: str = "As asked."
) -> Responses:
    """Return the OpenAPI entry of a successful response, with its model's example."""
    content = {"application/json": {"example": example_of(model)}}
    return {status: {"description": words, "content": content}}


def streamed(examples: dict[str, Any], words: str) -> Responses:
    """Return the OpenAPI entry of a response that is not JSON, with examples."""
    content = {
        media: {"schema": {"type": "string"}, "example": example}
        for media, example in examples.items()
    }
    return {200: {"description": words, "content": content}}
