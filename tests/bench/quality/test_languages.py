"""Pairs, streams and other words are measured as the page on languages says."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from ustory import load_encoder
from ustory.core.article import Article, PreparedArticle
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.online import Engine
from ustory.engine.prepare import Stopwatch, prepare
from ustory.links.slide import log_odds, own_log_odds, parts_of, unit_of
from ustory.sources.demo import languages_stream
from ustory.sources.open import open_source
from ustory_bench.quality import languages
from ustory_bench.quality.language_streams import (
    Truth,
    cosines_told,
    curve_told,
    links_told,
    run_links,
    single_pass,
    stories_told,
)
from ustory_bench.quality.languages import (
    RESULTS,
    RIVALS,
    SYSTEMS,
    groups,
    originals,
    precision_told,
    translations,
)
from ustory_bench.quality.languages_figures import figures
from ustory_bench.quality.other_words import few_words
from ustory_bench.quality.pair_data import (
    WHEN,
    LabelledPair,
    PairSet,
    load_pairs,
    pair_file,
    read_pairs,
)
from ustory_bench.quality.pair_scores import (
    Encoders,
    PairScores,
    Window,
    read_articles,
    scored,
)
from ustory_bench.quality.stand_in import stand_in
from ustory_bench.quality.streams import parts

TEXTS = {
    "dam-en": "A dam above Orvel burst on Monday. Hundreds fled the flood in Orvel.",
    "dam-de": "Ein Damm über Orvel brach am Montag. Hunderte flohen vor der Flut.",
    "mill-en": "The dam of Orvel broke. A flood reached the mill of Orvel on Monday.",
    "vote-en": "The council of Halden votes on Friday. Three parties want the seats.",
    "vote-de": "Der Rat von Halden wird am Freitag gewählt. Drei Parteien treten an.",
}
SAME = [
    ("dam-en", "dam-de", True),
    ("dam-en", "mill-en", True),
    ("vote-en", "vote-de", True),
    ("dam-en", "vote-en", False),
    ("dam-de", "vote-de", False),
]
OFF = Settings(gist_encoder="none")


def small() -> PairSet:
    articles = {
        name: Article(id=name, published_at=WHEN, text=text, lang=name[-2:])
        for name, text in TEXTS.items()
    }
    pairs = [LabelledPair(f"{a} {b}", a, b, same) for a, b, same in SAME]
    return PairSet("small", articles, pairs, {name: name for name in articles})


def tiny() -> Encoders:
    return Encoders(parts()[1], load_encoder("tiny"))


def stream() -> list[PreparedArticle]:
    pipeline, encoder = parts()
    return prepare(stand_in(small(), titles=False), pipeline, encoder, Stopwatch())


@pytest.mark.parametrize("gist", ["none", "tiny"])
def test_pairs_are_scored_as_links_of_the_window_are(gist: str) -> None:
    settings = Settings(gist_encoder=gist, parts="lead meaning time chance")
    arrivals = open_source(str(languages_stream())).read()
    articles = [replace(each.article, published_at=WHEN) for each in arrivals]
    pairs = [
        LabelledPair(f"{one.id} {other.id}", one.id, other.id, same=True)
        for one, other in combinations(articles, 2)
    ]
    named = {article.id: article for article in articles}
    chosen = PairSet("demo", named, pairs, {name: name for name in named})

    engine, encoders = Engine(settings, parts()[1]), tiny()
    ready = read_articles(articles, settings, encoders)
    end = WHEN.replace(hour=0) + timedelta(days=1)
    state, _ = engine.advance(engine.begin(), Slide(end=end, articles=ready))
    link, how = state.link, (unit_of(settings), parts_of(settings))
    name = {article.serial: key for key, article in link.articles.items()}
    ends = zip(link.links.older.tolist(), link.links.newer.tolist(), strict=True)
    linked = [frozenset((name[one], name[other])) for one, other in ends]
    known = [pair for pair in pairs if frozenset((pair.one, pair.other)) in linked]
    found = scored(replace(chosen, pairs=known), settings, encoders)
    place = {frozenset((p.one, p.other)): i for i, p in enumerate(found.pairs)}
    at = [place[pair] for pair in linked]
    assert len(at) > 50
    assert found.scores["own"][at] == pytest.approx(own_log_odds(link, *how))
    assert found.scores["all"][at] == pytest.approx(log_odds(link, *how))
    assert found.across[at].any()
    assert ("gist" in found.scores) == (gist != "none")


def test_a_window_scores_pairs_whatever_their_order() -> None:
    engine = Engine(OFF, parts()[1])
    state, _ = engine.advance(
        engine.begin(), Slide(end=WHEN + timedelta(days=40), articles=[])
    )
    assert Window.of(state.link, OFF).ends([])[0].tolist() == []
    turned = small()
    turned = PairSet(
        turned.name,
        turned.articles,
        [LabelledPair(p.id, p.other, p.one, p.same) for p in turned.pairs],
        turned.original,
    )

    one, other = scored(small(), OFF, tiny()), scored(turned, OFF, tiny())

    for name in one.scores:
        assert one.scores[name] == pytest.approx(other.scores[name])


def scores(right: list[bool], **columns: list[float]) -> PairScores:
    both = [("de", "en"), ("en", "en")]
    return PairScores(
        pairs=[LabelledPair(str(i), "a", "b", same) for i, same in enumerate(right)],
        languages=[both[i % 2] for i in range(len(right))],
        right=np.array(right),
        scores={name: np.array(column) for name, column in columns.items()},
        words=np.arange(len(right), dtype=np.float64),
    )


def test_pairs_are_pooled_and_each_pair_of_languages_is_a_row() -> None:
    found = scores([True, False, True], plain=[1.0, 2.0, 3.0])

    told = {name: mask.tolist() for name, mask in groups(found).items()}

    assert told == {
        "all": [True, True, True],
        "one language": [False, True, False],
        "two languages": [True, False, True],
        "de-en": [True, False, True],
        "en-en": [False, True, False],
    }


def test_what_is_better_on_every_pair_is_better_by_more_than_its_interval() -> None:
    right = [place % 3 == 0 for place in range(90)]
    random = np.random.default_rng(3)
    good = [same + 0.1 * random.random() for same in right]

    worse = dict.fromkeys(RIVALS, random.random(90).tolist())
    told = precision_told(scores(right, **worse, all=good))["systems"]

    assert told["all"]["average_precision"] == 1.0
    for rival in RIVALS:
        assert told["all"]["less"][rival]["interval"][0] > 0.2
    assert told["lead"]["less"]["lead"]["interval"] == [0.0, 0.0]


def test_pairs_across_languages_have_one_text_of_each_article() -> None:
    def line(name: str, one: tuple[str, str], other: tuple[str, str]) -> dict[str, Any]:
        sides = {
            side: {"title": "", "text": f"{name} {text}", "lang": lang}
            for side, (text, lang) in zip("ab", (one, other), strict=True)
        }
        return {"id": name, "same": True, **sides}

    chosen = read_pairs(
        "made",
        [
            line("te-1_2-ende", ("a", "en"), ("b", "de")),
            line("te-1fr_3-fren", ("a", "fr"), ("c", "en")),
            line("te-4_5-enen", ("d", "en"), ("e", "en")),
            line("te-6_6de-ende", ("f", "en"), ("f", "de")),
        ],
    )

    assert [pair.id for pair in originals(chosen).pairs] == ["te-1_2-ende"]
    assert translations(list(chosen.articles.values()), chosen) == 2


def test_few_words_are_those_of_the_lowest_quarter_of_true_pairs() -> None:
    words = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.15, 0.9])
    right = np.array([True, True, True, True, True, False, False])

    assert few_words(words, right).tolist() == [True, True, *[False] * 3, True, False]


def test_stories_are_scored_whole_inside_languages_and_across() -> None:
    truth = Truth.of(stream())
    perfect = dict(truth.story.items())
    torn = {name: f"{label} {name[-2:]}" for name, label in perfect.items()}

    told, apart = stories_told(truth, perfect), stories_told(truth, torn)

    assert told["whole"]["f1"] == told["across"]["recall"] == 1.0
    assert told["across"]["true"] == 3  # dam-de with two, vote-en with vote-de
    assert told["within"]["true"] == 1
    assert apart["across"] == {
        "true": 3,
        "found": 0,
        "precision": None,
        "recall": 0.0,
    }
    assert {each["f1"] for each in apart["inside"].values()} == {1.0}
    alone = stories_told(truth, {})
    assert alone["whole"]["precision"] == 1.0
    assert alone["inside"]["de"]["articles"] == 2


def test_a_run_tells_the_last_story_of_every_article_and_all_links() -> None:
    articles = stream()

    found = run_links(articles, OFF, parts()[1])

    assert set(found.stories) == set(TEXTS)
    assert ("dam-en", "mill-en") in found.pairs
    assert found.stories["dam-en"] == found.stories["mill-en"] is not None
    truth = Truth.of(articles)
    told = links_told(truth, found.pairs)
    assert all(row["found"] >= 0 for row in told["rows"])
    assert 0.0 <= told["recall_at_wanted"] <= 1.0


def test_the_curve_counts_what_is_above_each_threshold() -> None:
    values = np.array([0.95, 0.9, 0.6, 0.3])
    right = np.array([True, True, False, True])

    told = curve_told(values, right, 4, (0.25, 0.5, 0.99))

    assert [row["found"] for row in told["rows"]] == [4, 3, 0]
    assert told["rows"][1]["precision"] == pytest.approx(2 / 3, abs=1e-4)
    assert told["rows"][2]["precision"] is None
    assert told["recall_at_wanted"] == 0.5


def test_a_single_pass_joins_what_is_near_while_it_is_in_the_window() -> None:
    articles = stream()
    apart = dict(zip(sorted(TEXTS), np.eye(5, 8), strict=True))
    near = np.array(
        [apart["dam-en" if "dam" in a.article.id else a.article.id] for a in articles],
        dtype=np.float32,
    )
    week = timedelta(days=7)

    found = single_pass(articles, near, week, 0.5)

    assert found["dam-en"] == found["dam-de"] != found["mill-en"]
    assert len(set(found.values())) == 4
    moment = single_pass(articles, near, timedelta(microseconds=1), 0.5)
    assert len(set(moment.values())) == 5
    told = cosines_told(Truth.of(articles), articles, near, week)
    assert told["rows"][0]["found"] == 1
    assert told["rows"][0]["precision"] == 1.0


def test_pairs_that_are_absent_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(languages, "pair_file", lambda name: None)

    with pytest.raises(SystemExit):
        languages.main([])

    assert "semeval22-t8, tg-2019 in shared/data/pairs" in capsys.readouterr().err


def test_the_results_hold_every_language_and_are_drawn() -> None:
    read = json.loads(RESULTS.read_text(encoding="utf-8"))

    table = read["pairs"]["both"]
    for row in table.values():
        assert set(row["systems"]) == set(SYSTEMS)
    kinds = [table["one language"]["pairs"], table["two languages"]["pairs"]]
    assert sum(kinds) == table["all"]["pairs"]
    assert read["streams"]["titles"]["articles"] >= 1500
    (figure,) = figures(read)
    assert len(figure.traces) == 6
    assert figures({}) == []


@pytest.mark.parametrize("name", ["semeval22-t8", "tg-2019"])
def test_the_results_are_of_the_files_that_are_here(name: str) -> None:
    if pair_file(name) is None:
        pytest.skip(f"needs the labelled pairs {name} in shared/data/pairs")
    read = json.loads(RESULTS.read_text(encoding="utf-8"))

    assert read["files"][name]["pairs"] == len(load_pairs(name).pairs)
