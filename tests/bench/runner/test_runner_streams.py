from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.runner.rigged_system import articles

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory.sources.open import file_digest
from ustory.testing import TinyEncoder
from ustory.text import load_pipeline
from ustory_bench.runner.streams import (
    articles_digest,
    prepare_stream,
    read_stream,
    stream_name,
)

PIPELINE, ENCODER = load_pipeline("fast"), TinyEncoder()


def raw() -> list[Article]:
    return [p.article for p in articles()]


def write(path: Path, found: list[Article]) -> None:
    lines = [
        json.dumps(
            {
                "id": each.id,
                "published_at": each.published_at.isoformat(),
                "title": each.title,
                "text": each.text,
                "story": each.label,
            }
        )
        for each in found
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


def test_a_file_is_read_with_its_labels_under_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "small.news.jsonl.gz"
    write(path, raw())

    stream = read_stream(path, PIPELINE, ENCODER)

    assert stream.name == stream_name(path) == "small.news"
    assert stream.truth == {each.id: each.label for each in raw()}
    assert stream.published == {each.id: each.published_at for each in raw()}
    assert stream.sha256 == file_digest(path)


def test_articles_are_put_in_order_of_time() -> None:
    stream = prepare_stream("backwards", raw()[::-1], PIPELINE, ENCODER)

    dates = [one.article.published_at for one in stream.articles]
    assert dates == sorted(dates)


def test_a_stream_without_labels_is_refused_in_words() -> None:
    bare = [replace(each, label=None) for each in raw()]

    with pytest.raises(ConfigError, match=r"bare has no true story in 29 articles"):
        prepare_stream("bare", bare, PIPELINE, ENCODER)


def test_a_stream_of_one_story_is_refused_in_words() -> None:
    one = [replace(each, label="all") for each in raw()]

    with pytest.raises(ConfigError, match=r"has a single true story.*two or more"):
        prepare_stream("one", one, PIPELINE, ENCODER)


def test_an_id_that_is_used_twice_is_refused_even_years_apart() -> None:
    last = replace(raw()[-1], id=raw()[0].id)

    with pytest.raises(ConfigError, match=r"'flood-0-0' more than once"):
        prepare_stream("twice", [*raw()[:-1], last], PIPELINE, ENCODER)


def test_the_digest_changes_with_anything_an_article_says() -> None:
    first, *others = raw()
    changed = [
        replace(first, label="other"),
        replace(first, title="Other"),
        replace(first, published_at=others[0].published_at),
    ]

    digests = {articles_digest([each, *others]) for each in [first, *changed]}

    assert len(digests) == 4
    assert articles_digest(raw()) == articles_digest(raw())
