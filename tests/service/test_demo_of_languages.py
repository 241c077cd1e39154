"""The demo stream in six languages goes through the service as it was written."""

from __future__ import annotations

from sqlalchemy import select

from tests.service.running import DAILY, opened, pipeline, tell_all
from ustory.sources.demo import languages_stream
from ustory.sources.open import open_source
from ustory.store.mapping import load_all
from ustory.store.tables import ArticleRow, articles
from ustory.stories.discovery import find_stories
from ustory.testing import TinyEncoder


def test_every_article_is_in_the_archive_and_where_the_library_puts_it(
    url: str,
) -> None:
    stream = [
        arrival.article for arrival in open_source(str(languages_stream())).read()
    ]

    with opened(url) as store:
        tell_all(store, stream)
        with store.read() as connection:
            rows = {
                row.id: row
                for row in load_all(connection, select(articles), ArticleRow)
            }

    assert rows.keys() == {article.id for article in stream}
    for article in stream:
        row = rows[article.id]
        assert (row.title, row.source) == (article.title, article.source)
        assert (row.url, row.published_at) == (article.url, article.published_at)
    alone = find_stories(stream, DAILY, encoder=TinyEncoder(), pipeline=pipeline())
    for story in alone.stories():
        assert {rows[each].story for each in story.articles} == {story.id}
