"""Why something could not be fetched."""

from __future__ import annotations

from ustory.core.errors import UStoryError

FETCH_KINDS = {
    "address": "the address is not one that may be fetched",
    "private": "the address leads into a network that is not public",
    "name": "the name of the host cannot be resolved",
    "busy": "too much is being looked up or read to take this one, too",
    "connect": "the host cannot be reached",
    "timeout": "the answer took too long",
    "redirects": "the answer sends us on too often, or nowhere",
    "too-large": "the answer is larger than the limit",
    "broken": "the answer cannot be read",
    "status": "the answer is an error",
    "costly": "the answer takes too long, or too much memory, to read",
}
"""What can go wrong on the way to an address."""


class FetchError(UStoryError):
    """An address that could not be fetched; `kind` is one of `FETCH_KINDS`."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
