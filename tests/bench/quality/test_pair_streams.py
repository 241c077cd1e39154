"""Labelled pairs are read, and are made into a stream with true stories."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ustory.core.article import Article
from ustory.core.errors import ConfigError
from ustory_bench.quality import pair_data
from ustory_bench.quality.pair_data import (
    FILES,
    LabelledPair,
    PairSet,
    load_pairs,
    merged,
    pair_file,
    read_pairs,
)
from ustory_bench.quality.stand_in import (
    LASTS,
    TITLE_WORDS,
    sizes,
    stand_in,
    title_of,
    true_stories,
)


def side(text: str, lang: str = "en", title: str = "") -> dict[str, Any]:
    return {"title": title, "text": text, "date": None, "lang": lang, "url": None}


def line(name: str, one: str, other: str, same: bool | None) -> dict[str, Any]:
    return {"id": name, "a": side(one), "b": side(other, "de"), "same": same}


def pair(one: str, other: str, same: bool | None) -> LabelledPair:
    return LabelledPair(f"{one}{other}", one, other, same)


def test_equal_texts_are_one_article_and_a_pair_counts_once() -> None:
    lines = [
        line("x-1", "A dam  broke.", "Ein Damm brach.", True),
        line("x-2", "A dam broke.", "Ein Damm brach.", True),
        line("x-3", "A dam broke.", "Die Wahl ist vorbei.", False),
        line("x-4", "A dam broke.", "A dam broke.", True),
    ]

    found = read_pairs("small", lines)

    assert len(found.articles) == 3
    assert [each.same for each in found.pairs] == [True, False]
    assert found.languages(found.pairs[0]) == ("de", "en")
    assert merged([found, found]).articles == found.articles


def test_texts_of_an_article_that_has_a_number_are_one_in_each_language() -> None:
    lines = [
        line("te-11_12-ende", "A dam broke.", "Ein Damm brach.", True),
        line("tr-11_12-ende", "A dam was broke.", "Ein Damm ist brach.", False),
        {**line("te-12de_13-deen", "", "", False), "a": side("Brach.", "de")}
        | {"b": side("The election is over.")},
        {**line("te-11de_12-dede", "", "", True), "a": side("Ein Damm.", "de")}
        | {"b": side("Es brach.", "de")},
    ]

    found = read_pairs("small", lines)

    assert {name: each.text for name, each in found.articles.items()} == {
        "11-en": "A dam broke.",
        "12-de": "Ein Damm brach.",
        "13-en": "The election is over.",
        "11-de": "Ein Damm.",
    }
    assert [each.same for each in found.pairs] == [None, False, True]
    assert found.original["11-en"] == found.original["11-de"] == "11"
    assert found.only(found.pairs[1:2]).original == {"12-de": "12", "13-en": "13"}


def test_translations_of_one_article_are_of_one_story() -> None:
    pairs = [pair("a", "b", False), pair("c", "d", True)]
    chosen = replace(
        made(pairs), original={**dict(zip("abd", "abd", strict=True)), "c": "a"}
    )

    assert true_stories(chosen) == {"a": "a", "b": "b", "c": "a", "d": "a"}


def test_pairs_that_are_absent_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_data, "PLACES", ())

    with pytest.raises(ConfigError, match=r"put tg-2019\.jsonl\.gz into"):
        load_pairs("tg-2019")


def test_stories_are_what_pairs_join_however_far_apart() -> None:
    pairs = [
        pair("a", "b", True),
        pair("b", "c", True),
        pair("c", "d", False),
        pair("e", "f", True),
        pair("f", "g", True),
        pair("e", "g", False),  # which tears e, f and g apart
        pair("h", "i", True),
        pair("i", "j", None),  # so nobody knows where i belongs, nor h
    ]

    found = true_stories(made(pairs))

    assert found == {"a": "a", "b": "a", "c": "a", "d": "d"}


def made(pairs: list[LabelledPair]) -> PairSet:
    ends = dict.fromkeys(end for each in pairs for end in (each.one, each.other))
    articles = {
        end: Article(id=end, published_at=pair_data.WHEN, text=f"About {end}. More.")
        for end in ends
    }
    return PairSet("made", articles, pairs, {end: end for end in ends})


def test_a_stream_has_its_stories_within_two_days_and_always_the_same() -> None:
    pairs = [pair("a", "b", True), pair("b", "c", False), pair("d", "e", True)]

    found = stand_in(made(pairs), titles=False)

    assert found == stand_in(made(pairs[::-1]), titles=False)
    assert found == sorted(found, key=lambda each: (each.published_at, each.id))
    when = {each.id: each.published_at for each in found}
    assert {each.id: each.label for each in found} == {
        "a": "a",
        "b": "a",
        "c": "c",
        "d": "d",
        "e": "d",
    }
    assert sizes(found) == {1: 1, 2: 2}
    # what a pair tells apart is near in time, or it would be too easy
    assert max(when[n] for n in "abc") - min(when[n] for n in "abc") <= LASTS
    assert abs(when["d"] - when["e"]) <= LASTS
    assert timedelta(days=1) < LASTS <= timedelta(days=2)


def test_titles_are_those_of_articles_or_the_first_words_of_their_texts() -> None:
    def titled(text: str, title: str = "") -> str:
        article = Article(
            id="a", published_at=pair_data.WHEN, title=title, text=text, lang="en"
        )
        return title_of(article)

    assert titled("Rain falls.", "A  dam broke") == "A dam broke"
    assert titled("\nA dam broke\n\nRain falls.") == "A dam broke"
    assert titled("A dam broke  Rain falls.") == "A dam broke"
    assert len(titled("word " * 50).split()) == TITLE_WORDS
    assert titled("大坝决口，数百户居民逃往高地。" * 5).startswith("大坝决口")
    assert len(titled("大坝决口" * 20)) < 40
    found = stand_in(made([pair("a", "b", True)]), titles=True)
    assert [(each.title, each.text) for each in found] == [
        ("About b.", "") if each.id == "b" else ("About a.", "") for each in found
    ]


@pytest.mark.parametrize("name", FILES)
def test_the_files_have_pairs_of_both_kinds(name: str) -> None:
    if pair_file(name) is None:
        pytest.skip(f"needs the labelled pairs {name} in shared/data/pairs")

    found = load_pairs(name)

    assert {True, False} <= {each.same for each in found.pairs}
    assert len(found.articles) > len(found.pairs)
    story = true_stories(found)
    for each in found.pairs:
        if each.same is not None and each.one in story and each.other in story:
            assert (story[each.one] == story[each.other]) == each.same


def test_the_stand_in_is_large_and_of_many_languages() -> None:
    if any(pair_file(name) is None for name in FILES):
        pytest.skip("needs the labelled pairs in shared/data/pairs")

    found = stand_in(merged([load_pairs(name) for name in FILES]), titles=True)

    assert len(found) >= 1500
    assert len({each.lang for each in found}) >= 9
    assert all(each.title and not each.text for each in found)
