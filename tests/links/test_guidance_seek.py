"""Which articles are of a watched story: by phrases, examples, section and timeline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from ustory.core.article import Article, PreparedArticle
from ustory.core.errors import ConfigError
from ustory.links.article import linked_articles
from ustory.links.background import Background
from ustory.links.evidence.words import word_log_odds
from ustory.links.guidance import Guidance, Watched
from ustory.links.prior import BASE
from ustory.links.sentence_terms import in_order
from ustory.links.watched_matcher import StreamStats, WatchedMatch, WatchedMatcher
from ustory.text.fast import FastPipeline
from ustory.window.panes import day_of
from ustory.window.unassigned import open_article
from ustory.window.vocabulary import Vocabulary

START = datetime(2024, 3, 4, 12, tzinfo=UTC)
PIPELINE = FastPipeline()
OTHERS = tuple(
    f"Council debates {what}. Members of the {what} board met again on Monday."
    for what in ("parks", "roads", "schools", "trams", "taxes", "trees", "pools")
)


def seek(
    watched: Sequence[Watched],
    texts: Sequence[str],
    urls: Sequence[str] = (),
    step: timedelta = timedelta(hours=1),
) -> dict[str, WatchedMatch]:
    """Return the matches of articles, an hour apart, among seven others."""
    articles = [
        _prepared(f"a{i}", START + i * step, text) for i, text in enumerate(texts)
    ]
    others = [_prepared(f"o{i}", START, text) for i, text in enumerate(OTHERS)]
    everything = articles + others
    vocabulary, numbers = Vocabulary().grown([p.counts for p in everything])
    new = linked_articles(
        in_order(
            [
                (p, open_article(p, 0, n))
                for p, n in zip(everything, numbers, strict=True)
            ]
        ),
        0,
    )
    background = Background().after(new, day_of(START), len(vocabulary))
    known = StreamStats(
        vocabulary, background, lambda body, lead: word_log_odds(body, lead) + BASE
    )
    addresses = {f"a{i}": url for i, url in enumerate(urls)}
    return WatchedMatcher(Guidance(watched=tuple(watched)), PIPELINE).matches(
        new, addresses, known
    )


def _prepared(id_: str, when: datetime, text: str) -> PreparedArticle:
    title, _, body = text.partition(". ")
    article = Article(id=id_, published_at=when, title=title, text=body)
    sentences = PIPELINE.split(article)
    counts = PIPELINE.count(sentences, None)
    vectors = np.ones((len(sentences), 2), dtype=np.float32)
    return PreparedArticle(
        article=article, sentences=sentences, counts=counts, vectors=vectors
    )


QUAKE = "Earthquake hits Kestrel Bay. The quake cut the power in Port Sella."
FAR = "Earthquake hits Ostry Ridge. The quake blocked a road in Karvelia."
PASSING = (
    "Builders want new rules. They met. They spoke. They ate. They left. "
    "One recalled the earthquake of Kestrel Bay."
)


def test_enough_of_its_words_make_an_article_one_of_a_watched_story() -> None:
    bay = Watched(name="Bay", keywords=("earthquakes",), entities=("Kestrel Bay",))
    found = seek([bay], [QUAKE, FAR, PASSING])
    assert set(found) == {"a0"}
    assert found["a0"].name == "Bay"
    assert 0.5 <= found["a0"].strength <= 1.0


def test_a_single_keyword_is_enough_where_it_is_all_that_was_said() -> None:
    quakes = Watched(name="Quakes", keywords=("earthquake",))
    assert set(seek([quakes], [QUAKE, FAR, PASSING])) == {"a0", "a1"}


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    rare = Watched(name="Bay", keywords=("council", "earthquake"))
    assert set(seek([rare], [QUAKE])) == {"a0"}, "all others have a council, too"


def test_a_name_is_found_whole_and_its_rarest_word_stands_for_half() -> None:
    whole = "Minister Ada Brennick denies bribes. The court heard Ada Brennick."
    short = "Brennick denies bribes. The court heard the minister."
    other = "Ada Lorimer runs a marathon. It is her last."
    person = Watched(name="B", entities=("Ada Brennick",), keywords=("court",))
    strength = {a: m.strength for a, m in seek([person], [whole, short, other]).items()}
    assert set(strength) == {"a0", "a1"}
    assert strength["a0"] > strength["a1"]


def test_a_category_helps_but_does_not_suffice() -> None:
    urls = ["https://news.example/world/1", "https://news.example/sport/2", "http://["]
    watched = Watched(
        name="W",
        keywords=("earthquake", "power", "Sella", "flood"),
        categories=("World",),
    )
    texts = [QUAKE, QUAKE.replace("Kestrel", "Osprey"), "Calm day. Nothing happened."]
    helped, alone = seek([watched], texts, urls), seek([watched], texts)
    assert helped["a0"].strength > alone["a0"].strength
    assert helped["a1"] == alone["a1"]
    elsewhere = ["https://news.example/world/1"] * 3
    assert "a2" not in seek([watched], texts, elsewhere)


def test_an_article_outside_the_timeline_is_not_of_the_story() -> None:
    day = timedelta(days=1)
    bay = Watched(
        name="Bay", keywords=("earthquake",), since=START + day, until=START + 3 * day
    )
    assert set(seek([bay], [QUAKE] * 5, step=day)) == {"a1", "a2"}


def test_an_article_like_an_example_is_of_its_story() -> None:
    like = Watched(
        name="Bay",
        examples=("Strong quake near Kestrel Bay. No power in Port Sella, crews say.",),
    )
    found = seek([like], [QUAKE, FAR, OTHERS[0]])
    assert set(found) == {"a0"}


def test_of_two_watched_stories_the_surer_has_the_article_then_the_first() -> None:
    both = [
        Watched(name="Quakes", keywords=("earthquake", "tsunami", "aftershock")),
        Watched(name="Bay", entities=("Kestrel Bay",), keywords=("earthquake",)),
        Watched(name="Same", entities=("Kestrel Bay",), keywords=("earthquake",)),
    ]
    assert seek(both, [QUAKE])["a0"].name == "Bay"
    assert seek(both[::-1], [QUAKE])["a0"].name == "Same"


def test_words_that_every_article_has_are_refused() -> None:
    with pytest.raises(ConfigError, match="'the and' in keywords is made of words"):
        seek([Watched(name="A", keywords=("the and",))], [QUAKE])
    with pytest.raises(ConfigError, match=r"the example '\.\.\.' has no word"):
        seek([Watched(name="A", examples=("...",))], [QUAKE])


def test_words_that_nobody_uses_match_nothing_and_grow_nothing() -> None:
    watched = Watched(name="A", keywords=("zyzzyva",), examples=("Zyzzyva quuxes.",))
    assert seek([watched], [QUAKE, FAR]) == {}
