"""Killed at any moment of any work, a service goes on as if it had not been."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.postgres import PostgresServer
from tests.web.campaign import Size, run_campaign
from tests.web.campaign_clients import Report


def assert_all(report: Report, size: Size) -> None:
    """Check that there was enough to survive, and that it was counted."""
    kills = dict(report.kills)
    assert kills.pop("forgetting") == 1
    assert kills == {
        "serve": size.served,
        **dict.fromkeys(("upgrade", "backup", "restore", "retention"), size.others),
    }
    taken = report.acknowledged["new"] + report.acknowledged["known"]
    assert taken >= size.articles
    assert report.events > size.days
    assert report.feeds > size.served


def test_a_campaign_of_kills_loses_nothing(tmp_path: Path) -> None:
    size = Size(articles=120, days=12, kills=8, others=1)
    assert_all(run_campaign(f"sqlite:///{tmp_path}/campaign.db", tmp_path, size), size)


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_hundred_kills_of_all_kinds_lose_nothing(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    size = Size()
    if kind == "sqlite":
        report = run_campaign(f"sqlite:///{tmp_path}/campaign.db", tmp_path, size)
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        report = run_campaign(server.migrated(), tmp_path, size)
    assert_all(report, size)
