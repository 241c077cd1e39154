"""Which language a text is in."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.text.detect import NOTHING, READ, detect, reads_as_default
from ustory.text.scripts import LANGUAGES, is_written_in, letters_by_script

TITLES = {
    "am": "የኢትዮጵያ ጠቅላይ ሚኒስትር ዛሬ መግለጫ ሰጡ",
    "bg": "Министърът заяви, че няма да има повече промени в бюджета",
    "cs": "Ministr řekl, že vláda příští týden zveřejní nový návrh rozpočtu",
    "da": "Regeringen vil ikke sige, hvornår den nye lov bliver fremlagt",
    "el": "Ο πρωθυπουργός θα μιλήσει απόψε στη Βουλή",
    "fa": "رئیس جمهور گفت که دولت برنامه جدیدی برای اقتصاد دارد",
    "fi": "Hallitus kertoi, että uusi laki tulee voimaan ensi vuonna",
    "he": "ראש הממשלה אמר כי הצבא ימשיך בפעולה",
    "hi": "प्रधानमंत्री ने कहा कि सरकार नई योजना शुरू करेगी",
    "hu": "A kormány szerint jövőre új törvény lép életbe az országban",
    "ka": "პრემიერ-მინისტრი პარლამენტში სიტყვით გამოვა",
    "ro": "Guvernul a anunțat că va publica săptămâna viitoare noul buget",
    "sv": "Regeringen säger att den nya lagen ska gälla från nästa år",
    "ta": "பிரதமர் இன்று நாடாளுமன்றத்தில் உரையாற்றினார்",
    "uk": "Президент заявив, що переговори відбудуться наступного тижня",
    "vi": "Thủ tướng cho biết chính phủ sẽ công bố kế hoạch mới vào tuần tới",
    "ja": "首相は来週、新しい計画を発表する",
    "zh": "总理表示政府下周将公布新的经济计划",
    "ko": "총리는 다음 주 새 계획을 발표한다",
    "th": "นายกรัฐมนตรีจะแถลงแผนใหม่สัปดาห์หน้า",
}


@pytest.mark.parametrize("lang", TITLES)
def test_a_title_says_its_language(lang: str) -> None:
    guess = detect(TITLES[lang])
    assert guess.lang == lang
    assert guess.probability >= 0.5
    assert is_written_in(lang, guess.script)


@pytest.mark.parametrize("text", ["", " ", "🎉🎉 🔥", "2024 — 3:1!", "\ud800", "\x00"])
def test_a_text_without_letters_says_nothing(text: str) -> None:
    assert detect(text) == NOTHING


def test_a_name_or_a_letter_of_another_script_changes_nothing() -> None:
    assert (
        detect("Путин met with Владимир in the palace of the president today").lang
        == "en"
    )
    assert (
        detect("Рresident sауs thаt the election will be held in the spring").lang
        == "en"
    )
    assert detect("特斯拉公司宣布 Model 3 将在上海工厂生产").lang == "zh"
    assert detect("iPhone 15 Proを発表、アップルが新製品").lang == "ja"


def test_signs_alone_may_be_chinese_or_japanese() -> None:
    assert detect("東京株式市場").probability < detect("東京株式市場の動き").probability


def test_english_is_known_by_its_function_words() -> None:
    assert reads_as_default("The mayor said that it was the worst flood in years")
    for lang, title in TITLES.items():
        assert not reads_as_default(title), lang
    assert not reads_as_default("It was the worst")


def test_every_language_of_a_script_is_written_in_it() -> None:
    for script, languages in LANGUAGES.items():
        assert all(is_written_in(lang, script) for lang in languages)
    assert not is_written_in("ru", "Latin")
    assert is_written_in("sr", "Latin")


@given(st.text())
def test_any_text_is_read_twice_alike(text: str) -> None:
    guess = detect(text)
    assert guess == detect(text)
    assert 0 <= guess.probability <= 1
    assert sum(letters_by_script(text).values()) <= 3 * len(text)


@given(st.text(max_size=50))
def test_only_the_beginning_is_read(text: str) -> None:
    start = (text + "word ")[:20] * READ
    assert detect(start[:READ]) == detect(start[:READ] + text)


def test_long_texts_cost_no_more() -> None:
    detect("once, so that loops are compiled")
    for sign in ("ا", "🎉", "@", "#a", "中", "é", "http://"):
        began = time.process_time()
        detect(sign * 5_000_000)
        assert time.process_time() - began < 0.5
