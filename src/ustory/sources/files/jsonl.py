"""Articles from JSON Lines: one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NoReturn

from ustory.core.errors import InputError
from ustory.core.protocols import Arrival
from ustory.sources.files.lines import check_readable, read_lines
from ustory.sources.records.arrivals import Intake, make_clock
from ustory.sources.records.place import Place, shown
from ustory.sources.records.problems import Report
from ustory.sources.records.source_names import STDIN, display_name


class JsonLinesSource:
    """Reads a JSON Lines file, plain or gzipped, or standard input for `-`.

    The cursor is the number of the line, and a digest of the article on it. To resume
    standard input, send it the same lines again: those already read are passed over.
    """

    def __init__(
        self, path: str, problems: Report, now: datetime | None = None
    ) -> None:
        check_readable(path)
        self._path = path
        self._intake = Intake(
            display_name(path), problems, make_clock(now, live=path == STDIN)
        )

    @property
    def name(self) -> str:
        """The file, however its path was typed, or `stdin`."""
        return self._intake.name

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor `after`, all when it is None."""
        lines = read_lines(self._path)
        filled = (
            (number, line)
            for number, line in lines
            if not isinstance(line, bytes) or line.strip()
        )
        return self._intake.arrivals(filled, parse_object, after)


def parse_object(line: bytes, place: Place) -> Mapping[str, object]:
    """Return the JSON object on a line, or raise the InputError that says why not."""
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise place.problem(
            "not-utf8", f"the bytes are not UTF-8 from byte {error.start + 1} on"
        ) from None
    except RecursionError:
        raise _broken(place, "it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _broken(place, f"{error.msg} (column {error.colno})") from None
    except ValueError as error:
        raise _broken(place, str(error)) from None
    if not isinstance(value, dict):
        raise place.problem(
            "not-an-object", f"the line must hold a JSON object; got {shown(value)}"
        )
    return value


def _broken(place: Place, why: str) -> InputError:
    return place.problem(
        "broken-json", f"the line is not JSON: {why}; write one JSON object per line"
    )


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")
