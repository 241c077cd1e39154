"""What a user names is followed by the source that recognises it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ustory.core.errors import ConfigError
from ustory.core.protocols import Source
from ustory.sources.feeds.feed_list import FeedList, Subscription
from ustory.sources.files.growing import GrowingFiles
from ustory.sources.files.jsonl import StdinSource
from ustory.sources.files.warc import WarcSource
from ustory.sources.kafka import KafkaSource
from ustory.sources.open import open_source


def source(where: str | Path) -> Source:
    return open_source(str(where), lambda _: None, live=True)


def test_a_dash_is_standard_input() -> None:
    assert isinstance(source("-"), StdinSource)


def test_an_address_of_kafka_is_a_topic() -> None:
    pytest.importorskip("confluent_kafka", reason="needs the extra `kafka`")

    found = source("kafka://localhost:9092/articles?sasl.password=secret")

    assert isinstance(found, KafkaSource)
    assert found.name == "kafka://localhost:9092/articles"


def test_archives_are_known_by_their_names(tmp_path: Path) -> None:
    pytest.importorskip("warcio", reason="needs the extra `warc`")
    (tmp_path / "CC-NEWS-1.warc.gz").touch()

    assert isinstance(source(tmp_path), WarcSource)
    assert isinstance(source(tmp_path / "CC-NEWS-1.warc.gz"), WarcSource)


def test_any_other_file_or_folder_grows(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()

    assert isinstance(source(tmp_path), GrowingFiles)
    assert isinstance(source(tmp_path / "a.jsonl"), GrowingFiles)


def test_a_path_with_nothing_behind_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file at"):
        source(tmp_path / "none.jsonl")


def test_tables_are_read_as_tables_and_end(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("id,date,title\na,2024-03-07,Storm\n", encoding="utf-8")

    found = source(table)

    assert [arrival.article.id for arrival in found.read()] == ["a"]
    assert not getattr(found, "live", False)


def test_addresses_and_lists_are_feeds_to_subscribe_to(tmp_path: Path) -> None:
    opml = tmp_path / "feeds.OPML"
    opml.write_text(
        '<opml><body><outline xmlUrl="https://a.example/rss"/></body></opml>',
        encoding="utf-8",
    )

    listed, one = source(opml), source("https://b.example/")

    assert isinstance(listed, FeedList)
    assert listed.subscriptions == (Subscription("https://a.example/rss"),)
    assert isinstance(one, FeedList)
    assert one.subscriptions == (Subscription("https://b.example/"),)


def test_feeds_are_followed_and_not_read_once() -> None:
    with pytest.raises(ConfigError, match="run `ustory serve https://"):
        open_source("https://b.example/")
    with pytest.raises(ConfigError, match="run `ustory serve https://"):
        source("https://b.example/").read()


def test_a_list_of_feeds_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the feeds in"):
        source(tmp_path / "none.opml")
