"""Hostile texts: sentences, lemmas and languages cost what their length does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import cycle, islice, product

import pytest

from tests.hostile.growth import check_growth
from ustory.core.article import Article
from ustory.core.settings import Settings
from ustory.encode.wordllama import WordLlamaEncoder
from ustory.engine.match import Matcher
from ustory.engine.prepare import Stopwatch, prepare
from ustory.sources.demo import demo_stream
from ustory.sources.open import open_source
from ustory.stories.discovery import Discovery, find_stories
from ustory.text.fast import FastPipeline
from ustory.text.spacy import SpacyPipeline
from ustory.text.word_cache import WordTokenizer

_NOW = datetime(2026, 3, 1, tzinfo=UTC)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def repeated(part: str) -> Callable[[int], str]:
    return lambda size: (part * (size // len(part) + 1))[:size]


def unique_words(size: int) -> str:
    words = map("".join, product(_LETTERS, repeat=5))
    return " ".join(islice(words, size // 6))


def soup(size: int) -> str:
    """Return letters, signs, blanks and marks of many scripts, one after the other."""
    some = "aZ.«é 漢„'ก\u0301(“。Я! \u00a0я)?”ß…\u2009د؟\u3000-_0"
    steps = cycle((1, 3, 7, 2, 5, 11))
    at, out = 0, []
    for _ in range(size):
        at += next(steps)
        out.append(some[at % len(some)])
    return "".join(out)


TEXTS: dict[str, Callable[[int], str]] = {
    **{f"quotes {sign}": repeated(sign) for sign in "«»„“”‘’‹›\"'「『"},
    **{f"brackets {sign}": repeated(sign) for sign in "([{<（"},
    "quotes with stops": repeated("“A. "),
    "quotes never closed, then sentences": lambda size: (
        "„" * (size // 2) + repeated("He came. ")(size // 2)
    ),
    "apostrophes in words": repeated("a'"),
    "clitics": repeated("'s"),
    "blanks": repeated(" "),
    "no-break spaces": repeated("C\u00a0."),
    "wide blanks": repeated("A\u3000."),
    "line breaks": repeated("\n"),
    "short lines": repeated("ab\n"),
    "stops": repeated("."),
    "stops and blanks": repeated(". "),
    "initials": repeated("a."),
    "initials that end in a word": lambda size: repeated("a.")(size - 2) + "ab",
    "abbreviations": repeated("Mr. Dr. e.g. U.S. "),
    "one word": repeated("x"),
    "one number": repeated("1,"),
    "hyphens": repeated("a-"),
    "addresses": repeated("www.http://"),
    "unique words": unique_words,
    "unspaced": repeated("漢字仮名"),
    "combining marks": repeated("\u0315\u0316"),
    "marks that look like letters": repeated("\u0f73\u0f71"),
    "characters that grow": repeated("\ufdfa"),
    "control characters": repeated("a\x00\x1f\x85"),
    "capitals": repeated("AB CD. "),
    "soup": soup,
}


def article(text: str, lang: str | None = None) -> Article:
    return Article(id="a", published_at=_NOW, title="A title", text=text, lang=lang)


@pytest.mark.parametrize("kind", TEXTS)
def test_reading_a_hostile_text_takes_time_in_proportion_to_it(kind: str) -> None:
    pipeline = FastPipeline()

    def read(text: str) -> None:
        pipeline.count(pipeline.split(article(text)), None)

    check_growth(read, TEXTS[kind])


def test_language_tags_nobody_knows_take_no_memory() -> None:
    pipeline = FastPipeline()

    def read(size: int) -> None:
        for number in range(size >> 8):
            # letters, for a tag of digits is none
            tag = "".join(_LETTERS[int(digit)] for digit in str(number))
            pipeline.count(pipeline.split(article("It rained.", f"q{tag}")), f"q{tag}")

    check_growth(read, lambda size: size)


@pytest.mark.parametrize("kind", ["one word", "soup", "blanks"])
def test_numbering_words_takes_time_in_proportion(kind: str) -> None:
    def read(text: str) -> None:
        WordTokenizer(lambda words: [[len(word)] for word in words]).words([text])

    check_growth(read, TEXTS[kind])


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        "quotes «", "quotes with stops", "apostrophes in words", "hyphens", "clitics",
        "initials", "no-break spaces", "one word", "unique words", "soup",
    ],
)  # fmt: skip
def test_spacy_reads_hostile_texts_in_proportion(kind: str) -> None:
    pytest.importorskip("spacy", reason="needs the extra spacy")
    pipeline = SpacyPipeline()

    def read(text: str) -> None:
        pipeline.count(pipeline.split(article(text)), None)

    # a megabyte takes minutes: spaCy reads some ten thousand words in a second
    check_growth(read, TEXTS[kind], sizes=[1 << bits for bits in range(12, 16)])


@pytest.mark.parametrize(
    "kind", ["quotes «", "one word", "unique words", "short lines", "soup"]
)
def test_matching_a_hostile_text_takes_time_in_proportion(
    kind: str, window: Discovery
) -> None:
    pipeline, encoder = FastPipeline(), WordLlamaEncoder()
    matcher = Matcher.of(window.state, window.settings)

    def ask(text: str) -> None:
        matcher.match(prepare([article(text)], pipeline, encoder, Stopwatch())[0])

    check_growth(ask, TEXTS[kind])


@pytest.fixture(scope="module")
def window() -> Discovery:
    """Return the demo stream, with the stories of its last window."""
    stream = [arrival.article for arrival in open_source(str(demo_stream())).read()]
    return find_stories(stream, Settings())
