"""A service whose slides others work on has the same database in the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import func, select

from tests.execute.conftest import RAY
from tests.serve.serving import Served
from ustory.core.errors import MissingExtraError
from ustory.execute.ray import RayExecutor
from ustory.simulate import Plan, simulate
from ustory.store import Store
from ustory.store.digest import digest
from ustory.store.schema import stories

ARTICLES = 300
DAYS = 3
"""So that a slide has more articles than a block."""


@pytest.fixture
def news(tmp_path: Path) -> Path:
    path = tmp_path / "news.jsonl"
    plan = Plan(articles=ARTICLES, days=DAYS, sentences=4)
    lines = [
        {
            "id": article.id,
            "published_at": article.published_at.isoformat(),
            "title": article.title,
            "text": article.text,
        }
        for article in simulate(plan)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["processes", RAY])
def test_the_database_is_the_same_whoever_works(
    name: str, news: Path, tmp_path: Path
) -> None:
    if name == "ray":
        try:
            RayExecutor(1).close()
        except MissingExtraError as error:
            pytest.skip(str(error))

    here = told(news, tmp_path / "here.db")
    there = told(news, tmp_path / "there.db", "--executor", name, "--workers", "2")

    assert there == here
    assert here.stories > DAYS


class Told(NamedTuple):
    """What a service leaves behind."""

    digest: str
    stories: int


def told(news: Path, database: Path, *flags: str) -> Told:
    """Have a service tell a stream to its end."""
    url = f"sqlite:///{database}"
    Served(news, url, *flags).finish(url, ARTICLES)
    store = Store.open(url)
    try:
        with store.read() as connection:
            count = connection.scalar(select(func.count()).select_from(stories))
            return Told(digest(connection), count or 0)
    finally:
        store.close()
