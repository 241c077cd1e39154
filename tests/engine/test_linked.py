from __future__ import annotations

from collections import deque
from datetime import UTC, datetime, timedelta

import pytest

from ustory import Article, Discovery, LinkDecision, Settings
from ustory.engine.pull import Pull, belonging
from ustory.testing.parts import TinyEncoder

START = datetime(2024, 3, 4, 8, tzinfo=UTC)
QUAKE = (
    "A strong earthquake struck Kestrel Bay at dawn and brought down eleven houses. "
    "Rescuers pulled four people from the ruins of a bakery in Port Sella. "
    "The harbour was closed while engineers looked at the cracked quay. "
    "Mayor Ada Brandt asked for tents, water and doctors."
)
AGAIN = (
    "Rescue teams in Port Sella searched the ruins of eleven houses after the "
    "earthquake that struck Kestrel Bay at dawn. "
    "Mayor Ada Brandt said the harbour and its cracked quay would stay closed. "
    "Doctors treated four people who were pulled from a bakery."
)
CUP = (
    "Fenwater United beat Harrow Rovers in the final of the Copper Cup on penalties. "
    "Goalkeeper Lina Ost saved three kicks in front of forty thousand people."
)


def article(number: int, title: str, text: str, source: str) -> Article:
    return Article(
        id=f"a{number}",
        published_at=START + timedelta(hours=number),
        title=title,
        text=text,
        source=source,
    )


def told(*articles: Article, parts: str = Settings().parts) -> Discovery:
    discovery = Discovery(Settings(parts=parts), encoder=TinyEncoder())
    deque(discovery.add(articles), maxlen=0)
    deque(discovery.finish(), maxlen=0)
    return discovery


NEWS = (
    article(1, "Earthquake strikes Kestrel Bay", QUAKE, "Coast Wire"),
    article(2, "Earthquake strikes Kestrel Bay", QUAKE, "Daily Bay"),
    article(3, "Kestrel Bay earthquake: search goes on", AGAIN, "The Sella"),
    article(4, "Fenwater win the Copper Cup", CUP, "Sport"),
)


def test_a_copy_joins_its_original_and_is_no_source_of_its_own() -> None:
    (story,) = told(*NEWS).stories()

    assert story.articles == ("a1", "a2", "a3")
    assert story.sources == 2


def test_a_copy_is_explained_by_its_original() -> None:
    found = told(*NEWS)

    why = found.decision("a2")

    assert isinstance(why, LinkDecision)
    assert why.links == {"a1": 1.0}
    # linked with both texts of the story: by its own text, and as its original is
    told_of_it = Pull(why.story or "", 1.0, linked=2, texts=2)
    assert why.confidence == pytest.approx(belonging(told_of_it))
    assert 0.9 < why.confidence < 1.0


def test_an_article_by_itself_waits_and_is_linked_with_nothing() -> None:
    why = told(*NEWS).decision("a4")

    assert isinstance(why, LinkDecision)
    assert (why.story, why.how, why.best) == (None, "waiting", None)
    assert why.links == {}


def test_without_copies_each_source_counts() -> None:
    (story,) = told(*NEWS, parts="lead meaning time chance review").stories()

    assert story.sources == 3


def test_a_slide_of_copies_alone_is_taken_in() -> None:
    later = article(30, "Earthquake strikes Kestrel Bay, says mayor", QUAKE, "Late")

    (story,) = told(*NEWS[:3], later).stories()

    assert story.articles == ("a1", "a2", "a3", "a30")
    assert story.sources == 2
