"""Values that many shapes are made of."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from ustory.web.times import parse_moment

_HALVES = re.compile("[\ud800-\udfff]")
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


SEEN = r"[^\s\u0000-\u0020\u007f-\u00a0\ufeff]"
"""A character that is neither blank nor a control; JSON Schema and Python agree on it.

Alone, `\\S` means other characters in JavaScript than in Python.
"""


def clean(text: str) -> str:
    """Return text that databases and XML can hold: no controls, no half characters."""
    return _HALVES.sub("\ufffd", _UNSEEN.sub(" ", text))


def _moment(value: object) -> object:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise ValueError("must be text, such as 2024-03-07T12:00:00Z")
    return parse_moment(value)


Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "string", "format": "date"},
            ]
        }
    ),
]
"""A day, or a moment with its zone."""

Line = Annotated[str, AfterValidator(clean), Field(max_length=1_000)]
Text = Annotated[str, AfterValidator(clean)]
"""Of any length here: the body's limit holds, and the intake has its own."""
Address = Annotated[str, AfterValidator(clean), Field(max_length=4_000)]


_PORT = r"([0-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
WebAddress = Annotated[
    str,
    Field(
        pattern=rf"^https?://[A-Za-z0-9.-]{{1,250}}(:{_PORT})?([/?#][!-~]*)?$",
        max_length=1_000,
    ),
]
"""An HTTP address; hosts are written in ASCII."""


class Shape(BaseModel):
    """Base of what goes out."""

    model_config = ConfigDict(frozen=True)


class ErrorInfo(Shape):
    """What went wrong."""

    kind: str = Field(description="A word for programs, the same for each status.")
    message: str = Field(description="A sentence for people.")
    details: Any = Field(
        None, description="More about it, such as the fields at fault."
    )


class ErrorBody(Shape):
    """The shape of every error."""

    error: ErrorInfo
