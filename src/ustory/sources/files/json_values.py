"""JSON as articles come in it: one object a line, or values one after the other."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from typing import NoReturn

from ustory.core.errors import InputError
from ustory.sources.files.lines import read_chunks
from ustory.sources.records.cursor import display_name
from ustory.sources.records.problems import Place, shown

MAX_VALUE_LENGTH = 64 * 1024 * 1024
"""The longest value that is held in memory, in characters."""

_MIN_CHARACTERS = 65_536
_TAIL = 16  # characters in which a token may be cut off
_BLANK = " \t\r\n\ufeff"
_DECODER = json.JSONDecoder()


def parse_object(line: bytes, place: Place) -> Mapping[str, object]:
    """Return the JSON object on a line, or raise the InputError that says why not."""
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise place.problem(
            "not-utf8", f"the bytes are not UTF-8 from byte {error.start + 1} on"
        ) from None
    except RecursionError:
        raise _not_json(place, "it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _not_json(place, f"{error.msg} (column {error.colno})") from None
    except ValueError as error:
        raise _not_json(place, str(error)) from None
    if not isinstance(value, dict):
        raise place.problem(
            "not-an-object", f"the line must hold a JSON object; got {shown(value)}"
        )
    return value


def _not_json(place: Place, why: str) -> InputError:
    return place.problem(
        "broken-json", f"the line is not JSON: {why}; write one JSON object per line"
    )


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def read_values(path: str, unit: str) -> Iterator[tuple[int, object | InputError]]:
    """Yield each value with its number from 1: of lists the elements, else the whole.

    A file may hold several lists or objects one after the other, so that `cat` joins
    two files of a kind. `unit` is what messages call a value. JSON that breaks off or
    breaks a rule is raised, whatever the policy: what follows it cannot be found.
    """
    name, text = display_name(path), _Text(path)
    number, inside = 0, False
    while char := text.peek():
        if inside and char in ",]":
            inside = char == ","
            text.skip()
        elif not inside and char == "[":
            inside = True
            text.skip()
        else:
            number += 1
            yield number, text.take(Place(name, 0), f"{unit} {number}")
    if inside:
        raise Place(name, 0).problem(
            "broken-json",
            f"the file is cut short: its list has no end after {unit} {number}; "
            "fetch it again",
        )


class _Text:
    """The part of a file that is held just now. Mutable."""

    def __init__(self, path: str) -> None:
        self._chunks = read_chunks(path)
        # Bytes that are not UTF-8 pass as surrogates until it is known where they are.
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._text = ""
        self._at = 0

    def peek(self) -> str:
        """Return the next character that is not blank, none at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANK:
                    return self._text[self._at]
                self._at += 1
            if not self._fill():
                return ""

    def skip(self) -> None:
        """Pass over one character."""
        self._at += 1

    def take(self, place: Place, what: str) -> object | InputError:
        """Return the value that begins here, or what is wrong with its bytes."""
        value, end = self._decoded(place, what)
        raw = self._text[self._at : end]
        self._at = end
        if raw.isascii():
            return value
        try:
            raw.encode("utf-8")
        except UnicodeEncodeError:
            return place.problem("not-utf8", f"{what}: the bytes are not UTF-8")
        return value

    def _decoded(self, place: Place, what: str) -> tuple[object, int]:
        while True:
            try:
                return _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._is_cut_off(error) or not self._fill():
                    raise _broken(place, what, error.msg) from None
            except (ValueError, RecursionError) as error:
                raise _broken(place, what, str(error)) from None
            if len(self._text) > MAX_VALUE_LENGTH:
                raise place.problem(
                    "too-large",
                    f"{what}: it may have {MAX_VALUE_LENGTH:,} characters, and has "
                    "more; split the file",
                )

    def _is_cut_off(self, error: json.JSONDecodeError) -> bool:
        near = error.pos >= len(self._text) - _TAIL
        return near or error.msg.startswith("Unterminated string")

    def _fill(self) -> bool:
        """Hold about twice as much, so that a long value is tried only a few times."""
        pieces = [self._text[self._at :]]
        wanted = max(len(pieces[0]), _MIN_CHARACTERS)
        for chunk in self._chunks:
            pieces.append(self._decoder.decode(chunk))
            wanted -= len(pieces[-1])
            if wanted <= 0:
                break
        else:
            pieces.append(self._decoder.decode(b"", final=True))
        more = any(pieces[1:])
        self._text, self._at = "".join(pieces), 0
        return more


def _broken(place: Place, what: str, why: str) -> InputError:
    return place.problem(
        "broken-json",
        f"{what} is not whole JSON ({why}), and what follows cannot be found; fetch "
        "the file again, or give its real format with --format",
    )
