"""Dates as publishers write them, read into aware UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from email.utils import parsedate_to_datetime
from math import isnan

from ustory.core.spans import EPOCH

EARLIEST = datetime(1600, 1, 1, tzinfo=UTC)
"""No newspaper is older; what claims to be is a placeholder such as 0001-01-01."""

_MILLISECONDS_FROM = 1e11
_LONGEST = 64
_NUMBER = re.compile(r"-?\d{9,13}(\.\d+)?", re.ASCII)
_COMPACT = re.compile(r"\d{14}", re.ASCII)
_ZONE_NAME = re.compile(r"\s*(?:UTC|GMT)$")


def parse_date(value: object) -> datetime:
    """Return `value` as an aware UTC time; raise ValueError, saying why, if it is none.

    Read are ISO 8601 and RFC 2822 text, `YYYYMMDDhhmmss`, seconds or milliseconds
    since 1970 (a number from 10^11 upwards is milliseconds), and date objects. What
    names no zone is UTC; a date without a time is its midnight.

    >>> parse_date("2024-03-07T13:00:00+01:00").isoformat()
    '2024-03-07T12:00:00+00:00'
    >>> parse_date(1709812800) == parse_date("Thu, 07 Mar 2024 12:00:00 GMT")
    True
    """
    try:
        moment = _read(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("it is outside the calendar") from None
    if moment < EARLIEST:
        raise ValueError(f"it is before {EARLIEST.year}")
    return moment


def _read(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time(), tzinfo=UTC)
    if isinstance(value, str):
        return _read_text(value.strip())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _since_epoch(value)
    raise ValueError("it is neither text nor a number")


def _read_text(text: str) -> datetime:
    if len(text) > _LONGEST:
        raise ValueError("it is too long for a date")
    if _NUMBER.fullmatch(text):
        return _since_epoch(float(text) if "." in text else int(text))
    if _COMPACT.fullmatch(text):
        text = f"{text[:8]}T{text[8:]}"
    try:
        return datetime.fromisoformat(_ZONE_NAME.sub("+00:00", text))
    except ValueError:
        return _read_mail_date(text)


def _read_mail_date(text: str) -> datetime:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        raise ValueError("it is neither ISO 8601 nor RFC 2822") from None


def _since_epoch(number: float) -> datetime:
    if isnan(number):
        raise ValueError("it is not a number")
    if abs(number) >= _MILLISECONDS_FROM:
        return EPOCH + timedelta(milliseconds=number)
    return EPOCH + timedelta(seconds=number)
