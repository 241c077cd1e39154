"""Feeds as a user names them: the address of one, or a list of them in OPML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ustory.core.errors import ConfigError
from ustory.core.protocols import Arrival, Source
from ustory.sources.open import Fit, ReadOptions

_SCHEMES = ("http://", "https://")
_SUFFIXES = (".opml", ".xml")


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed in a list of feeds."""

    url: str
    title: str = ""


class FeedList:
    """Feeds that a service subscribes to: it polls each one when that is due.

    It has no articles of its own; what was read of a feed is kept with the feed.
    """

    live = True

    def __init__(self, name: str, subscriptions: Sequence[Subscription]) -> None:
        self.name = name
        self.subscriptions = tuple(subscriptions)

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Refuse to read: feeds are polled one by one."""
        raise _only_followed(self.name)


class _Feeds:
    """The kind of source for feeds, by the scheme or the end of a file's name."""

    extra = "serve"

    def fit(self, where: str) -> Fit:
        """Recognise a web address, or a file of OPML."""
        file = Path(where).suffix.lower() in _SUFFIXES
        return Fit.NAME if file or where.startswith(_SCHEMES) else Fit.NO

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the feeds; only a service can follow them."""
        if not options.live:
            raise _only_followed(where)
        if where.startswith(_SCHEMES):
            return FeedList(where, [Subscription(where)])
        from ustory.sources.feeds.reader_pool import READERS  # noqa: PLC0415 - optional

        try:
            content = Path(where).read_bytes()
        except OSError as error:
            raise ConfigError(f"cannot read the feeds in {where}: {error}") from error
        return FeedList(where, READERS.opml(content, where))


def _only_followed(name: str) -> ConfigError:
    return ConfigError(
        f"{name} names feeds, which are followed and not read once: run `ustory serve "
        f"{name}`, or say with --format what else the file is"
    )


FEEDS = _Feeds()
