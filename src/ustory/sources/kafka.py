"""Articles from a Kafka topic: one JSON object a message."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from ustory.core.article import Article
from ustory.core.errors import ConfigError, InputError
from ustory.core.extras import import_extra
from ustory.core.protocols import Arrival, Source
from ustory.sources.files.json_values import parse_object
from ustory.sources.files.lines import MAX_LINE_BYTES
from ustory.sources.http.errors import FetchError
from ustory.sources.open import Fit, ReadOptions
from ustory.sources.records.fields import ArticleMaker, Clock, claimed_article
from ustory.sources.records.problems import Place, Report

_LOG = logging.getLogger(__name__)

WAIT = 10.0
"""Seconds that the brokers may take for an answer."""

_OURS = {
    "enable.auto.commit": False,  # our cursor says where we are, not the broker
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "error",  # what is no longer there is found out before
}
_Client: TypeAlias = Any  # of a package that is imported when it is needed
_GROUP = "ustory"  # librdkafka wants a name, though nothing is shared under it


class KafkaSource:
    """Reads all partitions of a topic, up to their ends at the time.

    The cursor is the next offset of each partition. It is kept by whoever takes the
    articles in, with them, and nothing is committed to the broker: so a message is
    read once more after a crash, and never lost.

    Mutable: it holds a connection, and remembers what it has reported.
    """

    live = True
    """More may come."""

    def __init__(
        self,
        topic: str,
        config: Mapping[str, object],
        report: Report,
        clock: Clock,
        to_article: ArticleMaker = claimed_article,
    ) -> None:
        self._topic = topic
        self._servers = str(config.get("bootstrap.servers", ""))
        if not self._servers:
            raise ConfigError(
                "Kafka needs `bootstrap.servers`, like localhost:9092; it was not given"
            )
        self._kafka = _client()
        self._config = {"group.id": _GROUP, **config, **_OURS}
        self._report, self._clock = report, clock
        self._to_article = to_article
        self._open: _Client = None
        self._reported: dict[int, int] = {}
        """The offset of each partition before which problems were reported."""
        self._missed: set[tuple[int, int]] = set()
        """Partitions and offsets reported as no longer on the broker."""

    @classmethod
    def at(
        cls,
        url: str,
        report: Report,
        clock: Clock,
        to_article: ArticleMaker = claimed_article,
    ) -> KafkaSource:
        """Return the source at `kafka://host:port,host:port/topic?option=value`."""
        parts = urlsplit(url)
        topic = parts.path.strip("/")
        if parts.scheme != "kafka" or not parts.netloc or not topic:
            raise ConfigError(
                "the address of a topic is like kafka://localhost:9092/articles; got "
                f"{url.partition('?')[0]!r}"
            )
        config = {"bootstrap.servers": parts.netloc, **dict(parse_qsl(parts.query))}
        return cls(topic, config, report, clock, to_article)

    @property
    def name(self) -> str:
        """The address of the topic, without options."""
        return f"kafka://{self._servers}/{self._topic}"

    def read(self, after: str | None = None) -> Iterator[Arrival]:
        """Yield the articles behind the cursor `after`, up to the ends there are."""
        return self._arrivals(_parse(self.name, after))

    def close(self) -> None:
        """Leave the brokers; the next reading finds them again."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _arrivals(self, known: Mapping[int, int]) -> Iterator[Arrival]:
        try:
            consumer = self._consumer()
            offsets, ends = self._bounds(consumer, known)
            places = [
                self._kafka.TopicPartition(self._topic, number, offset)
                for number, offset in offsets.items()
            ]
            consumer.assign(places)
            for message in self._messages(consumer, offsets, ends):
                offsets[message.partition()] = message.offset() + 1
                article = self._reported_article(message)
                if article is not None:
                    yield Arrival(article, _write(offsets))
        except self._kafka.KafkaException as error:
            self.close()
            raise FetchError(
                "connect", f"{self.name} cannot be read now: {error.args[0].str()}"
            ) from None
        finally:
            if self._open is not None:
                self._open.unassign()  # else it would go on fetching

    def _consumer(self) -> _Client:
        if self._open is None:
            try:
                self._open = self._kafka.Consumer(self._config, logger=_LOG)
            except self._kafka.KafkaException as error:
                raise ConfigError(
                    f"{self.name}: the options of the client cannot be used: "
                    f"{error.args[0].str()}"
                ) from None
        return self._open

    def _bounds(
        self,
        consumer: _Client,
        known: Mapping[int, int],
    ) -> tuple[dict[int, int], dict[int, int]]:
        """Return where to begin in each partition, and where each ends now."""
        found = consumer.list_topics(self._topic, timeout=WAIT).topics[self._topic]
        if found.error is not None or not found.partitions:
            raise ConfigError(f"{self.name}: there is no such topic; check its name")
        offsets, ends = {}, {}
        for number in sorted(found.partitions):
            partition = self._kafka.TopicPartition(self._topic, number)
            first, end = consumer.get_watermark_offsets(partition, timeout=WAIT)
            at = known.get(number, first)
            if not first <= at <= end:
                self._lost(number, at, first, end)
                at = first
            offsets[number], ends[number] = at, end
        return offsets, ends

    def _lost(self, partition: int, at: int, first: int, end: int) -> None:
        if (partition, at) in self._missed:
            return
        self._missed.add((partition, at))
        self._reported.pop(partition, None)
        self._report(
            self._place(partition, at).problem(
                "replaced",
                f"the broker has the messages from {first} to before {end} only; it "
                f"is read from {first} on",
            )
        )

    def _messages(
        self,
        consumer: _Client,
        offsets: Mapping[int, int],
        ends: Mapping[int, int],
    ) -> Iterator[_Client]:
        """Yield messages until every partition has been read to its end."""
        left = {number for number, end in ends.items() if offsets[number] < end}
        while left:
            message = consumer.poll(WAIT)
            if message is None:
                raise FetchError(
                    "timeout", f"{self.name} has not answered for {WAIT:.0f} seconds"
                )
            error, number = message.error(), message.partition()
            if error is not None:
                if error.code() != self._kafka.KafkaError._PARTITION_EOF:
                    raise self._kafka.KafkaException(error)
                left.discard(number)
                continue
            if number in left:
                yield message
            if message.offset() + 1 >= ends[number]:
                left.discard(number)

    def _reported_article(self, message: _Client) -> Article | None:
        """Return the article of a message, None if it has none, reported once."""
        partition, offset = message.partition(), message.offset()
        place, value = self._place(partition, offset), message.value()
        if value is None:  # a tombstone: says that a key is gone
            return None
        try:
            if len(value) > MAX_LINE_BYTES:
                raise place.problem(
                    "too-large", f"a message may have {MAX_LINE_BYTES:,} bytes"
                )
            return self._to_article(parse_object(value, place), place, self._clock())
        except InputError as error:
            if offset >= self._reported.get(partition, 0):
                self._reported[partition] = offset + 1
                self._report(error)
            return None

    def _place(self, partition: int, offset: int) -> Place:
        return Place(self.name, 0, f"partition {partition}, offset {offset}")


class _Kafka:
    """The kind of source for topics of Kafka, by their address."""

    extra = "kafka"

    def fit(self, where: str) -> Fit:
        """Recognise the scheme of an address."""
        return Fit.NAME if where.startswith("kafka://") else Fit.NO

    def open(self, where: str, options: ReadOptions) -> Source:
        """Return the source; read once, it ends with the messages there are now."""
        return KafkaSource.at(where, options.report, options.clock, options.to_article)


KAFKA = _Kafka()


def _write(offsets: Mapping[int, int]) -> str:
    table = {str(number): offset for number, offset in sorted(offsets.items())}
    return json.dumps(table, separators=(",", ":"))


def _parse(name: str, after: str | None) -> dict[int, int]:
    try:
        table = {} if after is None else json.loads(after)
        found = {int(number): offset for number, offset in table.items()}
        if all(type(each) is int and each >= 0 for each in found.values()):
            return found
    except (ValueError, AttributeError, RecursionError):
        pass
    raise ConfigError(
        f"a cursor of {name} is a JSON object of partitions and offsets, like "
        f'{{"0":17}}; got {str(after)[:60]!r}'
    )


def _client() -> _Client:
    client: _Client = import_extra("confluent_kafka", "confluent-kafka", "kafka")
    return client
