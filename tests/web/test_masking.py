"""What may be secret in an address is told to keys for feeds alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from tests.web.conftest import WRITER, the_service
from ustory.service.clock import wall_time
from ustory.sources.http.masking import feed_id, masked_address, masked_words
from ustory.store.feeds import add_feeds
from ustory.store.tables import FeedRow

SECRET = "http://user:secretpw@inside.example/0a1b2c3d4e5f6a7b8c9d0e1f/rss?token=tok123"
WORDS = "inside.example leads to 10.1.2.3, which is not a public address; see fd00::7"


@pytest.mark.parametrize(
    ("url", "masked"),
    [("https://a.example/rss", "https://a.example/rss"),
     ("https://a.example/2024/03/a-long-headline-of-8-words-is-no-secret",
      "https://a.example/2024/03/a-long-headline-of-8-words-is-no-secret"),
     ("https://a.example/123e4567-e89b-12d3-a456-426614174000/rss",
      "https://a.example/***/rss"),
     ("https://a.example/12345678-1234-1234-1234-123456789012.xml",
      "https://a.example/***"),
     ("https://a.example/Zx8_q-T0kenOf-43_charsAbc/rss", "https://a.example/***/rss"),
     ("https://k@a.example/", "https://***@a.example/"),
     ("https://a.example/?abc", "https://a.example/?abc=***"),
     ("http://[broken", "***")],
)  # fmt: skip
def test_an_address_keeps_what_is_no_secret(url: str, masked: str) -> None:
    assert masked_address(url) == masked


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=6))
def test_a_login_or_a_value_is_never_told(secret: str) -> None:
    masked = masked_address(f"https://{secret}:{secret}@x.example/rss?key={secret}")

    assert masked == "https://***@x.example/rss?key=***"


@pytest.mark.parametrize("after", [":", ";", ",", ".", ")", "]", ").", ""])
def test_what_follows_an_address_does_not_unmask_it(after: str) -> None:
    said = masked_words(f"(see https://a.example/0a1b2c3d4e5f6a7b8c9d{after} it fails")

    assert said == f"(see https://a.example/***{after} it fails"


def test_words_do_not_say_what_names_lead_to() -> None:
    said = masked_words(f"{WORDS}; {SECRET}")

    assert "10.1.2.3" not in said
    assert "fd00" not in said
    assert "secretpw" not in said
    assert "inside.example leads to ***" in said
    assert masked_words("it took 10:30:05 and 3.5 s") == "it took 10:30:05 and 3.5 s"


def test_strangers_see_no_secret_of_a_feed_anywhere(client: TestClient) -> None:
    service = the_service(client)
    now = wall_time()
    row = FeedRow(
        url=SECRET, title="", added_at=now, failures=2, last_error=WORDS,
        next_at=now + timedelta(days=1),
    )  # fmt: skip
    with service.store.write() as connection:
        add_feeds(connection, [row])
    service.loop.problems.log(SECRET, "address", WORDS)
    paths = (
        "/api/feeds", "/api/feeds.opml", "/sources", "/api/operations", "/operations",
    )  # fmt: skip
    told = {path: client.get(path) for path in paths}
    whole = client.get("/api/feeds", headers=WRITER).json()["feeds"][0]

    for path, answer in told.items():
        assert answer.status_code == 200, path
        for secret in ("secretpw", "tok123", "0a1b2c3d", "10.1.2.3", "fd00"):
            assert secret not in answer.text, (path, secret)
    assert (whole["url"], whole["last_error"]) == (SECRET, WORDS)


def test_a_feed_whose_address_is_not_told_is_removed_by_its_id(
    client: TestClient,
) -> None:
    service = the_service(client)
    with service.store.write() as connection:
        add_feeds(connection, [FeedRow(url=SECRET, title="", added_at=wall_time())])
    listed = client.get("/api/feeds").json()["feeds"][0]["id"]
    gone = client.delete(f"/api/feeds/{listed}", headers=WRITER).status_code
    again = client.delete(f"/api/feeds/{listed}", headers=WRITER).status_code

    assert listed == feed_id(SECRET)
    assert (gone, again) == (204, 404)
    assert client.get("/api/feeds").json() == {"feeds": []}
