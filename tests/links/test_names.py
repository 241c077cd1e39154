"""Names and numbers are known across scripts, and hostile text says nothing by them."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile.growth import check_growth
from tests.reference.gists import name_log_odds
from ustory.core.article import Article, PreparedArticle
from ustory.core.evidence import KeyCounts, Pairs, load_evidence
from ustory.links.evidence.names import (
    FEW,
    LONGEST,
    MOST_CHARACTERS,
    MOST_NAMES,
    NameEvidence,
    keys_of,
    sounds,
)
from ustory.testing.parts import count_words


@pytest.mark.parametrize(
    "spellings",
    [
        "Zelensky Selenskyj Zelenski Зеленский Зеленського زيلينسكي Ζελένσκι זלנסקי",
        "Zelensky ゼレンスキー",
        "Kyiv Kiev Kiew Киев Київ Киеве كييف Κίεβο קייב",
        "Putin Poutine Путин Путина بوتين Πούτιν 푸틴",
        "Merkel Меркель ميركل Μέρκελ מרקל 메르켈",
        "Madrid Мадрид مدريد Μαδρίτη מדריד",
        "Trump Трамп ترامب Τραμπ 트럼프",
        "Müller Mueller Muller",
        "Łódź Lodz Лодзь",
    ],
)
def test_a_name_is_one_in_every_script(spellings: str) -> None:
    keys = [set(sounds(name)) for name in spellings.split()]
    assert set.intersection(*keys)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Berlin", "Madrid"),
        ("Putin", "Biden"),
        ("Paris", "Boris"),
        ("Peru", "Bali"),
        ("Киев", "Москва"),
    ],
)
def test_other_names_are_others(one: str, other: str) -> None:
    assert set(sounds(one)).isdisjoint(sounds(other))


def test_a_name_in_letters_that_only_look_alike_is_another() -> None:
    latin, cyrillic = "Paris", "Р\u0430ris"  # the second begins with Cyrillic letters
    assert latin != cyrillic
    assert set(keys_of([f"in {latin}"])).isdisjoint(keys_of([f"in {cyrillic}"]))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("in ١٢٣٤ and १२ and ３４", ["1234", "12", "34"]),
        ("1,200 or 1.200 or 1 200 or 1'200 or 1\u202f200", ["1200"]),
        ("in 2024 300 were hurt", ["2024", "300"]),
        ("1 of 5 was hurt", []),
        ("12345 678", ["12345", "678"]),
    ],
)
def test_numbers_are_the_same_in_digits_of_any_script(
    text: str, numbers: list[str]
) -> None:
    assert keys_of([text]) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "🎉🎉🎉 🧨",
        "\u200f\u200e\u202e",
        "A",
        "7",
        "___ --- ''",
        "汀澜大桥今晨通车 สะพาน ひらがな",
        "\ufffd\ufdfa"[:1],
        "\ud800",
    ],
)
def test_a_text_without_names_has_none(text: str) -> None:
    assert keys_of([text]) == []


def test_no_more_is_kept_or_read_than_may_be() -> None:
    many = " ".join(f"{number}" for number in range(1000, 3000))
    assert len(keys_of([many])) == MOST_NAMES
    late = "a " * (MOST_CHARACTERS // 2) + "in Madrid"
    assert keys_of([late]) == []
    assert keys_of(["a " * (MOST_CHARACTERS // 2), "in Madrid"]) == []
    assert sounds.cache_info().maxsize is not None
    before = sounds.cache_info().currsize
    assert keys_of(["in B" + "d" * 19_000 + "m"]) == ["bd"]  # not its last letter
    assert sounds.cache_info().currsize <= before + 1
    assert LONGEST < 100


@pytest.mark.parametrize(
    "make",
    [
        lambda size: "X" * size,
        lambda size: "X'" * (size // 2),
        lambda size: "1 " * (size // 2),
        lambda size: "123," * (size // 4) + "1234",
        lambda size: "🎉" * size,
        lambda size: "Ж" * size,
        lambda size: "\ufdfa" * size,
        lambda size: "Aа" * (size // 2),
    ],
)
def test_a_megabyte_of_one_kind_takes_time_in_line_with_its_length(
    make: object,
) -> None:
    check_growth(lambda text: keys_of([text]), make)  # type: ignore[arg-type]


@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_text_has_keys_of_a_few_letters_or_digits(sentences: list[str]) -> None:
    for key in keys_of(sentences):
        assert key.isascii()
        assert key.isdigit() or (key.isalpha() and 1 < len(key) <= 6)


class Named:
    """An article that has nothing but names."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self.lang, self.gist = "", None


def prepared(*sentences: str) -> PreparedArticle:
    return PreparedArticle(
        article=Article(id="a", published_at=datetime(2024, 3, 4, tzinfo=UTC)),
        sentences=sentences,
        counts=count_words(sentences),
        vectors=np.ones((len(sentences), 2), dtype=np.float32),
        gist=np.ones(2, dtype=np.float32),
    )


def pairs_of(texts: list[str], language: list[int]) -> Pairs:
    evidence = load_evidence("carried_names")
    columns = [evidence.column(prepared(text)) for text in texts]
    count = len(texts)
    newer, older = np.tril_indices(count, -1)
    return Pairs(
        newer=newer,
        older=older,
        body=np.zeros(len(newer)),
        gists=np.ones((count, 2), dtype=np.float32),
        language=np.array(language),
        has_gist=np.ones(count, dtype=bool),
        columns={"carried_names": [c for c in columns if c is not None]},
        names=KeyCounts.of([c for c in columns if c is not None]),
    )


TEXTS = [
    "in Kyiv and Madrid said Zelensky 2024",
    "в Киеве и Мадриде сказал Зеленский 2024",
    "in Berlin and Orsa said Merkel 1999",
    "",
]


def test_names_weigh_what_the_transcription_says() -> None:
    found = pairs_of(TEXTS, [1, 2, 3, 4])

    odds = NameEvidence().log_odds(found)

    told = [Named(frozenset(keys_of([text]))) for text in TEXTS]
    for one, other, said in zip(found.newer, found.older, odds, strict=True):
        names = told[one].names, told[other].names
        assert said == pytest.approx(name_log_odds(*names, told))
    assert odds.argmax() == 0  # the first two
    assert odds[0] > 0


def test_without_enough_names_on_both_sides_nothing_speaks_against_a_pair() -> None:
    odds = NameEvidence().log_odds(pairs_of([TEXTS[0], "in Orsa", ""], [1, 2, 3]))
    assert FEW > 1
    assert odds.tolist() == [0.0, 0.0, 0.0]


def test_in_one_language_names_are_words_and_say_nothing_more() -> None:
    odds = NameEvidence().log_odds(pairs_of(TEXTS[:2], [1, 1]))
    assert odds.tolist() == [0.0]


def test_names_say_no_more_than_their_most() -> None:
    odds = NameEvidence().log_odds(pairs_of([TEXTS[0]] * 2, [1, 2]))
    assert odds[0] == pytest.approx(NameEvidence.most)
    assert math.isfinite(odds[0])
