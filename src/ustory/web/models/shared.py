"""Values that many shapes are made of."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Self, TypeAlias, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)

from ustory.store.mapping import values
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
Tags: TypeAlias = tuple[str, ...]
"""Languages in the order in which a reader wants them."""
ReaderTag = Annotated[
    str, Field(pattern="^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$", max_length=35)
]
"""The tag of a language."""
READER = (
    "Headlines and keywords are in this language where a story has an article in it, "
    "else in the one in which most outlets write."
)
Address = Annotated[str, AfterValidator(clean), Field(max_length=4_000)]


def tags_of(reader: str | None) -> Tags:
    """Return the languages of a reader who gave one, or none."""
    return (reader,) if reader else ()


_PORT = r"([0-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
WebAddress = Annotated[
    str,
    Field(
        pattern=rf"^https?://[A-Za-z0-9.-]{{1,250}}(:{_PORT})?([/?#][!-~]*)?$",
        max_length=1_000,
    ),
]
"""An HTTP address; hosts are written in ASCII."""


class Input(BaseModel):
    """Base of what comes in."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Shape(BaseModel):
    """Base of what goes out."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    @classmethod
    def of(cls, row: Any, **changed: Any) -> Self:  # noqa: ANN401 - rows of all tables
        """Return a row of the store as it goes out; `changed` are other fields."""
        return cls.model_validate({**values(row), **changed})


def example_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the example of a model, made of those of its fields.

    A field without one is null, or left out of what comes in.
    """
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        inner = [each for each in _parts(field.annotation) if _is_model(each)]
        if field.examples:
            found[name] = field.examples[0]
        elif inner:
            example = example_of(inner[0])
            found[name] = [example] if get_origin(field.annotation) is list else example
        elif issubclass(model, Shape):
            found[name] = None
    return found


def _parts(annotation: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any annotation
    return get_args(annotation) or (annotation,)


def _is_model(annotation: Any) -> bool:  # noqa: ANN401 - any annotation
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


class ErrorInfo(Shape):
    """What went wrong."""

    kind: str = Field(examples=["not_found"])
    """A word for programs, the same for each status."""
    message: str = Field(examples=["there is no story s000099"])
    """A sentence for people."""
    details: Any = None
    """More about it, such as the fields at fault."""


class ErrorBody(Shape):
    """The shape of every error."""

    error: ErrorInfo
