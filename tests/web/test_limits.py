"""Limits are one table: each can be set, none lets the service run out of files."""

from __future__ import annotations

import pytest

from ustory.core.errors import ConfigError
from ustory.web.limits import Limits, Rate, limit_rows


def test_a_limit_is_set_by_name() -> None:
    limits = Limits().with_(
        ["body=5000", "reads=10/2", "head_seconds=1.5", "memory=none", "match=7"]
    )

    assert limits.body == 5000
    assert limits.reads == Rate(burst=10, per_second=2.0)
    assert limits.head_seconds == 1.5
    assert limits.memory is None
    assert limits.match == 7


@pytest.mark.parametrize(
    ("pair", "said"),
    [("bodies=1", "there is no limit 'bodies'; there are connections"),
     ("body=much", "the limit body is a number; got 'much'"),
     ("reads=fast", "like 200/50"), ("body=0", "must be above 0"),
     ("body=none", "a number"), ("keyed_listeners=1", "below 1")],
)  # fmt: skip
def test_a_limit_that_cannot_be_is_refused_in_words(pair: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Limits().with_([pair])


def test_connections_and_streams_stay_below_the_file_limit() -> None:
    usual = Limits().within(1024)
    few = Limits().within(300)
    many = Limits().within(1_000_000)

    assert usual.connections == 1024 - 384
    assert usual.listeners == usual.connections // 2
    assert few.connections == 16
    assert few.per_address == 16
    assert many == Limits(listeners=500)


def test_the_table_has_every_limit_with_a_sentence() -> None:
    rows = limit_rows()

    assert {name for name, _, _ in rows} == set(Limits.__dataclass_fields__)
    assert all(len(words) > 10 for _, _, words in rows)
    assert ("reads", "200/50") in [row[:2] for row in rows]


def test_there_is_a_limit_of_memory_that_the_machine_has() -> None:
    assert 100_000_000 < Limits().max_memory < 10**14
    assert Limits(memory=5).max_memory == 5
