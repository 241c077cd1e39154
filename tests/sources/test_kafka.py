"""A Kafka topic, played by the mock brokers that librdkafka brings along."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from ustory.core.errors import ConfigError, InputError
from ustory.sources import kafka
from ustory.sources.http.errors import FetchError
from ustory.sources.kafka import KafkaSource
from ustory.testing.checks import check_source

client = pytest.importorskip("confluent_kafka", reason="needs the extra `kafka`")

NOW = datetime(2024, 3, 9, tzinfo=UTC)
TOPICS = (f"articles-{number}" for number in count())


class Brokers:
    """Mock brokers, and a producer that writes to a topic of its own."""

    def __init__(self, producer: Any) -> None:  # noqa: ANN401 - an optional package
        self.topic = next(TOPICS)
        self._producer = producer
        known = producer.list_topics(timeout=10).brokers.values()
        self.servers = ",".join(f"{broker.host}:{broker.port}" for broker in known)
        self.problems: list[InputError] = []

    def send(self, *values: bytes | None, partition: int = 0) -> None:
        """Write messages, and wait until the brokers have them."""
        for value in values:
            self._producer.produce(self.topic, value, key="k", partition=partition)
        assert self._producer.flush(10) == 0

    def source(self) -> KafkaSource:
        """Return a source as a new process would open it."""
        url = f"kafka://{self.servers}/{self.topic}"
        return KafkaSource.at(url, self.problems.append, lambda: NOW)


@pytest.fixture(scope="module")
def producer() -> Iterator[Any]:
    made = client.Producer({"test.mock.num.brokers": 2, "linger.ms": 0})
    yield made
    made.flush(10)


@pytest.fixture
def brokers(producer: Any) -> Brokers:  # noqa: ANN401 - an optional package
    return Brokers(producer)


def article(name: str) -> bytes:
    record = {"id": name, "published_at": "2024-03-07T12:00:00Z", "title": "Title"}
    return json.dumps(record).encode()


def read(source: KafkaSource, after: str | None = None) -> tuple[list[str], str | None]:
    arrivals = list(source.read(after))
    source.close()
    cursor = arrivals[-1].cursor if arrivals else after
    return sorted(arrival.article.id for arrival in arrivals), cursor


def test_a_topic_keeps_the_contract(brokers: Brokers) -> None:
    brokers.send(*map(article, "abc"))

    check_source(brokers.source)


def test_a_cursor_counts_every_partition(brokers: Brokers) -> None:
    brokers.send(article("a"), article("b"), partition=0)
    brokers.send(article("c"), partition=1)

    found, cursor = read(brokers.source())

    assert found == ["a", "b", "c"]
    assert cursor is not None
    offsets = json.loads(cursor)
    assert (offsets["0"], offsets["1"]) == (2, 1)
    brokers.send(article("d"), partition=1)
    assert read(brokers.source(), cursor)[0] == ["d"]


def test_what_was_not_acknowledged_is_read_again(brokers: Brokers) -> None:
    brokers.send(*map(article, "abc"))
    source = brokers.source()
    reading = source.read()
    first = next(reading)
    next(reading)
    source.close()

    assert read(brokers.source(), first.cursor)[0] == ["b", "c"]
    assert read(brokers.source())[0] == ["a", "b", "c"]


def test_one_source_is_asked_again_and_again(brokers: Brokers) -> None:
    brokers.send(article("a"))
    source = brokers.source()
    assert source.live

    (arrival,) = source.read()
    assert list(source.read(arrival.cursor)) == []
    brokers.send(article("b"))
    assert [a.article.id for a in source.read(arrival.cursor)] == ["b"]
    source.close()


def test_broken_messages_are_reported_once_with_their_place(brokers: Brokers) -> None:
    brokers.send(b"\xff", b"[1]", article("a"), None, b'{"title": ""}')
    source = brokers.source()

    (arrival,) = source.read()
    assert list(source.read(arrival.cursor)) == []
    source.close()

    assert arrival.article.id == "a"
    kinds = [problem.kind for problem in brokers.problems]
    assert kinds == ["not-utf8", "not-an-object", "no-text"]
    where = f"kafka://{brokers.servers}/{brokers.topic}: partition 0, offset 1: "
    assert str(brokers.problems[1]).startswith(where)


def test_a_message_over_the_limit_is_reported(
    brokers: Brokers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka, "MAX_LINE_BYTES", 100)
    brokers.send(b" " * 200, article("a"))

    assert read(brokers.source())[0] == ["a"]
    assert [problem.kind for problem in brokers.problems] == ["too-large"]


def test_a_topic_that_was_made_anew_is_read_from_its_start(brokers: Brokers) -> None:
    brokers.send(article("a"))
    source = brokers.source()

    assert [a.article.id for a in source.read('{"0":7}')] == ["a"]
    list(source.read('{"0":7}'))
    source.close()

    (problem,) = brokers.problems
    assert problem.kind == "replaced"
    assert "partition 0, offset 7: the broker has the messages from 0 to before 1" in (
        str(problem)
    )


def test_brokers_that_are_away_are_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka, "WAIT", 0.5)
    source = KafkaSource.at("kafka://localhost:1/t", lambda _: None, lambda: NOW)

    with pytest.raises(FetchError, match="cannot be read now") as found:
        list(source.read())

    assert found.value.kind == "connect"


def test_options_of_the_client_stand_in_the_address(brokers: Brokers) -> None:
    brokers.send(article("a"))
    url = f"kafka://{brokers.servers}/{brokers.topic}?client.id=desk&group.id=news"
    source = KafkaSource.at(url, lambda _: None, lambda: NOW)

    assert read(source)[0] == ["a"]
    assert "?" not in source.name


def test_an_option_that_does_not_exist_is_refused() -> None:
    url = "kafka://localhost:1/t?no.such.option=1"

    with pytest.raises(ConfigError, match=r"no\.such\.option"):
        list(KafkaSource.at(url, lambda _: None, lambda: NOW).read())


@pytest.mark.parametrize("url", ["kafka://", "kafka://host:1", "kafka:///topic", "x"])
def test_an_address_without_a_topic_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="the address of a topic is like"):
        KafkaSource.at(url, lambda _: None, lambda: NOW)


def test_brokers_must_be_named() -> None:
    with pytest.raises(ConfigError, match=r"Kafka needs `bootstrap\.servers`"):
        KafkaSource("topic", {}, lambda _: None, lambda: NOW)


@pytest.mark.parametrize("cursor", ["", "7", "[]", '{"a":1}', '{"0":"1"}', '{"0":-1}'])
def test_a_cursor_of_something_else_is_refused(cursor: str) -> None:
    source = KafkaSource.at("kafka://localhost:1/t", lambda _: None, lambda: NOW)

    with pytest.raises(ConfigError, match="a JSON object of partitions and offsets"):
        source.read(cursor)
