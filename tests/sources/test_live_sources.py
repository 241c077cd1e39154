"""What a user names is read by the source that fits it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ustory.core.errors import ConfigError
from ustory.sources.files.growing import GrowingFiles
from ustory.sources.files.stdin import StdinSource
from ustory.sources.files.warc import WarcSource
from ustory.sources.kafka import KafkaSource
from ustory.sources.live_sources import LiveSource, live_source


def source(where: str | Path) -> LiveSource:
    return live_source(str(where), lambda _: None, lambda: datetime.now(UTC))


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
