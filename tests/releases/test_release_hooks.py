"""Webhooks of earlier releases go on getting what they got."""

from __future__ import annotations

from tests.releases.kept import Kept
from tests.service.running import opened
from ustory.store.mapping import load_all
from ustory.store.tables import Delivery, deliveries
from ustory.store.watchlists import watchlist


def test_a_hook_of_a_release_keeps_the_body_it_had(url: str, kept: Kept) -> None:
    with opened(url) as store:
        with store.read() as connection:
            found = watchlist(connection, "w1")
            before = load_all(connection, deliveries.select(), Delivery)
        assert found is not None
        assert found.webhook is not None
        assert found.webhook_format == "plain"
        assert before
        assert all(each.body["kind"] == "match" for each in before), kept
