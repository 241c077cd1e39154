"""A lead is whole sentences on one line, and short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.store.leads import Opening
from ustory.web.lead_text import LONGEST, lead_text, shortened

LONG = "The river rose again in the night and the lower town was cleared by boat. "


def _lead(text: str, title: str = "", lang: str | None = "en") -> str:
    return lead_text(Opening("a", title, lang, text))


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("One is here. Two is there. Three is far. Four is gone.",
         "One is here. Two is there. Three is far."),
        ("The title\nIt rained. All day.", "It rained. All day."),
        ("FILE PHOTO\n***\nBy R. Vane\nIt rained all day.", "It rained all day."),
        ("no stop at all", "no stop at all"),
        ("A   wide\u00a0blank\x07 here.", "A wide blank here."),
        ("", ""),
    ],
)  # fmt: skip
def test_a_lead_is_the_first_sentences(text: str, lead: str) -> None:
    assert _lead(text, title="The title") == lead


def test_a_lead_ends_with_a_whole_sentence_where_it_can() -> None:
    assert _lead(LONG * 9) == (LONG * 3).strip()
    assert _lead(f"Short one. {'word ' * 200}.") == "Short one."
    cut = _lead("word " * 200 + ".")
    assert cut.endswith("word…")
    assert len(cut) <= LONGEST


@given(st.text(max_size=3_000), st.sampled_from(["en", "de", "zh", None, "xx"]))
def test_any_text_gives_one_short_line(text: str, lang: str | None) -> None:
    lead = _lead(text, lang=lang)

    assert len(lead) <= LONGEST
    assert "\n" not in lead


def test_a_story_without_a_text_has_no_lead() -> None:
    assert lead_text(None) == ""
    assert shortened("a" * 10, 10) == "a" * 10
