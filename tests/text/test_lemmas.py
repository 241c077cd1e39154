from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.text import lemmas as module
from ustory.text.fast import FastPipeline
from ustory.text.lemmas import Lemmatiser
from ustory.text.tokenize import has_unspaced

english = Lemmatiser("en")
readers = {"en": english, "fr": Lemmatiser("fr"), "zh": Lemmatiser("zh")}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("80,000 people", ["80,000", "people"]),
        ("up 3.5% to $1,234.56.", ["3.5", "1,234.56"]),
        ("the 1990s, 12-year-olds", ["1990s", "12-year-old"]),
        ("Tuesday,Wednesday", ["tuesday", "wednesday"]),
        ("it ended.The mayor lost", ["end", "mayor", "lose"]),
        ("according to example.com", ["example.com"]),
    ],
)
def test_numbers_and_names_with_a_dot_or_comma_inside_are_one_word(
    sentence: str, expected: list[str]
) -> None:
    assert english.of(sentence) == expected


def test_an_acronym_is_the_same_word_with_and_without_dots() -> None:
    for acronym in ("US", "U.S.", "U.S", "(U.S.)", "U.S.'s", "US's", "US’s"):
        assert english.of(f"the {acronym} army") == ["us", "army"]
    assert english.of("U.S.-led") == english.of("US-led")
    assert english.of("the U.S.The army") == ["us", "army"]


def test_an_acronym_is_no_stop_word() -> None:
    assert english.of("the WHO told us who it was") == ["who"]
    assert english.of("it told us") == []


def test_a_plural_acronym_is_the_acronym() -> None:
    assert english.of("MPs and an MP") == ["mp", "mp"]


def test_a_shouted_headline_has_no_acronyms_but_those_with_dots() -> None:
    assert english.of("THEY TOLD US WHO IS IN CHARGE OF THE TALKS") == [
        "charge", "talk",
    ]  # fmt: skip
    assert english.of("SENATE ASKS US ABOUT THE U.S. ARMY") == [
        "senate", "ask", "us", "army",
    ]  # fmt: skip


def test_a_few_capitals_do_not_make_a_sentence_shouted() -> None:
    assert english.of("EU and UK agree with US on it") == ["eu", "uk", "agree", "us"]


def test_hyphenated_words_stay_one_word() -> None:
    assert english.of("mother-in-law and decision‑makers") == [
        "mother-in-law", "decision-maker",
    ]  # fmt: skip


@pytest.mark.parametrize("quote", ["'", "’"])
def test_possessives_are_dropped(quote: str) -> None:
    found = english.of(f"O{quote}Brien{quote}s brother and the workers{quote} strike")
    assert found == ["o'brien", "brother", "worker", "strike"]


@pytest.mark.parametrize("quote", ["'", "’"])
def test_contractions_are_stop_words(quote: str) -> None:
    contractions = "don't Won't can't oughtn't ain't I'm he'd we'll they've you're it's"
    assert english.of(contractions.replace("'", quote)) == []
    assert english.of(f"the mayor{quote}ll go") == ["mayor"]


def test_web_addresses_are_left_out() -> None:
    assert english.of("see https://example.com/a?b=1 or www.example.com/c") == []


@pytest.mark.parametrize(
    ("lang", "sentence", "expected"),
    [
        ("de", "Die Häuser der Regierungen, 3,5 Mio.",
         ["haus", "regierung", "3,5", "mio"]),
        ("fr", "L’Ukraine et l'OTAN, a-t-elle expliqué aujourd'hui",
         ["ukraine", "otan", "expliquer"]),
        ("es", "El gobierno dijo que las mujeres ganaron",
         ["gobierno", "mujer", "ganar"]),
        ("it", "dell'Unione e un'altra elezione", ["unione", "elezione"]),
        ("ru", "Правительства сказали, что США", ["правительство", "сша"]),
        ("ar", "قالت الحكومة إنّ المدارس في القاهرة", ["حكومة", "مدرسة", "قاهرة"]),
        ("zh", "北京大学发布AI报告。",
         ["北京", "京大", "大学", "学发", "发布", "ai", "报告"]),
        ("zh", "中国和美国的关系", ["中国", "美国", "关系"]),
        ("zh", "因為颱風,學校停課", ["颱風", "學校", "校停", "停課"]),
        ("ja", "首都キーウへのロシア軍の攻撃", ["首都", "キーウ", "ロシア", "攻撃"]),
        ("ko", "서울에서 정부는 계획을 말했다", ["서울", "정부", "계획"]),
        ("ar", "والأهواز وبالأهواز", ["أهواز", "أهواز"]),
        ("tr", "İSTANBUL'DA IŞIK", ["istanbul", "ışık"]),
        ("th", "และฝนใน", ["ฝน"]),
        ("hi", "हिन्दी समाचार", ["हिंदी", "समाचार"]),
        ("no", "Husene", ["hus"]),
        ("qqq", "Old Houses", ["old", "houses"]),
    ],
)  # fmt: skip
def test_other_languages_give_words_one_would_look_up(
    lang: str, sentence: str, expected: list[str]
) -> None:
    assert Lemmatiser(lang).of(sentence) == expected


def test_one_word_printed_in_two_ways_is_one_lemma() -> None:
    assert english.of("Cafe\u0301 ﬁnance co\u00adoperate ＮＡＴＯ") == [
        "café", "finance", "cooperate", "nato",
    ]  # fmt: skip
    arabic = Lemmatiser("ar")
    assert arabic.of("مُحَمَّد") == arabic.of("محمد") == ["محمد"]


sentences = st.one_of(
    st.text(max_size=80),
    st.text("aAbBsStT.,'’-_ 019éİß北京\u0301", max_size=40),
    st.lists(
        st.sampled_from(
            ["U.S.", "US", "THE", "don't", "80,000", "3.5%", "l'état", "。"]
        )
    ).map(" ".join),
)


@given(st.sampled_from(sorted(readers)), sentences)
def test_any_text_gives_lower_case_lemmas_without_spaces(
    lang: str, sentence: str
) -> None:
    for lemma in readers[lang].of(sentence):
        assert lemma
        assert lemma == lemma.lower()
        assert len(lemma.split()) == 1
        assert any(map(str.isalnum, lemma)) or has_unspaced(lemma)


@given(st.sampled_from(sorted(readers)), st.lists(sentences, min_size=1, max_size=5))
def test_what_was_read_before_changes_nothing(lang: str, texts: list[str]) -> None:
    reader = readers[lang]
    reader._memo.clear()
    first = [reader.of(text) for text in texts]
    again = [reader.of(text) for text in reversed(texts)]
    assert again[::-1] == first


def test_a_full_memo_is_dropped_and_nothing_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MAX_MEMO", 3)
    texts = ["THEY TOLD US ABOUT the U.S.", "governments, 'governments'", "US and us"]
    reader = Lemmatiser("en")
    for text in texts * 3:
        assert reader.of(text) == english.of(text)
        assert len(reader._memo) < 20
    assert len(reader._memo._older) < 20


def test_a_clause_without_spaces_is_not_remembered() -> None:
    reader = Lemmatiser("zh")
    assert len(reader.of("北京大学发布人工智能报告")) > 4
    assert not reader._memo


def test_the_pipeline_counts_each_language_by_its_own_rules() -> None:
    pipeline = FastPipeline()
    sentence = ["die Regierungen"]
    assert pipeline.count(sentence, "de").terms == ("regierung",)
    assert pipeline.count(sentence, None).terms == pipeline.count(sentence, "en").terms
    assert "die" in pipeline.count(sentence, "en").terms
